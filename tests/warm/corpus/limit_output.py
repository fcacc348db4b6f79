# flags: --output-limit 1k
print("x" * 5000)
