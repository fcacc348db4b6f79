# how: -m script
# mask: 0x[0-9a-f]{6,}
# Addresses are random.
print(__file__, __name__, repr(__package__), __spec__, __cached__)
