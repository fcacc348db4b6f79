"""Threat: migrate_pages, move_pages and mbind move memory, also of other processes.

Layer: seccomp. It would succeed when the kernel itself answers one of them.
"""

import _kit

CALLS = [
    ("migrate_pages", 1, 0, None, None),
    ("move_pages", 1, 0, None, None, None, 0x7F),
]


def attack() -> str | None:
    """Make each call with arguments that change nothing."""
    return _kit.reached(CALLS)


_kit.run(attack)
