# how: $ python3 -
# stdin: print("a")\n\x00\xff
