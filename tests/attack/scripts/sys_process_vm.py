"""Threat: process_vm_readv and writev reach into the memory of other processes.

Layer: seccomp. It would succeed when the kernel itself answers one of them.
"""

import _kit

CALLS = [
    ("process_vm_readv", 1, None, 0, None, 0, 0),
    ("process_vm_writev", 1, None, 0, None, 0, 0),
    ("process_madvise", -1, None, 0, 0, 0),
]


def attack() -> str | None:
    """Make each call with arguments that change nothing."""
    return _kit.reached(CALLS)


_kit.run(attack)
