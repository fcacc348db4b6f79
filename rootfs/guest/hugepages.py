"""hugepages - the nursery's memory in huge pages, so that a copy of it costs less.

fork() copies one entry for each page of memory, and the end of the copy removes them again; for a
huge page that is one entry instead of 512. What a copy writes to is still copied page by page: the
kernel splits the copy's entry, and the nursery's stays.

So that its small objects fill such pages, gather() has Python take the memory for them from
pieces of that size. It comes before the preloads, and imports nothing that they would find.

Only a hint: without MADV_COLLAPSE (Linux 6.1) the memory stays as it is. madvise(2) says that it
does not ask what the machine has set for the huge pages that the kernel makes by itself
(transparent_hugepage/enabled).
"""

import _imp
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing it would be visible
    from collections.abc import Callable

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.sysconf("SC_PAGE_SIZE")
HUGE = PAGE * PAGE // 8  # what one page of entries, of 8 bytes each, maps
COLLAPSE = 25
PRESENT = 1 << 63  # in an entry of /proc/PID/pagemap
ENOUGH = 0.5  # the part that must be there; the rest is memory that was not used before


def gather() -> bool:
    """Have Python's small objects lie close together from now on (runtime/inside/arenas.c)."""
    try:
        _imp.create_dynamic(type(sys.__spec__)("arenas", None, origin=f"{HERE}/arenas.so"))
    except SystemError:  # it has no module to give, but has done its work
        return True
    except ImportError:  # this Python has other allocators
        pass
    return False


def heaps() -> "list[tuple[int, int]]":
    """Return start and end of the private memory that is no file's, as far as huge pages fit."""
    found = []
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        for line in file:
            span, rights, _, device = line.split(None, 4)[:4]
            start, end = (int(number, 16) for number in span.split("-"))
            if rights == "rw-p" and device == "00:00":
                found.append((-(-start // HUGE) * HUGE, end // HUGE * HUGE))
    return [(start, end) for start, end in found if start < end]


def disperse() -> None:
    """End what gather() has begun."""
    import ctypes

    ctypes.PyDLL(f"{HERE}/arenas.so").arenas_end()


def collapse(madvise: "Callable[..., int]") -> int:
    """Put what is mostly in use into huge pages; return how many there are.

    It imports nothing and leaves no garbage, because every copy would have that.
    """
    count = 0
    with open("/proc/self/pagemap", "rb", buffering=0) as file:
        for first, end in heaps():
            for start in range(first, end, HUGE):
                entries = os.pread(file.fileno(), HUGE // PAGE * 8, start // PAGE * 8)
                present = sum(entry >= PRESENT for entry in memoryview(entries).cast("Q"))
                if present >= HUGE // PAGE * ENOUGH:
                    count += not madvise(start, HUGE, COLLAPSE)
    return count
