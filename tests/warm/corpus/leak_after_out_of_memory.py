# runs: 3
# flags: --memory 64m
# status: 137
print("start", flush=True)
bytearray(500 << 20)
