# how: $ python /code/script.py a
# warm: auto
import sys

print(sys.executable, sys.argv, sys.orig_argv, sys.prefix)
print(open("/proc/self/comm").read(), open("/proc/self/cmdline", "rb").read())
