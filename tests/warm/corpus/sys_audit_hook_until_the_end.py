# known: the interpreter is not taken to pieces
import os
import sys


def hook(name, args, write=os.write):
    write(1, f"{name}\n".encode())


sys.addaudithook(hook)
