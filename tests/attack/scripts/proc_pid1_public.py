"""Threat: even what the world may read of pid 1 tells of the host: arguments, name, mounts.

Layer: hidepid. It would succeed when pid 1 can be seen at all through /proc.
"""

import os

import _kit


def attack() -> str | None:
    """Look for pid 1 in the list, and read its public files."""
    found = ["listed"] if "1" in os.listdir("/proc") else []
    names = ("cmdline", "comm", "stat", "status", "mountinfo", "mounts", "cgroup", "limits")
    found.append(_kit.readable(*(f"/proc/1/{name}" for name in names)))
    return ", ".join(filter(None, found))


_kit.run(attack)
