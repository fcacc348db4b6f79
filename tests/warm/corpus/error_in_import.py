# status: 1
# files: helper.py=def f():\n    return g()\ndef g():\n    raise KeyError("deep")\n
import helper

helper.f()
