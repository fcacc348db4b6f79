# how: $ python3 /dev/stdin a
# stdin: import sys\nprint(__file__, sys.argv)\n
# warm: auto
