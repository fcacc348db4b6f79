# Py_Exit from below: atexit runs, then the process ends.
# status: 11
import atexit
import ctypes

atexit.register(print, "atexit")
print("main")
ctypes.pythonapi.Py_Exit(11)
