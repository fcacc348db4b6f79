# how: $ python3 -m pdb /code/target.py
# files: target.py=x = 1\ny = x + 1\nprint(y)\n
# stdin: n\np x\nc\nq\n
