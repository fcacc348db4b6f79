# known: the function that ends the modules is on the stack of __del__
import os
import sys


class Last:
    def __del__(self, write=os.write, get=sys._getframe):
        frame = get()
        while frame:
            write(1, f"{frame.f_code.co_name}\n".encode())
            frame = frame.f_back


sys.last = Last()
