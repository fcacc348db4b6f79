# The kernel starts the interpreter: that cannot be served warm.
# how: $ sh -c 'cp /code/script.py /tmp/s && sed -i "1i#!/usr/bin/python3 -B" /tmp/s && chmod +x /tmp/s && python3 /tmp/s a'
# warm: auto
import sys

print(sys.argv, sys.orig_argv, sys.flags.dont_write_bytecode)
