"""Threat: standard output is a file that the caller opened: it can be read, truncated, locked,
or opened again with other rights through /proc/self/fd/1.

Layer: stdio (pipes of the supervisor's own). It would succeed when one of the three streams is
a regular file or a terminal.
"""

import os
import stat

import _kit


def attack() -> str | None:
    """Look at what they are."""
    found = []
    for fd in (0, 1, 2):
        if stat.S_ISREG(os.fstat(fd).st_mode):
            found.append(f"{fd} is a file of {os.fstat(fd).st_size} bytes")
        if os.isatty(fd):
            found.append(f"{fd} is a terminal")
    return ", ".join(found)


_kit.run(attack)
