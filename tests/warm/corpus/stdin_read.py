# stdin: one\ntwo\nthree
import sys

print(repr(sys.stdin.read()))
