# argv: one 'two three'
import sys

print(sys.orig_argv)
