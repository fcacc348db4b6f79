"""Threat: memfd_secret hides memory from the supervisor and pins it unswappably.

Layer: seccomp. It would succeed when the kernel itself answers memfd_secret().
"""

import _kit

CALLS = [
    ("memfd_secret", 0),
]


def attack() -> str | None:
    """Make each call with arguments that change nothing."""
    return _kit.reached(CALLS)


_kit.run(attack)
