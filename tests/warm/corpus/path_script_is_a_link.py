# The directory of what the link leads to goes into sys.path; __file__ is the link.
# how: $ python3 /code/link.py
# files: real/target.py=import sys, near\nprint(__file__, sys.argv, sys.path[0], near.X)\n
# files: real/near.py=X = "near the target"\n
# files: near.py=X = "near the link"\n
