# how: -m pkg
# status: 1
# files: pkg/__init__.py=1 / 0\n
# files: pkg/__main__.py=print("never")\n
