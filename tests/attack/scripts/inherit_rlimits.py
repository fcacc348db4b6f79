"""Threat: limits that the caller had are not those that were decided on.

Layer: rlimits. It would succeed when the soft limit on open files is the odd number that the
test gave to glovebox.
"""

import resource
import sys

import _kit


def attack() -> str | None:
    """Read it."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return f"the limit is {soft}" if soft == int(sys.argv[1]) else None


_kit.run(attack)
