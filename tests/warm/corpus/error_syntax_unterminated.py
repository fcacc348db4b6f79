# status: 1
# files: script.py=text = "no end\n
