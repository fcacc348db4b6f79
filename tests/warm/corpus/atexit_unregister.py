import atexit

atexit.register(print, "removed")
atexit.register(print, "stays")
atexit.unregister(print)
atexit.register(print, "again")
