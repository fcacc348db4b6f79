# stdin: abc
import sys

try:
    sys.stdin.seek(0)
except OSError as error:
    print(type(error).__name__, error)
