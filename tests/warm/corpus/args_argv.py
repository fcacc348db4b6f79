# argv: a 'b c' '' --flag -x=1
import sys

print(sys.argv)
