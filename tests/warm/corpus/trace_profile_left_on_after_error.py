# status: 1
import os
import sys


def profiler(frame, event, arg):
    name = getattr(arg, "__name__", "") if event.startswith("c_") else ""
    os.write(1, f"{event} {frame.f_code.co_name} {name}\n".encode())


sys.setprofile(profiler)
raise ValueError
