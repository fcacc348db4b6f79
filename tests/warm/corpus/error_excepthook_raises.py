# status: 1
import sys


def hook(kind, value, traceback):
    raise TypeError("the hook is broken")


sys.excepthook = hook
raise ValueError("first")
