"""Threat: vmsplice maps user pages into pipes (Dirty Pipe used its kin).

Layer: seccomp. It would succeed when the kernel itself answers vmsplice().
"""

import _kit

CALLS = [
    ("vmsplice", -1, None, 0, 0),
]


def attack() -> str | None:
    """Make each call with arguments that change nothing."""
    return _kit.reached(CALLS)


_kit.run(attack)
