# files: script.py=\xef\xbb\xbfprint("after a mark", __name__)\n
