"""Ways to end, by name. No attack: a warm run must end as a cold one."""

import ctypes
import os
import signal
import sys
import time


def close_streams() -> None:
    """Work on without streams, as a daemon does."""
    os.closerange(0, 3)
    time.sleep(0.05)
    os._exit(3)


def leave_child() -> None:
    """Leave a child that holds the streams."""
    if os.fork() == 0:
        time.sleep(60)
    os._exit(4)


def null_call() -> None:
    """Jump to nowhere."""
    ctypes.CFUNCTYPE(ctypes.c_int)(0)()


WAYS = {
    "close_streams": close_streams,
    "leave_child": leave_child,
    "null_call": null_call,
    "_exit": lambda: os._exit(7),
    "exit_big": lambda: sys.exit(300),
    "exit_text": lambda: sys.exit("said"),
    "abort": os.abort,
    "sigkill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "sigterm": lambda: os.kill(os.getpid(), signal.SIGTERM),
    "sigsegv": lambda: ctypes.string_at(0),
    "exec": lambda: os.execv("/bin/sh", ["sh", "-c", "echo $$; exit 9"]),
    "exec_python": lambda: os.execv(sys.executable, ["python3", "-c", "print('new'); exit(5)"]),
    "raise": lambda: 1 / 0,
    "interrupt": lambda: os.kill(os.getpid(), signal.SIGINT),
}

if __name__ == "__main__":
    WAYS[sys.argv[1]]()
    time.sleep(5)  # a signal is on its way
