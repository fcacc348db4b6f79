import sys

print(sys._getframe().f_back)
try:
    sys._getframe(1)
except ValueError as error:
    print(error)
