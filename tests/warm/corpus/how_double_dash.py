# how: $ python3 -- /code/script.py --
# warm: auto
import sys

print(sys.argv, sys.orig_argv)
