"""scout - learns which pages of the nursery a program writes and reads.

After a fork every page is shared until somebody writes to it, and each first write costs a
trap of its own; so does each first look at a page of a library. Most programs do that to the
same pages. So one copy of the nursery plays a program to its end, and stands still there: what
it has by then, each cell asks the kernel for at once when it is made (cell_birth.c).

Only a hint: where it fails, or the kernel does not know how (MADV_POPULATE_WRITE, Linux 5.14),
cells fault pages in as they run.
"""

import ctypes
import os
import signal
from array import array
from collections.abc import Callable, Iterator

PAGE = os.sysconf("SC_PAGE_SIZE")
POPULATE_READ, POPULATE_WRITE = 22, 23  # madvise(2)
# Bits of a page in /proc/PID/pagemap (Documentation/admin-guide/mm/pagemap.rst).
PRESENT, OF_FILE, EXCLUSIVE = 1 << 63, 1 << 61, 1 << 56

# Stands still in the last moment of an interpreter, when modules are gone.
PROGRAM = b"""
class Last:
    def __del__(self, stop=__import__("os").kill, who=__import__("os").getpid(), how=%d):
        stop(who, how)
last = Last()
print("", end="")
sum(range(9))
""" % signal.SIGSTOP


class Range(ctypes.Structure):
    """struct cell_range."""

    _fields_ = [
        ("start", ctypes.c_uint64),
        ("bytes", ctypes.c_uint64),
        ("advice", ctypes.c_int64),
    ]


def mappings() -> Iterator[tuple[int, int, str]]:
    """Yield start, end and rights of this process's private mappings."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        for line in file:
            span, rights = line.split(None, 2)[:2]
            start, end = (int(number, 16) for number in span.split("-"))
            if rights[0] == "r" and rights[3] == "p" and start < 1 << 63:  # not vsyscall
                yield start, end, rights


def advice(page: int, writable: bool) -> int:
    """Return what a copy does about a page of which the scout's page table says this."""
    if not page & PRESENT:
        return 0
    if page & OF_FILE:
        return POPULATE_READ
    return POPULATE_WRITE if writable and page & EXCLUSIVE else 0


def touched(pid: int) -> dict[int, int]:
    """Return what that copy has made its own: the advice by address, in order."""
    found = {}
    with open(f"/proc/{pid}/pagemap", "rb", buffering=0) as file:
        for start, end, rights in mappings():
            entries = os.pread(file.fileno(), (end - start) // PAGE * 8, start // PAGE * 8)
            for number, page in enumerate(array("Q", entries)):
                if wanted := advice(page, rights[1] == "w"):
                    found[start + number * PAGE] = wanted
    return found


def ranges(pages: dict[int, int]) -> "ctypes.Array[Range]":
    """Return the same as what madvise takes."""
    found: list[Range] = []
    for address, wanted in pages.items():
        last = found[-1] if found else Range()
        if last.start + last.bytes == address and last.advice == wanted:
            last.bytes += PAGE
        else:
            found.append(Range(address, PAGE, wanted))
    return (Range * len(found))(*found)


def play(act: Callable[[], object]) -> None:
    """Be a program, seen by nobody. Does not return."""
    try:
        nothing = os.open("/dev/null", os.O_RDWR)
        for fd in range(3):
            os.dup2(nothing, fd)
        act()
    finally:
        os._exit(1)


def explore(act: Callable[[], object]) -> dict[int, int]:
    """Send one out, to `act`, which plays PROGRAM; return the advice for what it touches."""
    pid = os.fork()
    if pid == 0:
        play(act)
    _, status = os.waitpid(pid, os.WUNTRACED)
    if not os.WIFSTOPPED(status):
        return {}
    try:
        return touched(pid)
    except OSError:
        return {}
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
