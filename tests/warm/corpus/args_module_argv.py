# how: -m script
# argv: a b
import sys

print(sys.argv, sys.orig_argv)
