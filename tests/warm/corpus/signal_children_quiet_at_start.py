# The process has no children that it did not start, and no signal came from one.
import os
import signal

seen = []
signal.signal(signal.SIGCHLD, lambda *_: seen.append(1))
try:
    os.wait()
except ChildProcessError as error:
    print(error, seen, signal.sigpending())
