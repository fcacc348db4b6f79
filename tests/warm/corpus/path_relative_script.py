# flags: -w /code
# how: $ python3 script.py
# files: beside.py=X = 1\n
import sys

import beside

print(__file__, sys.argv, sys.orig_argv, sys.path[0], beside.__file__)
