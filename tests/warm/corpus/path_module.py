# how: -m script
import sys

print(sys.path)
