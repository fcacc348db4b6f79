exec("y = 2")
print(y, eval("__name__"), sorted(locals()) == sorted(globals()))  # noqa: F821
