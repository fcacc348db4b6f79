"""Threat: quotactl changes the limits of file systems.

Layer: seccomp. It would succeed when the kernel itself answers one of the two calls.
"""

import _kit

CALLS = [
    ("quotactl", 0x7FFFFF00, None, 0, None),
    ("quotactl_fd", -1, 0x7FFFFF00, 0, None),
]


def attack() -> str | None:
    """Make each call with arguments that change nothing."""
    return _kit.reached(CALLS)


_kit.run(attack)
