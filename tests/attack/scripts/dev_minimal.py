"""Threat: a device node is a door into a driver: disks, memory, kvm, fuse, loop, tty.

Layer: a /dev made from nothing. It would succeed when it holds more than the harmless set,
or when a harmless name is another device.
"""

import os
import stat

import _kit

DEVICES = {
    "null": (1, 3),
    "zero": (1, 5),
    "full": (1, 7),
    "random": (1, 8),
    "urandom": (1, 9),
    "tty": (5, 0),
}
LINKS = {"fd", "stdin", "stdout", "stderr", "ptmx", "core"}
FOLDERS = {"shm", "pts", "mqueue"}


def allowed(name: str) -> bool:
    """Say whether an entry of /dev is what a minimal one holds."""
    info = os.lstat(f"/dev/{name}")
    if stat.S_ISLNK(info.st_mode):
        return name in LINKS
    if stat.S_ISDIR(info.st_mode):
        return name in FOLDERS and name != "core"
    number = (os.major(info.st_rdev), os.minor(info.st_rdev))
    return stat.S_ISCHR(info.st_mode) and DEVICES.get(name) == number


def attack() -> str | None:
    """List what should not be there."""
    extra = [name for name in os.listdir("/dev") if not allowed(name)]
    terminals = os.listdir("/dev/pts") if os.path.isdir("/dev/pts") else []
    return " ".join(extra + [f"pts/{name}" for name in terminals if name != "ptmx"])


_kit.run(attack, host=True)
