# What the kernel told the dynamic linker: the name that was executed, and no secure mode.
import ctypes

libc = ctypes.CDLL(None)
libc.getauxval.restype = ctypes.c_ulong
execfn = ctypes.c_char_p(libc.getauxval(31)).value
print(execfn, libc.getauxval(23), libc.getauxval(11), libc.getauxval(6))
