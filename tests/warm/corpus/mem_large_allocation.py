x = bytearray(100 << 20)
x[::4096] = b"1" * len(x[::4096])
print(len(x))
