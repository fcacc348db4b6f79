"""Threat: files of the nursery or of an earlier run are in a cell's scratch directories.

It would succeed when one is not empty. It leaves files behind for the next run; with an argument
it looks again afterwards.
"""

import os
import sys

from _warm import _kit

FOLDERS = ("/tmp", "/dev/shm", os.environ["HOME"], "/tmp/.glovebox", "/var/tmp")


def left() -> list[str]:
    """List what is there."""
    return [f"{top}/{name}" for top in FOLDERS if os.path.isdir(top) for name in os.listdir(top)]


def attack() -> str | None:
    """Look, and leave something."""
    found = left()
    for top in FOLDERS[:3]:
        with open(f"{top}/left-behind", "w", encoding="ascii") as file:
            file.write("mine")
    return ", ".join(left() if sys.argv[1:] else found)


_kit.run(attack)
