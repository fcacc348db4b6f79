"""Threat: removing a mount uncovers what it hides: a mask, or the directory below a tmpfs.

Layer: capabilities, and seccomp before them. It would succeed when a mount goes away.
"""

import _kit

MNT_DETACH = 2


def attack() -> str | None:
    """Detach everything that we can name."""
    paths = ("/tmp", "/proc", "/dev/shm", "/dev", "/attack", "/usr")
    return ", ".join(p for p in paths if _kit.syscall("umount2", p.encode(), MNT_DETACH)[1] == 0)


_kit.run(attack)
