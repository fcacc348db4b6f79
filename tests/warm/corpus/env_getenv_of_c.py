# env: A=seen
import ctypes
import os

libc = ctypes.CDLL(None)
libc.getenv.restype = ctypes.c_char_p
os.environ["B"] = "set"
print([libc.getenv(n) for n in (b"A", b"B", b"HOME", b"PATH", b"LC_CTYPE", b"PYTHONHASHSEED")])
