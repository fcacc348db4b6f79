# flags: -w /code
# how: $ python3 ./../code/./script.py
import sys

print(__file__, sys.argv, sys.orig_argv, sys.path[0])
