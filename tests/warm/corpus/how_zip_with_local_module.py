# how: zip
# files: helper.py=X = __file__\n
# files: pkg/__init__.py=\n
# files: pkg/deep.py=Y = __file__\n
import helper
import pkg.deep

print(helper.X, pkg.deep.Y, __file__)
