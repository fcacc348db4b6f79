import atexit
import os
import sys

atexit.register(print, "atexit")
pid = os.fork()
if pid == 0:
    print("child")
    sys.exit(3)
os.waitpid(pid, 0)
print("parent")
