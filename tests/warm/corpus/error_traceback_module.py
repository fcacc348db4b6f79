import sys
import traceback


def f():
    raise ValueError("shown by the module")


try:
    f()
except ValueError:
    traceback.print_exc()
    print(traceback.format_exc(), len(traceback.extract_tb(sys.exc_info()[2])))
