# status: 1
# files: script.py=def f():\nreturn 1\n
