"""Threat: processes that do not end when they are told to, or stand where nobody looks.

    crowd bomb        fork without end
    crowd deaf        ignore every signal
    crowd stopped     stop everybody, ourselves too
    crowd vfork       parents that sleep until a child that sleeps has ended
    crowd orphans     a tree whose members all belong to pid 1, in sessions of their own
    crowd forks       end and be born anew faster than a list is read
"""

import contextlib
import os
import signal
import sys
import time

import _kit


def bomb() -> None:
    """Fork without end."""
    while True:
        with contextlib.suppress(OSError):
            os.fork()


def deaf() -> None:
    """Ignore what can be ignored."""
    for number in range(1, 65):
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)
    while True:
        with contextlib.suppress(KeyboardInterrupt):
            time.sleep(1)


def stopped() -> None:
    """Stop all, and this process as the last."""
    if os.fork() == 0:
        deaf()
    time.sleep(0.1)
    _kit.stop_others()
    os.kill(os.getpid(), signal.SIGSTOP)


def vfork() -> None:
    """Leave parents that sleep in vfork(2): their children never execute anything."""
    for _ in range(8):
        if os.fork() == 0:
            os.setsid()
            _kit.LIBC.vfork()  # the child goes on here, in its parent's memory
            while True:
                time.sleep(1)
    time.sleep(0.3)


def orphans() -> None:
    """Leave processes that nobody waits for."""
    for _ in range(20):
        if os.fork() == 0:
            os.setsid()
            if os.fork():
                os._exit(0)
            deaf()
    with contextlib.suppress(OSError):
        while os.wait():
            pass


def forks() -> None:
    """Leave processes each of which lives as long as it takes to have a child."""
    for _ in range(8):
        with contextlib.suppress(BlockingIOError):  # those before may have filled the limit by now
            if os.fork() == 0:
                os.setsid()
                while True:
                    with contextlib.suppress(OSError):
                        if os.fork():
                            os._exit(0)


act = globals()[sys.argv[1]]
print("ready", flush=True)
if sys.argv[2:]:  # in a call that ends
    if sys.argv[1] in ("vfork", "orphans", "forks"):
        act()
    elif os.fork() == 0:
        os.setsid()
        act()
else:
    act()
    deaf()
