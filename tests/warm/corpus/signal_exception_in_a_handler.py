# status: 1
import os
import signal


def fail(number, frame):
    raise ValueError(f"signal {number}")


def work():
    os.kill(os.getpid(), signal.SIGUSR2)
    return 1


signal.signal(signal.SIGUSR2, fail)
work()
