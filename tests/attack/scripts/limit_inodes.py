"""Threat: empty files cost inodes, not bytes: 140,000 of them in /tmp and /dev/shm.

Layer: the inode limit of each tmpfs. It would succeed when more files than the number given
can be made in one of the directories named after it.
"""

import os
import sys

import _kit


def files(folder: str, most: int) -> int:
    """Make empty files until it fails."""
    try:
        for count in range(most):
            os.close(os.open(f"{folder}/{count}", os.O_CREAT | os.O_WRONLY))
    except OSError:
        return count
    return most


def attack() -> str | None:
    """Fill each directory ($HOME is understood)."""
    most = int(sys.argv[1])
    folders = [os.path.expandvars(name) for name in sys.argv[2:]]
    return " ".join(folder for folder in folders if files(folder, most) == most)


_kit.run(attack)
