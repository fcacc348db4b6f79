import sys

print(sys.flags, sys._xoptions, sys.warnoptions)
