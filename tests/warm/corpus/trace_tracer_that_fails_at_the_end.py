import sys


def tracer(frame, event, arg):
    raise ValueError("in the tracer")


sys.settrace(tracer)
