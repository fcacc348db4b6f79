# status: 5
import sys

try:
    raise ValueError("swallowed")
finally:
    sys.exit(5)
