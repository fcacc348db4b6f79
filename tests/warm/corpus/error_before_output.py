# status: 1
print("printed first")
raise RuntimeError("then this")
