# The sequence of C without a seed begins at its beginning.
import ctypes

libc = ctypes.CDLL(None)
print([libc.rand() for _ in range(3)], [libc.random() for _ in range(3)], libc.lrand48())
