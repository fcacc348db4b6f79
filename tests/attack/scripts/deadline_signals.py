"""Threat: a program that ignores every signal, so that a polite deadline passes it by.

Layer: the supervisor's deadline ends in SIGKILL. It would succeed when we live on for the
seconds given as argument.
"""

import contextlib
import signal
import sys
import time

import _kit


def attack() -> str | None:
    """Ignore and block everything, and wait."""
    for number in signal.valid_signals():
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    time.sleep(float(sys.argv[1]))
    return "it outlived its deadline"


_kit.run(attack)
