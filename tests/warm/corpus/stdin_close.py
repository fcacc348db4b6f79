# stdin: abc
import os
import sys

sys.stdin.close()
try:
    input()
except ValueError as error:
    print(error)
try:
    os.fstat(0)
except OSError as error:
    print(error)
