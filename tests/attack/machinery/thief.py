"""Threat: what is shared with us is opened once more inside: to keep it, to read it empty.

    thief hold     a process left behind has every pipe and socket, so that no end of file comes
    thief eat      and reads what was meant for us, between our poll and our read
"""

import contextlib
import os
import stat
import sys
import time

import _kit

EATS = sys.argv[1] == "eat"


def again(fd: int) -> int:
    """Open what a descriptor is once more, for both directions, or keep a copy."""
    try:
        return os.open(f"/proc/self/fd/{fd}", os.O_RDWR | os.O_NONBLOCK)
    except OSError:
        return os.dup(fd)


def live(kept: list[int]) -> None:
    """Keep them; perhaps read."""
    while True:
        for fd in kept if EATS else ():
            with contextlib.suppress(OSError):
                os.read(fd, 1)
        time.sleep(0.001 if EATS else 1)


def act() -> None:
    """Leave a process that has what is open now."""
    pipes = _kit.of_kind(stat.S_ISFIFO)
    fresh = [fd for fd in pipes if os.fstat(fd).st_ino not in seen]
    seen.update(os.fstat(fd).st_ino for fd in fresh)
    if fresh and os.fork() == 0:
        os.setsid()
        live([again(fd) for fd in fresh])


seen: set[int] = set()
kept = [again(fd) for fd in (1, 2)]
if os.fork() == 0:
    os.setsid()
    live(kept)
_kit.hook(act)
