"""Threat: kcmp and pidfd_getfd compare and take descriptors of other processes.

Layer: seccomp. It would succeed when the kernel itself answers one of them.
"""

import _kit

CALLS = [
    ("kcmp", 1, 1, 99, 0, 0),
    ("pidfd_getfd", -1, 0, 0),
]


def attack() -> str | None:
    """Make each call with arguments that change nothing."""
    return _kit.reached(CALLS)


_kit.run(attack)
