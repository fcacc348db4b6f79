"""Threat: a cell serves twice: what one run leaves in memory, files or kernel objects is seen by the next.

The arguments are two halves of a word, so that it is in memory as a whole only where it was left.
"""

import builtins
import ctypes
import os
import socket
import sys

from _warm import _kit

FIRST, SECOND = (word.encode() for word in sys.argv[1:3])


def in_memory() -> bool:
    """Search the memory that can be written."""
    with open("/proc/self/maps", encoding="utf-8") as file:
        areas = [line.split()[:2] for line in file]
    with open("/proc/self/mem", "rb", buffering=0) as memory:
        for area, mode in areas:
            start, end = (int(part, 16) for part in area.split("-"))
            if not mode.startswith("rw"):
                continue
            try:
                data = os.pread(memory.fileno(), end - start, start)
            except OSError:
                continue
            at = data.find(FIRST)
            while at >= 0:
                if data.startswith(SECOND, at + len(FIRST)):
                    return True
                at = data.find(FIRST, at + 1)
    return False


def seen() -> list[str]:
    """List the places where a word was left."""
    libc = ctypes.CDLL(None, use_errno=True)
    places = {
        "memory": in_memory(),
        "builtins": hasattr(builtins, "left_behind"),
        "modules": "left_behind" in sys.modules,
        "environment": "LEFT_BEHIND" in os.environ,
        "file": os.path.exists("/tmp/left-behind"),
        "shared memory": libc.shmget(0x61C5E2, 0, 0) >= 0,
        "process": len([name for name in os.listdir("/proc") if name.isdigit()]) > 1,
    }
    with socket.socket(socket.AF_UNIX) as client:
        places["socket"] = client.connect_ex("\0left-behind") == 0
    return [name for name, there in places.items() if there]


def leave() -> list[object]:
    """Leave the word everywhere; what has to live is returned."""
    word = bytearray(FIRST + SECOND)
    builtins.left_behind = word
    sys.modules["left_behind"] = sys
    os.environ["LEFT_BEHIND"] = word.decode()
    with open("/tmp/left-behind", "wb") as file:
        file.write(word)
    ctypes.CDLL(None).shmget(0x61C5E2, ctypes.c_size_t(4096), 0o1666)
    server = socket.socket(socket.AF_UNIX)
    server.bind("\0left-behind")
    server.listen()
    if os.fork() == 0:
        os.closerange(0, 3)
        os.pipe()
        os.read(0, 1)  # for ever
    return [word, server]


def attack() -> str | None:
    """Look, leave, and look again if there is a third argument."""
    before = seen()
    kept = leave()
    after = seen() if sys.argv[3:] else before
    return ", ".join(after) if kept else None


_kit.run(attack)
