# status: 1
größe, 名前 = "日本語", {"schlüssel": 1}
print(名前[größe], "🙂", 1 / 0)
