# how: dir
import sys

print(sys.path)
