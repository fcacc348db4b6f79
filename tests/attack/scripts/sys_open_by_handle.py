"""Threat: open_by_handle_at opens files by number, past every mount (Shocker, 2014).

Layer: seccomp. It would succeed when the kernel itself answers a call on file handles.
"""

import _kit

CALLS = [
    ("name_to_handle_at", -1, b"", None, None, 0x1000),
    ("open_by_handle_at", -1, None, 0),
]


def attack() -> str | None:
    """Make each call with arguments that change nothing."""
    return _kit.reached(CALLS)


_kit.run(attack)
