"""Threat: a `timeout` inside the sandbox is a process like others: it can be stopped.

Layer: the supervisor's deadline lives outside. It would succeed when, with the `timeout` that
runs us stopped, we live on for the seconds given as argument.
"""

import os
import signal
import sys
import time

import _kit


def attack() -> str | None:
    """Stop our parent, which is `timeout`, and wait; end it when that was long enough."""
    os.kill(os.getppid(), signal.SIGSTOP)
    time.sleep(float(sys.argv[1]))
    print("ESCAPED", flush=True)  # with `timeout`, which is the program, all of us end
    os.kill(os.getppid(), signal.SIGKILL)
    return "it outlived its deadline"


_kit.run(attack)
