# how: $ python3 -m trace --trace /code/target.py
# files: target.py=x = 1\nprint(x)\n
