# env: PYTHONPATH=/code/lib
# files: lib/json.py=X = "shadow"\n
# files: lib/random.py=X = "shadow"\n
# warm: auto
import json
import random

print(json.X, random.X)
