import sys

print(sys.exc_info(), list(sys._current_exceptions().values()))
