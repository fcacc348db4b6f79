# how: -c
print("ü", "日本", len("🙂"))
