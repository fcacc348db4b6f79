# how: $ python3 -X dev /code/script.py
# warm: auto
import sys

print(sys.flags.dev_mode, sys._xoptions, sys.warnoptions)
