"""Threat: a cell's memory is its nursery's: it may hold what the host knows.

The arguments are words in hexadecimal, each in two halves (a:b), so that our own memory does not
hold them because we look for them. It would succeed when one is found whole, or when the plan is
still mapped. The argument "plant" puts them there first.
"""

import ctypes
import mmap
import os
import sys

from _warm import _kit

PLAN = 0x200000000000
CHUNK = 1 << 20


def areas() -> list[tuple[int, int]]:
    """List the readable areas of this process."""
    with open("/proc/self/maps", encoding="utf-8") as file:
        rows = [line.split()[:2] for line in file if "[v" not in line]
    bounds = [area.split("-") for area, mode in rows if mode.startswith("r")]
    return [(int(start, 16), int(end, 16)) for start, end in bounds]


def holds(data: bytes, first: bytes, second: bytes) -> bool:
    """Say whether both halves follow each other."""
    at = data.find(first)
    while at >= 0:
        if data.startswith(second, at + len(first)):
            return True
        at = data.find(first, at + 1)
    return False


def search(words: list[tuple[bytes, bytes]]) -> list[str]:
    """Search the whole memory, in chunks that overlap."""
    found = set()
    with open("/proc/self/mem", "rb", buffering=0) as memory:
        for start, end in areas():
            for at in range(start, end, CHUNK):
                try:
                    data = os.pread(memory.fileno(), min(CHUNK + 256, end - at), at)
                except OSError:
                    break
                found |= {n for n, word in enumerate(words) if holds(data, *word)}
    return [f"word {n}" for n in sorted(found)]


def attack() -> str | None:
    """Search for the words and for the plan."""
    plant = sys.argv[1] == "plant"
    halves = [word.split(":") for word in sys.argv[1 + plant :]]
    words = [(bytes.fromhex(a), bytes.fromhex(b)) for a, b in halves]
    planted = [bytearray(a + b) for a, b in words] if plant else []
    if plant:
        libc = ctypes.CDLL(None)
        libc.mmap.restype = ctypes.c_void_p
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        libc.mmap(ctypes.c_void_p(PLAN), ctypes.c_size_t(4096), 1, flags, -1, ctypes.c_long(0))
    found = search(words)
    if any(start <= PLAN < end for start, end in areas()):
        found.append("the plan")
    return ", ".join(found) if not plant or planted else None


_kit.run(attack)
