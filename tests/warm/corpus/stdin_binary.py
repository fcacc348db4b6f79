# stdin: \x00\xff\xfe\r\n\x80binary
import sys

print(sys.stdin.buffer.read())
