# stdin: ok\n\xff\n
import sys

print(repr(sys.stdin.readline()))
print(repr(sys.stdin.read()))
