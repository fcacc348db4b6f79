"""Threat: userfaultfd stops the kernel in the middle of a copy: the lever of many exploits.

Layer: seccomp. It would succeed when the kernel itself answers userfaultfd().
"""

import _kit

CALLS = [
    ("userfaultfd", 0x7FFFFFFF),
    ("userfaultfd", 1),
]


def attack() -> str | None:
    """Make each call with arguments that change nothing."""
    return _kit.reached(CALLS)


_kit.run(attack)
