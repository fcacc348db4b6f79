import sys

a, b = "".join(["x", " y"]), "".join(["x ", "y"])
print(a is b, sys.intern(a) is sys.intern(b), int("256") is int("256"), tuple([]) is tuple())
