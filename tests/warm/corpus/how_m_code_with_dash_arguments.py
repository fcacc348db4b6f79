# how: $ python3 -m script -x --yes -- last
# flags: -w /code
import sys

print(sys.argv, sys.orig_argv)
