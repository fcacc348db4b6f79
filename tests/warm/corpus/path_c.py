# how: -c
import sys

print(sys.path)
