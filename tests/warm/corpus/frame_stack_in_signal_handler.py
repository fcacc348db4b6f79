import signal
import sys


def handler(number, frame):
    while frame:
        print(frame.f_code.co_name)
        frame = frame.f_back


signal.signal(signal.SIGUSR1, handler)
signal.raise_signal(signal.SIGUSR1)
print(sys._getframe().f_back)
