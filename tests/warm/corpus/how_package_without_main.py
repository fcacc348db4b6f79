# how: -m pkg
# files: pkg/__init__.py=print("init")\n
# status: 1
