# how: stdin
print(list(globals()), __name__, __spec__, type(__loader__), __doc__)
