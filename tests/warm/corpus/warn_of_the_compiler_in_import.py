# files: helper.py=X = "\\d"\n
import helper

print(helper.X)
