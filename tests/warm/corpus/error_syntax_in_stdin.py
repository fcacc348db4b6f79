# how: $ python3 -
# stdin: print(1)\nx = = 2\n
# status: 1
