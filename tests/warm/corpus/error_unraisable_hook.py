import sys

sys.unraisablehook = lambda about: print("hook", about.exc_value, about.err_msg)


class Thing:
    def __del__(self):
        raise ValueError("x")


Thing()
