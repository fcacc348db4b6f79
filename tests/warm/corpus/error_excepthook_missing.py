# status: 1
import sys

del sys.excepthook
raise ValueError("no hook")
