"""Threat: cgroup paths name the host's slices, users, and other sandboxes.

Layer: cgroup namespace. It would succeed when a path other than the root is shown.
"""

import _kit


def attack() -> str | None:
    """Read our own membership, and look for a mounted hierarchy."""
    with open("/proc/self/cgroup", encoding="utf-8") as file:
        paths = {line.rstrip("\n").split(":", 2)[2] for line in file}
    return ", ".join(sorted(paths - {"/"}))


_kit.run(attack)
