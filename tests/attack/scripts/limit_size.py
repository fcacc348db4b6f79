"""Threat: a scratch directory is filled until the host's memory is.

Layer: the size of each tmpfs. It would succeed when more MiB than the number given fit into
one of the directories named after it.
"""

import os
import sys

import _kit


def fits(folder: str, mebibytes: int) -> bool:
    """Write a file of that size and remove it."""
    path = f"{folder}/fill"
    try:
        with open(path, "wb", buffering=0) as file:
            for _ in range(mebibytes):
                file.write(bytes(1 << 20))
        return os.path.getsize(path) == mebibytes << 20
    except OSError:
        return False
    finally:
        os.unlink(path)


def attack() -> str | None:
    """Fill each directory ($HOME is understood)."""
    folders = [os.path.expandvars(name) for name in sys.argv[2:]]
    return " ".join(folder for folder in folders if fits(folder, int(sys.argv[1])))


_kit.run(attack)
