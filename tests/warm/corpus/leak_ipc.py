# runs: 3
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
print(libc.shmget(4242, 4096, 0o1600 | 0o2000) >= 0, ctypes.get_errno())
