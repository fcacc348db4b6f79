"""Threat: pid 1 gets no CPU any more, so that killing it takes as long as a program likes.

Layer: seccomp. It would succeed when a call that sets how pid 1 is scheduled, or what its limits
are, finds it: it has the program's own uid.
"""

import ctypes
import os
import platform
import resource
from collections.abc import Callable

import _kit

IOPRIO_SET = 251 if platform.machine() == "x86_64" else 30
libc = ctypes.CDLL(None, use_errno=True)


def ioprio_set(which: int, who: int) -> None:
    """Ask for the idle class."""
    if libc.syscall(IOPRIO_SET, which, who, 3 << 13) < 0:
        raise OSError(ctypes.get_errno(), "ioprio_set")


CALLS: dict[str, Callable[[], object]] = {
    "policy": lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0)),
    "parameter": lambda: os.sched_setparam(1, os.sched_param(0)),
    "affinity": lambda: os.sched_setaffinity(1, {min(os.sched_getaffinity(0))}),
    "nice": lambda: os.setpriority(os.PRIO_PROCESS, 1, 19),
    "nice of its group": lambda: os.setpriority(os.PRIO_PGRP, 1, 19),
    "nice of its user": lambda: os.setpriority(os.PRIO_USER, 0, 19),
    "limit": lambda: resource.prlimit(1, resource.RLIMIT_NOFILE, (9, 9)),
    "io": lambda: ioprio_set(1, 1),
    "io of its user": lambda: ioprio_set(3, os.getuid()),
}


def attack() -> str:
    """Try each; what a program may do to itself must be possible."""
    os.sched_setaffinity(0, os.sched_getaffinity(os.getpid()))
    os.sched_setscheduler(os.getpid(), os.SCHED_BATCH, os.sched_param(0))
    os.nice(1)
    slower = min(os.getpriority(os.PRIO_PROCESS, 0) + 1, 19)  # whoever tests may be nice
    os.setpriority(os.PRIO_PROCESS, os.getpid(), slower)
    found = []
    for name, call in CALLS.items():
        try:
            call()
            found.append(name)
        except OSError:
            pass
    return ", ".join(found)


_kit.run(attack)
