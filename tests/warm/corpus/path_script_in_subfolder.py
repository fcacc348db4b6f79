# how: $ python3 /code/sub/main.py
# files: sub/main.py=import sys, near\nprint(__file__, sys.path[0], near.X)\n
# files: sub/near.py=X = "near"\n
# files: near.py=X = "far"\n
