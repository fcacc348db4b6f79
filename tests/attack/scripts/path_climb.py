"""Threat: a descriptor taken without rights (O_PATH) leads above the root.

Layer: a root of its own from which the host's is detached. It would succeed when climbing by
'..' from any directory descriptor, or an absolute link, arrives anywhere but at our root, or
when the host's secret, whose path is the argument, can be reached.
"""

import os
import sys

import _kit

O_PATH = 0o10000000


def attack() -> str | None:
    """Climb from every directory that we can name and every descriptor that we hold."""
    root = os.stat("/")
    found = []
    starts = [
        os.open(place, O_PATH)
        for place in ("/", "/tmp", "/proc/self/root", "/proc/self/cwd", "/usr/bin")
    ]
    for start in starts:
        top = os.stat("/".join([".."] * 64), dir_fd=start)
        if (top.st_dev, top.st_ino) != (root.st_dev, root.st_ino):
            found.append(f"descriptor {start} climbs out")
    secret = sys.argv[1]
    for path in (
        secret,
        f"/proc/self/root{secret}",
        f"/proc/1/root{secret}",
        f"/proc/1/cwd{secret}",
    ):
        if os.path.exists(path):
            found.append(path)
    return ", ".join(found)


_kit.run(attack, host=True)
