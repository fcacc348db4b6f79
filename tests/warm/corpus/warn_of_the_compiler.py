# files: script.py=print("\\d", 1 is 1)\nassert (1, "always true")\n
