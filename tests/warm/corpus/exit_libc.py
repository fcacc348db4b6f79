# status: 12
# C's exit runs the handlers of C, not those of Python.
import atexit
import ctypes

atexit.register(print, "never")
print("lost?")
ctypes.CDLL(None).exit(12)
