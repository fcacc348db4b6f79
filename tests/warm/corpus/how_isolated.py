# how: $ python3 -I /code/script.py
# warm: auto
import sys

print(sys.flags, sys.path)
