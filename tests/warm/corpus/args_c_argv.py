# how: -c
# argv: a -b --
import sys

print(sys.argv, sys.orig_argv[0], sys.orig_argv[1], sys.orig_argv[3:])
