"""Threat: a file that the caller of glovebox had open is open in the sandbox, too.

Layer: close-fds. It would succeed when a descriptor beyond the standard three can be read or
is not the one that the listing itself needs.
"""

import os

import _kit


def attack() -> str | None:
    """Look at each descriptor, and at /proc's list of them."""
    found = []
    for fd in range(3, 1024):
        try:
            os.fstat(fd)
        except OSError:
            continue
        try:
            found.append(f"{fd}: {os.pread(fd, 40, 0)!r}")
        except OSError:
            found.append(f"{fd} -> {os.readlink(f'/proc/self/fd/{fd}')}")
    return ", ".join(found)


_kit.run(attack)
