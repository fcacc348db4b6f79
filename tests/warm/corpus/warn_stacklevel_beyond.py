# Above the module there is nobody: the warning is said to come from sys:1.
import warnings


def f():
    warnings.warn("beyond", stacklevel=3)


f()
warnings.warn("far beyond", RuntimeWarning, stacklevel=50)
