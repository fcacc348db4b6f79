# known: sys.modules is not what it is in a finalizing interpreter
# The last object of the module, when it goes, finds a module that is being taken apart.
import os
import sys


class Last:
    def __del__(self, write=os.write, sys=sys):
        write(1, f"{sys.is_finalizing()} {__name__} {len(globals())} {os}\n".encode())


keep = Last()
