"""Threat: fanotify watches whole file systems.

Layer: seccomp. It would succeed when the kernel itself answers fanotify_init().
"""

import _kit

CALLS = [
    ("fanotify_init", 0x7FFFFFFF, 0),
    ("fanotify_init", 0x200, 0),
]


def attack() -> str | None:
    """Make each call with arguments that change nothing."""
    return _kit.reached(CALLS)


_kit.run(attack)
