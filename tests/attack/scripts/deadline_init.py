"""Threat: the sandbox's own pid 1 is stopped, so that nobody obeys the supervisor.

Layer: pid 1 takes no signals from inside, and the deadline needs no help from it. It would
succeed when we live on for the seconds given as argument.
"""

import contextlib
import os
import signal
import sys
import time

import _kit


def attack() -> str | None:
    """Send pid 1 everything, and wait."""
    for number in sorted(signal.valid_signals()):
        with contextlib.suppress(OSError):
            os.kill(1, number)
    time.sleep(float(sys.argv[1]))
    return "it outlived its deadline"


_kit.run(attack)
