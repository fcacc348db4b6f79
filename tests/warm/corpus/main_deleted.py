import sys

del sys.modules["__main__"]
print(__name__, "still here")
