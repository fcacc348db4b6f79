import sys

frame = sys._getframe()
print(frame.f_locals is frame.f_globals, frame.f_globals is globals(), frame.f_trace, frame.f_lasti > 0)
