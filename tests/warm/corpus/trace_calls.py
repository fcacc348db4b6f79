import sys


def f():
    return 1


def tracer(frame, event, arg):
    print(event, frame.f_code.co_name, frame.f_lineno)
    return tracer


sys.settrace(tracer)
f()
sys.settrace(None)
print("end")
