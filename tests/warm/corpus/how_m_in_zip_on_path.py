# how: $ python3 -m base64 -e
# stdin: hello
