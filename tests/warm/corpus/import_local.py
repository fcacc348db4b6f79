# files: helper.py=X = 1\nprint("imported as", __name__, __file__)\n
import helper

print(helper.X, helper, helper.__spec__.origin)
