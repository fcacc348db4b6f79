# stdin: abc
import sys

print(sys.stdin.encoding, sys.stdin.errors, sys.stdin.name, sys.stdin.mode, sys.stdin.newlines)
print(sys.stdin.line_buffering, sys.stdin is sys.__stdin__, type(sys.stdin.buffer.raw))
print(sys.stdin.seekable(), sys.stdin.readable(), sys.stdin.writable(), sys.stdin.closed)
