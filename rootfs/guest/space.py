"""space - names the directory in memory that was full when code failed.

A full tmpfs is met as ENOSPC, or as what a library makes of it (lxml: "IO_WRITE"): the file systems
themselves are asked. A volume, which may not answer, is asked only where ENOSPC was the error.
"""

from __future__ import annotations

import builtins

__builtins__ = dict(vars(builtins))  # of the functions below; from here on only theirs

import errno
from os import statvfs

# Every face that has sessions has --memory; the others are flags of those that are named.
OWN = {
    "/tmp": "a larger --memory (session new: --tmpfs /tmp:size=SIZE)",
    "/dev/shm": "--shm-size SIZE (session new, serve)",
}
PLACES = {"/workspace": "", "/output": ""}
LEAST = 65536  # free bytes, or a 32nd of all: with less it is full

_get_errno = OSError.errno.__get__  # type: ignore[attr-defined]


def lines(error: BaseException) -> list[str]:
    """Return a line for each place that is full."""
    asked = OWN | PLACES if issubclass(type(error), OSError) and _get_errno(error) == errno.ENOSPC else OWN
    return [f"[SPACE] {place} is full ({_size(size)}): remove files{f', or start with {flag}' if flag else ''}\n"
            for place, flag in asked.items() if (size := _full(place))]  # fmt: skip


def _full(place: str) -> int:
    """Return the size of a file system that is full; 0: it is not."""
    try:
        seen = statvfs(place)
    except OSError:
        return 0
    size, free = seen.f_blocks * seen.f_frsize, seen.f_bavail * seen.f_frsize
    return size if free < min(LEAST, size // 32) or (seen.f_files and not seen.f_favail) else 0


def _size(size: int) -> str:
    """Return it as a flag has it."""
    for unit, letter in ((1 << 30, "g"), (1 << 20, "m"), (1 << 10, "k")):
        if size % unit == 0:
            return f"{size // unit}{letter}"
    return str(size)
