# status: 8
import atexit
import os
import sys

atexit.register(lambda: (sys.stdout.flush(), os._exit(8)))
print("end")
sys.exit(2)
