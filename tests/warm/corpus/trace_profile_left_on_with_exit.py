# known: a profiler sees how the exit status is found
# status: 3
import os
import sys


def profiler(frame, event, arg):
    name = getattr(arg, "__name__", "") if event.startswith("c_") else ""
    os.write(1, f"{event} {frame.f_code.co_name} {name}\n".encode())


sys.setprofile(profiler)
sys.exit(3)
