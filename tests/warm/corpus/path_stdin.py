# how: stdin
import sys

print(sys.path)
