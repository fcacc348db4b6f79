# how: $ python3 -m doctest /code/doc.py
# files: doc.py='''\n>>> 1 + 1\n3\n'''\n
# status: 1
