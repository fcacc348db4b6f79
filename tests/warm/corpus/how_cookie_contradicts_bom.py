# files: script.py=\xef\xbb\xbf# coding: latin-1\nprint(1)\n
# status: 1
