# how: dir
import sys

frame = sys._getframe()
while frame:
    print(frame.f_code.co_name, frame.f_code.co_filename)
    frame = frame.f_back
