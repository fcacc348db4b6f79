import atexit
import os
import sys

atexit.register(lambda: os.write(1, b"raw at exit\n"))
atexit.register(sys.stdout.write, "buffered at exit\n")
print("end")
