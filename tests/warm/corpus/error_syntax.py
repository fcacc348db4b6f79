# status: 1
# files: script.py=x = 1\nprint("a"\ny = 2\n
