import ctypes

print(ctypes.CDLL(None).personality(0xFFFFFFFF))
