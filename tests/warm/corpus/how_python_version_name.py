# how: $ python3.11 /code/script.py a
# warm: auto
import sys

print(sys.executable, sys.argv, sys.orig_argv, open("/proc/self/comm").read())
