# how: dir
# mask: 0x[0-9a-f]{6,}
# Addresses are random.
import sys

print(sys.modules["__main__"], __spec__, __package__ == "", __name__, type(__loader__).__name__)
