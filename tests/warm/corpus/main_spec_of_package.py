# how: -m pkg
# files: pkg/__init__.py=print("init", __name__)\n
# files: pkg/__main__.py=from . import part\nprint(__name__, __package__, __spec__, __file__)\n
# files: pkg/part.py=print("part", __name__)\n
# mask: 0x[0-9a-f]{6,}
# Addresses are random.
