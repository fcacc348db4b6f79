"""Threat: memory taken until the host's own programs are killed.

Layer: the cgroup's memory limit. It would succeed when the number of MiB given as argument
can be had; the sandbox is killed before.
"""

import mmap
import sys

import _kit


def attack() -> str | None:
    """Touch every page."""
    size = int(sys.argv[1]) << 20
    area = mmap.mmap(-1, size)
    for offset in range(0, size, mmap.PAGESIZE):
        area[offset] = 1
    return f"{sys.argv[1]} MiB"


_kit.run(attack)
