"""Threat: personality turns off address randomisation and changes what the kernel emulates.

Layer: seccomp. It would succeed when the kernel itself answers a change.
"""

import _kit

CALLS = [
    ("personality", 0x0040000),
    ("personality", 0x0400000),
    ("personality", 0x0008),
]


def attack() -> str | None:
    """Make each call with arguments that change nothing."""
    return _kit.reached(CALLS)


_kit.run(attack)
