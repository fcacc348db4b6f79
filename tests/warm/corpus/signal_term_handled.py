import os
import signal
import sys


def stop(number, frame):
    print("stopped", frame.f_code.co_name)
    sys.exit(5 - 5)


signal.signal(signal.SIGTERM, stop)
os.kill(os.getpid(), signal.SIGTERM)
print("never")
