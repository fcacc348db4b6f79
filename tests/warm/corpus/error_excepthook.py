# status: 1
import sys


def hook(kind, value, traceback):
    print("hook", kind.__name__, value, traceback.tb_lineno, traceback.tb_next)


sys.excepthook = hook
raise ValueError("to the hook")
