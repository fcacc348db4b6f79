# status: 1
# files: script.py=if True:\n        x = 1\n\ty = 2\n
