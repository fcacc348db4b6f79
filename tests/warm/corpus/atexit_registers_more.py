import atexit

atexit.register(lambda: atexit.register(print, "late"))
print("end")
