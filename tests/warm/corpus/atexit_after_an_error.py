# status: 1
import atexit

atexit.register(print, "after the traceback")
raise ValueError
