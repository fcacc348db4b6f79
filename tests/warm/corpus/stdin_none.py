import os
import stat
import sys

print(repr(sys.stdin.read()), stat.S_ISCHR(os.fstat(0).st_mode), sys.stdin.isatty())
