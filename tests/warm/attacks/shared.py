"""Threat: memory that the nursery has mapped shared is one for all cells: one reads what another writes.

Without an argument it would succeed when there is any such memory, with one when another cell has
left that word there; if none has, this one leaves it. The argument "plant" maps a page first.
"""

import ctypes
import mmap
import os
import sys

from _warm import _kit

AT = 2048  # of a page: in front of that a semaphore has its value, an array its values


def shared() -> list[tuple[int, int, str]]:
    """Return start, end and name of what is shared and may be written to, perhaps after mprotect(2)."""
    found, head = [], ""
    with open("/proc/self/smaps", encoding="utf-8", errors="replace") as file:
        for line in file:
            if not line.startswith("VmFlags:"):
                head = line if line[0] in "0123456789abcdef" else head
            elif {"sh", "mw"} <= set(line.split()):
                start, end = (int(part, 16) for part in head.split(None, 1)[0].split("-"))
                found.append((start, end, head.split(None, 5)[-1].strip()))
    return found


def carries(start: int, end: int, word: bytes) -> bool:
    """Say whether the word lies there; if not, leave it."""
    rights = mmap.PROT_READ | mmap.PROT_WRITE
    if ctypes.CDLL(None).mprotect(ctypes.c_void_p(start), ctypes.c_size_t(end - start), rights):
        return False
    if ctypes.string_at(start + AT, len(word)) == word:
        return True
    ctypes.memmove(start + AT, word, len(word))
    return False


def attack() -> str | None:
    """Look for the memory, or for the word."""
    planted = mmap.mmap(-1, mmap.PAGESIZE) if "plant" in sys.argv else None
    words = [os.fsencode(word) for word in sys.argv[1:] if word != "plant"]
    found = [name for start, end, name in shared() if not words or carries(start, end, words[0])]
    if planted:
        planted.close()
    return ", ".join(found)


_kit.run(attack, host=True)
