# argv: a 'b c'
print(open("/proc/self/cmdline", "rb").read())
