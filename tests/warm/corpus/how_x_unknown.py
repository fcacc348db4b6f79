# how: $ python3 -X anything=1 /code/script.py
# warm: auto
import sys

print(sys._xoptions)
