# status: 1
# files: script.py=b"values = [" + b"1, " * 400 + b"2]; 1 / 0\n"
