# Built into the interpreter or not decides whether a file can take the place.
# files: math.py=X = "mine"\n
# files: time.py=X = "mine"\n
# files: array.py=X = "mine"\n
# files: _json.py=raise ImportError("no accelerator")\n
import array
import json
import math
import time

print(hasattr(math, "X"), hasattr(time, "X"), hasattr(array, "X"), json.dumps([1]))
