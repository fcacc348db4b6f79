import atexit

atexit.register(print, "cleared")
atexit._clear()
print("end")
