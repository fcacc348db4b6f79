# how: $ /usr/bin/python3 /code/script.py a
# warm: auto
import sys

print(sys.executable, sys.argv, sys.orig_argv, open("/proc/self/cmdline", "rb").read())
