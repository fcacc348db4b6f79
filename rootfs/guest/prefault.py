"""prefault - learns which pages of the nursery a program writes and reads.

After a fork every page is shared until a process writes to it, and each first write costs a
trap of its own; so does each first read of a page of a library. Most programs do that to the
same pages. So one copy of the nursery plays a program to its end, and stops there: the pages that
it has by then are requested at once for each new cell (cell_birth.c).

Only a hint: if it fails, or the kernel lacks it (MADV_POPULATE_WRITE, Linux 5.14),
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

# Stops in the last moment of an interpreter, when modules are gone.
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


class Pages(ctypes.Structure):
    """struct cell_pages."""

    _fields_ = [("ranges", ctypes.POINTER(Range)), ("count", ctypes.c_uint64)]

    @classmethod
    def of(cls, pages: dict[int, int]) -> "Pages":
        """Return these pages, with their advice, as the ranges that madvise takes."""
        found: list[Range] = []
        for address, wanted in pages.items():
            last = found[-1] if found else Range()
            if last.start + last.bytes == address and last.advice == wanted:
                last.bytes += PAGE
            else:
                found.append(Range(address, PAGE, wanted))
        return cls((Range * len(found))(*found), len(found))


def mappings() -> Iterator[tuple[int, int, str]]:
    """Yield start, end and rights of this process's private mappings."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        for line in file:
            span, rights = line.split(None, 2)[:2]
            start, end = (int(number, 16) for number in span.split("-"))
            if rights[0] == "r" and rights[3] == "p" and start < 1 << 63:  # not vsyscall
                yield start, end, rights


def advice(page: int, writable: bool) -> int:
    """Return the advice for a page with this entry in the explorer's page table."""
    if not page & PRESENT:
        return 0
    if page & OF_FILE:
        return POPULATE_READ
    return POPULATE_WRITE if writable and page & EXCLUSIVE else 0


def touched(pid: int) -> dict[int, int]:
    """Return the pages that the copy has touched: the advice by address, in order."""
    found = {}
    with open(f"/proc/{pid}/pagemap", "rb", buffering=0) as file:
        for start, end, rights in mappings():
            entries = os.pread(file.fileno(), (end - start) // PAGE * 8, start // PAGE * 8)
            for number, page in enumerate(array("Q", entries)):
                if wanted := advice(page, rights[1] == "w"):
                    found[start + number * PAGE] = wanted
    return found


def play(act: Callable[[], object]) -> None:
    """Be a program without input, and with output to pipes. Does not return."""
    try:
        os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
        for fd in (1, 2):
            os.dup2(os.pipe()[1], fd)
        act()
    finally:
        os._exit(1)


def stop() -> None:
    """Touch nothing, but stop as PROGRAM does."""
    os.kill(os.getpid(), signal.SIGSTOP)


def profiles(*acts: Callable[[], object]) -> Iterator[dict[int, int]]:
    """Yield for each act what it touches and those before it do not; not what every copy is given."""
    known = {page: how for page, how in explore(stop).items() if how == POPULATE_READ}
    for act in acts:
        found = {page: how for page, how in explore(act).items() if known.get(page) != how}
        known |= found
        yield found


def explore(act: Callable[[], object]) -> dict[int, int]:
    """Have a copy play PROGRAM by `act`; return the advice for the pages that it touches.

    It is the copy of a copy. What it has written is mapped by it alone then, and what the one that
    watches it writes meanwhile is not: this process, which sleeps, maps that as well.
    """
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            with open(theirs, "wb") as file:
                file.write(observe(act))
        finally:
            os._exit(0)
    os.close(theirs)
    with open(ours, "rb") as file:
        found = array("Q", file.read())
    os.waitpid(pid, 0)
    return dict(zip(found[::2], found[1::2]))


def observe(act: Callable[[], object]) -> "array[int]":
    """Return the pages that a copy touches, each followed by its advice; nothing if it fails."""
    pid = os.fork()
    if pid == 0:
        play(act)
    _, status = os.waitpid(pid, os.WUNTRACED)
    if not os.WIFSTOPPED(status):
        return array("Q")
    try:
        return array("Q", (number for pair in touched(pid).items() for number in pair))
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
