"""Threat: a set-uid program left in a writable volume: as root, files there belong to the
directory's owner, so that any user of the host who runs it becomes that owner.

Layer: seccomp refuses every call that sets the bits. It would succeed when a file or directory
below /output carries S_ISUID or S_ISGID; the test looks from outside, too.
"""

import contextlib
import ctypes
import os
import stat

import _kit

BITS = stat.S_ISUID | stat.S_ISGID


def openat2(path: str) -> None:
    """Make a file by the call whose mode lies in memory."""
    how = (ctypes.c_uint64 * 3)(os.O_CREAT | os.O_WRONLY, BITS | 0o755, 0)
    fd, _ = _kit.syscall("openat2", -100, path.encode(), how, 24)
    if fd >= 0:
        os.close(fd)


def by_descriptor(path: str) -> None:
    """Set the bits through a descriptor."""
    with open(path, "w", encoding="ascii") as file:
        os.fchmod(file.fileno(), BITS | 0o755)


def afterwards(path: str) -> None:
    """Make a plain file and set the bits by name."""
    open(path, "w", encoding="ascii").close()
    os.chmod(path, BITS | 0o755)


WAYS = {
    "chmod": afterwards,
    "fchmod": by_descriptor,
    "fchmodat": lambda p: os.chmod(
        os.path.basename(p), BITS | 0o755, dir_fd=os.open("/output", os.O_RDONLY)
    ),
    "fchmodat2": lambda p: _kit.syscall("fchmodat2", -100, p.encode(), BITS | 0o755, 0),
    "open": lambda p: os.close(os.open(p, os.O_CREAT | os.O_WRONLY, BITS | 0o755)),
    "openat2": openat2,
    "mknod": lambda p: os.mknod(p, BITS | 0o755 | stat.S_IFREG),
    "mkdir": lambda p: os.mkdir(p, BITS | 0o755),
    "mkfifo": lambda p: os.mkfifo(p, BITS | 0o755),
}


def attack() -> str | None:
    """Try every way, each on a file of its own."""
    os.umask(0)
    for name, way in WAYS.items():
        path = f"/output/{name}"
        if name in ("fchmodat", "fchmodat2"):
            open(path, "w", encoding="ascii").close()
        with contextlib.suppress(OSError):
            way(path)
    return " ".join(n for n in os.listdir("/output") if os.lstat(f"/output/{n}").st_mode & BITS)


_kit.run(attack)
