# how: zip
import sys

print(sys.path)
