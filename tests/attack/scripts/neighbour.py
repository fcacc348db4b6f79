"""Threat: two sandboxes of one owner at the same time: one attacks the other.

Layer: each has namespaces and mounts of its own. It would succeed when anything of
neighbour_victim can be reached: process, port, abstract socket, shared memory, files. The
first argument is a word of the victim's command line.
"""

import ctypes
import glob
import os
import signal
import socket
import sys

import _kit

PORT, KEY = 47_115, 0x61C5E1


def attack() -> str | None:
    """Look for each."""
    found = [_kit.readable("/tmp/neighbour", "/dev/shm/neighbour")]
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        with open(path, "rb") as file:
            line = file.read()
        if sys.argv[1].encode() in line and b"neighbour_victim" in line:
            found.append(path)
    signal.signal(signal.SIGURG, signal.SIG_IGN)
    try:
        os.kill(-1, signal.SIGURG)
    except OSError:
        pass
    for family, address in (
        (socket.AF_INET, ("127.0.0.1", PORT)),
        (socket.AF_UNIX, "\0glovebox-neighbour"),
    ):
        with socket.socket(family) as there:
            try:
                there.connect(address)
                found.append(f"connected to {address!r}")
            except OSError:
                pass
    if ctypes.CDLL(None).shmget(KEY, 0, 0) >= 0:
        found.append("shared memory")
    return ", ".join(filter(None, found))


_kit.run(attack)
