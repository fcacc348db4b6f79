# status: 1
import os
import sys


def hook(name, args):
    os.write(1, f"{name}\n".encode())


sys.addaudithook(hook)
raise ValueError
