# files: script.py=print("a")\nx = "\xff"\n
# status: 1
