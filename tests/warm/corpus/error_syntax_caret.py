# status: 1
# files: script.py=print("not reached")\nif x = 3:\n    pass\n
