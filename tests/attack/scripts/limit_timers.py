"""Threat: pending timers and signals: each is unswappable kernel memory (60,000 in Docker).

Layer: rlimits. It would succeed when more of them than the number given can be pending.
"""

import ctypes
import os
import signal
import sys

import _kit


def timers(most: int) -> int:
    """Create timers until it fails."""
    which = ctypes.create_string_buffer(8)
    for count in range(most):
        if _kit.syscall("timer_create", 0, None, which)[1]:
            return count
    return most


def signals(most: int) -> int:
    """Queue a blocked real-time signal until it fails."""
    libc = ctypes.CDLL(None)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN + 5])
    for count in range(most):
        if libc.sigqueue(os.getpid(), signal.SIGRTMIN + 5, ctypes.c_void_p(1)):
            return count
    return most


def attack() -> str | None:
    """Count what can be had of both."""
    most = int(sys.argv[1])
    found = {"signals": signals(most), "timers": timers(most)}
    return ", ".join(f"{count} {name}" for name, count in found.items() if count >= most)


_kit.run(attack)
