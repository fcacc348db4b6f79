# status: 1
import atexit
import sys


def look():
    frame = sys.last_traceback.tb_frame
    print(sys.last_type.__name__, sys.last_value, frame.f_code.co_name, frame.f_back)


atexit.register(look)
print(hasattr(sys, "last_type"))
raise ValueError("last")
