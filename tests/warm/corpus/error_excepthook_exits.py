# status: 9
import sys


def hook(kind, value, traceback):
    sys.exit(9)


sys.excepthook = hook
raise ValueError("x")
