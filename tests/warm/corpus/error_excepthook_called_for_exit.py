# status: 4
import sys

sys.excepthook = lambda *a: print("not for SystemExit")
sys.exit(4)
