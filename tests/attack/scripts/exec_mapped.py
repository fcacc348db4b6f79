"""Threat: as exec_dropped, by mapping the file executable instead of running it.

Layer: noexec. It would succeed when a file in a scratch directory maps with PROT_EXEC.
"""

import mmap
import os

import _kit


def attack() -> str | None:
    """Write a page to each and map it."""
    done = []
    for folder in ("/tmp", "/dev/shm", os.environ.get("HOME", "/tmp")):
        path = os.path.join(folder, "mapped")
        try:
            with open(path, "wb+") as file:
                file.write(b"\xc3" * mmap.PAGESIZE)
                file.flush()
                mmap.mmap(file.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
            done.append(folder)
        except OSError:
            pass
    return " ".join(done)


_kit.run(attack)
