# how: $ python3 -u /code/script.py
# warm: auto
import os
import sys

print("first", end="")
os.write(1, b"second")
print(sys.stdout.write_through)
