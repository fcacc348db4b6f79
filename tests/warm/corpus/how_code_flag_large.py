# how: $ python3 /code/script.py
# files: script.py=b"x = 1  # " + b"y" * 90 + b"\n" + b"x += 1\n" * 20000 + b"print(x)\n"
