"""Threat: the new mount interface: whoever can call it can build a file system view.

Layer: seccomp. It would succeed when the kernel itself answers one of its calls.
"""

import _kit

CALLS = [
    ("open_tree", -1, None, 0x7FFF0000),
    ("move_mount", -1, None, -1, None, 0x7FFF0000),
    ("fsopen", None, 0x7FFF0000),
    ("fsconfig", -1, 77, None, None, 0),
    ("fsmount", -1, 0x7FFF0000, 0),
    ("fspick", -1, None, 0x7FFF0000),
    ("mount_setattr", -1, None, 0x7FFF0000, None, 0),
]


def attack() -> str | None:
    """Make each call with arguments that change nothing."""
    return _kit.reached(CALLS)


_kit.run(attack)
