# status: 1
print("ok", flush=True)
print("\ud800")
