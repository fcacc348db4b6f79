# stdin: b""
import sys

print(repr(sys.stdin.readline()), repr(sys.stdin.read()))
