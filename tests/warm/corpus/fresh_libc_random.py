# C's rand() without a seed is the same everywhere; its arc4random() is not.
# differs: yes
import ctypes

libc = ctypes.CDLL(None)
print(libc.arc4random(), libc.arc4random(), libc.rand)
