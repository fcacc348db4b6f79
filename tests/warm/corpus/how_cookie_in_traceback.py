# files: script.py=# coding: latin-1\nx = "\xfc"\nraise ValueError("\xe9" + x)  # \xfc\n
# status: 1
