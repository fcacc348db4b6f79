"""immortal - objects whose references are not counted, so that a copy of the nursery writes to fewer pages.

Whoever looks at an object counts a reference in it, and the first one that a copy counts in a page copies the page.
Since 3.12 CPython does not count those of None and its like: they have a count of their own (PEP 683). Here all
that the preloads have made gets it.

What can be seen of that: sys.getrefcount() tells such a number, as it does of None; and an object of the preloads
lives on when the last reference to it is gone, so that neither its __del__ nor its weak references learn of it. At the
end of a program nothing of the preloads is taken apart, then, which is most of what is gained.
"""

import gc
import sys
from collections.abc import Iterable, Iterator
from ctypes import c_uint32
from types import CodeType

IMMORTAL = sys.getrefcount(None)
# From 3.14 on CPython does not ask again before it gives back what it has taken of a mortal object, and counts up
# below that number. What it has at this moment is given back later: so there is room.
GIVEN = IMMORTAL if IMMORTAL == 0xFFFF_FFFF else IMMORTAL + (1 << 28)
CHUNK = 4096  # objects


def is_possible() -> bool:
    """Tell whether this Python has such objects, and the count where it is looked for: in the first four bytes."""
    one = object()
    count = c_uint32.from_address(id(one))
    before = count.value
    two = one
    return IMMORTAL > 1 << 31 and count.value == before + 1 and two is one


def make() -> int:
    """Give it to all objects that can be reached. Return how many: 0 where that is not possible."""
    if not is_possible():
        return 0
    found = give(gc.get_objects())
    total = len(found)
    while found:
        found = give(referents(found))
        total += len(found)
    return total


def give(objects: Iterable[object]) -> list[object]:
    """Give it to those that do not have it, and return them."""
    found = []
    for one in objects:
        if sys.getrefcount(one) < IMMORTAL:
            c_uint32.from_address(id(one)).value = GIVEN
            found.append(one)
    return found


def referents(objects: list[object]) -> Iterator[object]:
    """Yield what objects refer to, one more than once. Code, which gc does not ask, has its constants."""
    for at in range(0, len(objects), CHUNK):
        yield from gc.get_referents(*objects[at : at + CHUNK])
    yield from (one.co_consts for one in objects if type(one) is CodeType)
