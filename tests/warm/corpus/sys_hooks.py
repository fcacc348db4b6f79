import sys

print(sys.excepthook is sys.__excepthook__, sys.displayhook is sys.__displayhook__)
print(sys.breakpointhook is sys.__breakpointhook__, sys.unraisablehook is sys.__unraisablehook__)
print(sys.gettrace(), sys.getprofile(), hasattr(sys, "ps1"), hasattr(sys, "last_value"))
