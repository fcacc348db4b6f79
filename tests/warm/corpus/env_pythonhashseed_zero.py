# env: PYTHONHASHSEED=0
# warm: auto
import sys

print(hash("a"), sys.flags.hash_randomization, list({"x", "y", "z", "w"}))
