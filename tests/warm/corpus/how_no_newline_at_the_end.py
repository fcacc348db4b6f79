# files: script.py=print("last line without an end")
