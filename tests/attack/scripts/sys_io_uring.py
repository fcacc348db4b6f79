"""Threat: io_uring does what other calls are denied, past the filter; dozens of kernel exploits.

Layer: seccomp. It would succeed when the kernel itself answers one of its calls.
"""

import _kit

CALLS = [
    ("io_uring_setup", 1, None),
    ("io_uring_enter", -1, 0, 0, 0, None, 0),
    ("io_uring_register", -1, 0, None, 0),
]


def attack() -> str | None:
    """Make each call with arguments that change nothing."""
    return _kit.reached(CALLS)


_kit.run(attack)
