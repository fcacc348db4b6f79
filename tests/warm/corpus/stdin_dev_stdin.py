# stdin: through the device\n
print(repr(open("/dev/stdin").read()))
