# flags: --memory 64m
# status: 137
print("before", flush=True)
x = bytearray(200 << 20)
print("never", len(x))
