# how: $ python3 -B /code/script.py
# warm: auto
import sys

print(sys.flags.dont_write_bytecode, sys.orig_argv)
