# status: 2
import sys

try:
    1 / 0
except ZeroDivisionError:
    sys.exit(2)
