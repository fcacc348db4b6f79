# how: dir
# files: helper.py=X = __file__\n
import helper

print(helper.X, __file__)
