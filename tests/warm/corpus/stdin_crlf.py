# stdin: a\r\nb\rc\n
import sys

print([line for line in sys.stdin])
