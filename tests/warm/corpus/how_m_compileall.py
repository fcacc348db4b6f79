# how: $ python3 -m py_compile /code/target.py
# files: target.py=x = = 1\n
# status: 1
