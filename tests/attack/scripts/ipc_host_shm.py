"""Threat: System V shared memory of the host's programs.

Layer: ipc namespace. It would succeed when the test's segment, whose key is the argument, is
found.
"""

import ctypes
import sys

import _kit


def attack() -> str | None:
    """Ask for it."""
    segment = ctypes.CDLL(None).shmget(int(sys.argv[1]), 0, 0)
    return f"segment {segment}" if segment >= 0 else None


_kit.run(attack)
