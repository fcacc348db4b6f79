# how: $ /code/script.py
# flags: --entrypoint python3
# warm: auto
import sys

print(sys.argv, sys.orig_argv)
