"""Threat: the host's name tells whose machine this is.

Layer: hostname. It would succeed when ours is the host's, which is the argument.
"""

import os
import sys

import _kit


def attack() -> str | None:
    """Compare."""
    return os.uname().nodename if os.uname().nodename == sys.argv[1] else None


_kit.run(attack)
