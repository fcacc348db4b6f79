# env: PYTHONUNBUFFERED=1
# warm: auto
import os
import sys

print("first", end="")
os.write(1, b"second ")
print(sys.stdout.line_buffering, sys.stdout.write_through)
