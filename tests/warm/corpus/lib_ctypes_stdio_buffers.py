# C's own buffer of stdout is empty at the start and written by exit.
import ctypes
import sys

libc = ctypes.CDLL(None)
libc.printf(b"first in C, no newline;")
sys.stdout.write("second in Python;")
sys.stdout.flush()
