# how: $ python3 -S -E /code/script.py
# warm: auto
import sys

print(sys.flags, sys.path, "site" in sys.modules)
