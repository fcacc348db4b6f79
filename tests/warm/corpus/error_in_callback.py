# mask: 0x[0-9a-f]{6,}
# Addresses are random.
import ctypes


@ctypes.CFUNCTYPE(ctypes.c_int)
def callback():
    raise ValueError("in a callback of C")


print(callback())
