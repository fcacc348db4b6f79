# how: $ python3 -
# stdin: b""
