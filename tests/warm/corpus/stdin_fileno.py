# stdin: abc
import os
import sys

print(sys.stdin.fileno(), os.read(0, 10), os.read(0, 10))
