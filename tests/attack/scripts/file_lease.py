"""Threat: a lease on a file stalls whoever opens it on the host, for 45 s.

Layer: seccomp. It would succeed when a program may take one, here on a file of its own.
"""

import fcntl
import os

import _kit

PATH = "/tmp/leased"


def attack() -> str:
    """Take a lease for writing."""
    fd = os.open(PATH, os.O_RDWR | os.O_CREAT)
    try:
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    except OSError:
        return ""
    return "a lease for writing"


_kit.run(attack)
