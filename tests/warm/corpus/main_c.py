# how: -c
print(list(globals()), __name__, __spec__, __loader__, __doc__)
