"""Threat: as limit_memory, but in files of a tmpfs, which belong to no process.

Layer: tmpfs counts towards the cgroup's memory. It would succeed when the number of MiB given
as argument fits into /tmp.
"""

import errno
import sys

import _kit


def attack() -> str | None:
    """Write it, in one file that is never closed."""
    with open("/tmp/fill", "wb", buffering=0) as file:
        for _ in range(int(sys.argv[1])):
            try:
                file.write(bytes(1 << 20))
            except OSError as error:
                assert error.errno == errno.ENOSPC
                return None
    return f"{sys.argv[1]} MiB"


_kit.run(attack)
