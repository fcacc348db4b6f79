# how: code
import sys

print(__file__, sys.argv, sys.orig_argv, sys.path[0], __name__)
