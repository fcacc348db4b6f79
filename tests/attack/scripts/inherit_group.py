"""Threat: kill(0) reaches the caller's process group, whatever the pid namespace.

Layer: session. It would succeed when our process group is one from outside (it shows as 0), or
when the test's sentinel in the caller's group gets the signal.
"""

import os
import signal

import _kit


def attack() -> str | None:
    """Send SIGURG, which everybody else ignores, to the group."""
    signal.signal(signal.SIGURG, signal.SIG_IGN)
    os.kill(0, signal.SIGURG)
    return "the group is from outside" if os.getpgrp() == 0 or os.getsid(0) == 0 else None


_kit.run(attack)
