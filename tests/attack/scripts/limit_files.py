"""Threat: open files fill the kernel's table for everybody.

Layer: rlimits. It would succeed when more than the number given can be held open.
"""

import os
import resource
import sys

import _kit


def attack() -> str | None:
    """Raise the soft limit as far as it goes, and open until it fails."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        for _ in range(int(sys.argv[1])):
            os.open("/dev/null", os.O_RDONLY)
    except OSError:
        return None
    return f"{sys.argv[1]} descriptors"


_kit.run(attack)
