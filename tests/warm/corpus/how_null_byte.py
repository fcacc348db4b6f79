# files: script.py=print("a")\nprint("b\x00c")\n
# status: 1
