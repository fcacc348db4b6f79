# files: script.py=\x0cprint("a")\n\x0c\nif 1:\n\x0c    print("b")\n\x1a
# status: 1
