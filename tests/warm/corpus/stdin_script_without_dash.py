# how: $ python3
# stdin: import sys\nprint(sys.argv, sys.orig_argv, __name__)\n
