"""Threat: as limit_memory, in shared memory that outlives the process that made it.

Layer: the cgroup's memory limit, which counts it. It would succeed when the number of
MiB given as argument can be had in memfds and System V segments together.
"""

import ctypes
import os
import sys

import _kit

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.shmat.restype = ctypes.c_void_p
PART = 8 << 20


def system_v() -> bool:
    """Fill one segment."""
    segment = LIBC.shmget(0, ctypes.c_size_t(PART), 0o1600)
    address = LIBC.shmat(segment, None, 0) if segment >= 0 else None
    if address in (None, ctypes.c_void_p(-1).value):
        return False
    ctypes.memset(address, 1, PART)
    LIBC.shmdt(ctypes.c_void_p(address))
    return True


def memfd() -> bool:
    """Fill one memfd, and keep it open."""
    return os.write(os.memfd_create("fill"), bytes(PART)) == PART


def attack() -> str | None:
    """Take parts by each way in turn."""
    had, wanted = 0, int(sys.argv[1]) << 20
    while had < wanted:
        had += PART * (system_v() + memfd())
    return f"{had >> 20} MiB"


_kit.run(attack)
