# known: timeout(1) is stood in for by the supervisor
# how: $ timeout 30 python3 /code/script.py
# warm: auto
import os
import sys

print(sys.orig_argv, os.getpid() > 2, os.getppid())
