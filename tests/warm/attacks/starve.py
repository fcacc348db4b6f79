"""Threat: cells of one nursery have one uid outside; what the kernel counts per uid, one takes from all.

Takes all of the thing that the argument names, says READY, and holds it until stdin ends. With a
second argument it is the victim: it succeeds when it cannot have one of the thing.
"""

import array
import contextlib
import ctypes
import fcntl
import os
import resource
import select
import signal
import socket
import sys
from collections.abc import Callable

from _warm import _kit

SIGRTMIN = signal.SIGRTMIN


def send_descriptors(kept: list) -> bool:
    """Put descriptors in flight between two sockets of ours."""
    if not kept:
        kept.append(socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
        kept[-1][0].setblocking(False)
    rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 253))
    try:
        kept[-1][0].sendmsg([b"x"], [rights])
    except BlockingIOError:  # the queue of this pair is full
        kept.append(socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
        kept[-1][0].setblocking(False)
    return True


def queue_signal(_kept: list) -> bool:
    """Queue a signal that is blocked; each takes a place."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [SIGRTMIN])
    timer = ctypes.c_int()
    return ctypes.CDLL(None).timer_create(0, None, ctypes.byref(timer)) == 0


def watch_files(kept: list) -> bool:
    """Make an inotify instance."""
    fd = ctypes.CDLL(None).inotify_init1(0)
    kept.append(fd)
    return fd >= 0


def fill_pipe(kept: list) -> bool:
    """Make a pipe of the usual size, 16 pages."""
    F_GETPIPE_SZ = 1032
    kept.append(os.pipe())
    return fcntl.fcntl(kept[-1][0], F_GETPIPE_SZ) == 65536


THINGS: dict[str, Callable[[list], bool]] = {
    "in_flight": send_descriptors,
    "timers": queue_signal,
    "inotify": watch_files,
    "pipes": fill_pipe,
}


def take_all(take: Callable[[list], bool]) -> None:
    """Take until there is no more; hold it until stdin ends."""
    kept: list = []
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    count = 0
    with contextlib.suppress(OSError):
        while count < 4096 and take(kept):
            count += 1
    print("READY", count, flush=True)
    select.select([0], [], [])
    os._exit(0)


def attack() -> str | None:
    """Try to have one."""
    try:
        return "" if THINGS[sys.argv[1]]([]) else f"no {sys.argv[1]} left"
    except OSError as error:
        return str(error)


if len(sys.argv) == 2:
    take_all(THINGS[sys.argv[1]])
_kit.run(attack)
