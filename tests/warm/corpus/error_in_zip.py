# how: zip
# status: 1
# files: helper.py=def f():\n    raise ValueError("in the archive")\n
import helper

helper.f()
