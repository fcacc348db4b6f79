import multiprocessing
import os
import sys


def leave(code):
    sys.exit(code)


def fail():
    raise ValueError("in the child")


processes = [
    multiprocessing.Process(target=leave, args=(3,)),
    multiprocessing.Process(target=leave, args=("text",)),
    multiprocessing.Process(target=fail),
    multiprocessing.Process(target=os.abort),
]
for process in processes:
    process.start()
    process.join()
    print(process.exitcode)
