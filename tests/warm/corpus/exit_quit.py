# Site's quit closes stdin first.
# stdin: unread
import sys

try:
    quit()
except SystemExit as error:
    print(error.code, sys.stdin.closed)
