import warnings


def f():
    warnings.warn("shown with its line", stacklevel=1)


f()
f()
