"""Threat: signals reach processes of the host.

Layer: pid namespace. It would succeed when the sentinel, whose pid on the host is the argument,
exists for us, or gets the signal.
"""

import os
import signal
import sys

import _kit


def attack() -> str | None:
    """Send it SIGURG."""
    try:
        os.kill(int(sys.argv[1]), signal.SIGURG)
    except ProcessLookupError:
        return None
    except PermissionError:
        return "it is there, but is another user's"
    return "it was signalled"


_kit.run(attack, host=True)
