"""Threat: a descriptor of the machinery stays open in a cell: control, start, calls, plan, trees.

It would succeed when anything but 0 to 2 is open, or when one of these is a socket.
"""

import os
import stat

from _warm import _kit


def attack() -> str | None:
    """Ask for each number, and count what /proc lists."""
    found = []
    for fd in range(4096):
        try:
            kind = os.fstat(fd).st_mode
        except OSError:
            continue
        if fd > 2 or stat.S_ISSOCK(kind):
            found.append(f"{fd} -> {os.readlink(f'/proc/self/fd/{fd}')}")
    listed = {int(name) for name in os.listdir("/proc/self/fd")}
    more = sorted(listed - set(range(4)))  # the first free one is the listing's own
    return ", ".join([*found, *(f"listed {fd}" for fd in more)])


_kit.run(attack, host=True)
