# files: script.py=print("a")\rprint("b")\r
