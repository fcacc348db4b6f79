import warnings


def f():
    warnings.warn("at the caller", stacklevel=2)


f()
