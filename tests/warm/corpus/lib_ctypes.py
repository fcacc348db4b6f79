import ctypes

libc = ctypes.CDLL("libc.so.6")
print(libc.abs(-5), ctypes.sizeof(ctypes.c_long), ctypes.get_errno())
libc.printf(b"through stdio of C\n")
print("through Python")
