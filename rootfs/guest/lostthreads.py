"""lostthreads - the threads that a session's checkpoint lacks, and what is done so that none is missed.

A fork copies one thread. Who waits for another in the copy waits for ever, so each thread is found
before the fork (/proc/self/task), and named after the code in which it waits: of the return addresses on
its stack the first that is in a library other than C's and Python's. That tells what the copy can do:

- pools that their library makes anew after a fork by itself (REMADE);
- GNU OpenMP's pool, which has no such handler, but ends on request and comes back with its next use;
- pools of Python's own, which are set back here, in the copy, to what they were before their first thread, and
  what tqdm, joblib and loky keep of theirs;
- all others are lost. A rollback names them, and is refused unless its caller insists (session.py).

Like display.py this runs beside foreign code, and binds what it uses before that code comes.
"""

from __future__ import annotations

import builtins

__builtins__ = dict(vars(builtins))  # of the functions below; from here on only theirs

import sys
from bisect import bisect_right
from ctypes import CDLL
from os import O_RDONLY, close, getpid, listdir, pread, uname
from os import open as open_file
from re import compile as pattern
from struct import unpack_from
from time import monotonic, sleep
from typing import Any

NAME_MAX = 60  # characters
ENDS_MAX = 200  # bytes of UTF-8 (session/ping.h)
GROUPS_MAX = 12  # that are told apart; the rest is one
STACK_MAX = 16384  # bytes of a stack that are looked at
LOOKS = 60  # 5 ms apart, at threads that run or end just then
LOOK_S = 2.0  # in all: a caller waits (agent/run/undo.c: 10 s)
SELF = "/proc/self/"
MACHINE = uname().machine
POOL = "concurrent.futures.thread"
HARD = 2  # omp_pause_hard
ENDED = "its thread ended with the rollback"

# Of libraries that a thread was found in: what they are called, and whether they have their pool
# made anew in a copy: by handlers of pthread_atfork(3), or because they compare process ids.
REMADE = {
    "openblas": "OpenBLAS",
    "libarrow": "pyarrow",
    "libiomp": "OpenMP",
    "libomp": "OpenMP",
    "libtbb": "TBB",
    "workqueue.": "numba",
    "/numexpr/": "numexpr",
    "libgomp": "OpenMP",  # pause()
}
NEUTRAL = pattern(r"/(ld-|ld64|libc[.-]|libc\+\+|libpthread|libm[.-]|libdl|libstdc|libgcc|libpython|python)[^/]*$")
PACKAGE = pattern(r"/(?:site|dist)-packages/_*([A-Za-z0-9]+)")
LIBRARY = pattern(r"([^/]*?)(?:[.-]|$)[^/]*$")


class Group:
    """Threads of one name."""

    def __init__(self, name: str, remade: bool) -> None:
        self.name = "".join(c if c.isprintable() else "?" for c in name[:NAME_MAX])
        self.remade = remade
        self.count = 0

    def told(self) -> dict[str, Any]:
        """Return it for an answer."""
        return {"name": self.name, "count": self.count, "remade": self.remade}


class Threads:
    """Those beside the caller's, before a fork; and what is to be mended in the copy."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, bool], Group] = {}
        self._mend: list[Any] = []
        self._pools: set[int] = set()  # the executors that are set back: each once, or it loses threads and items
        if len(listdir(f"{SELF}task")) > 1:
            try:
                self._look()
            except Exception:  # foreign code may have made anything of it
                self._add("others", False)

    def told(self) -> dict[str, Any]:
        """Return what an answer has about them: nothing if there are none."""
        groups = [group.told() for group in self._groups.values()]
        return {"threads": groups, **self.ends()} if groups else {}

    def ends(self) -> dict[str, str]:
        """Return which ones nobody makes anew, in words: "12 threads of polars, 1 of TBB"."""
        lost = [group for group in self._groups.values() if not group.remade]
        words = (f"{group.count}{noun(group) if group is lost[0] else ''} of {group.name}" for group in lost)
        return {"ends": ", ".join(words).encode()[:ENDS_MAX].decode(errors="ignore")} if lost else {}

    def mend(self) -> None:
        """In the copy: set back what can be."""
        for step in self._mend:
            try:
                step()
            except Exception:  # foreign code may have made anything of it
                continue

    def _look(self) -> None:
        files = mapped()
        if not aborts(files):
            pause(files)
        try:
            known = self._python_threads()
        except Exception:
            known = {}
        for name, remade in [*known.values(), *native(set(known), files)]:
            self._add(name, remade)

    def _add(self, name: str, remade: bool) -> None:
        if len(self._groups) >= GROUPS_MAX and (name, remade) not in self._groups:
            name, remade = "others", False
        group = self._groups.setdefault((name, remade), Group(name, remade))
        group.count += 1

    def _python_threads(self) -> dict[int, tuple[str, bool]]:
        """Return the threads that the module threading knows, by their number."""
        threading = sys.modules.get("threading")
        known = {}
        there = numbers()
        for thread in threading.enumerate() if threading else ():
            number = thread.native_id
            if number in there:
                known[number] = self._of_python(thread)
        return known

    def _of_python(self, thread: Any) -> tuple[str, bool]:
        target = getattr(thread, "_target", None)
        owner = getattr(target, "__module__", None) or ""
        place = f"{type(thread).__module__} {owner}"
        if owner == POOL and target.__name__ == "_worker":
            return self._of_pool(thread)
        if "loky." in place:
            self._mend.append(forget_loky)
            return "loky", True
        if "tqdm." in place:
            self._mend.append(forget_monitor)
            return "tqdm", True
        own = [module for module in place.split() if module not in ("__main__", "threading")]
        return (own[-1] if own else thread.name), False

    def _of_pool(self, thread: Any) -> tuple[str, bool]:
        """Return what a worker of a ThreadPoolExecutor is; one that works is lost."""
        executor = thread._args[0]()
        if executor is not None and id(executor) not in self._pools:
            self._pools.add(id(executor))  # `refresh` keeps it: no other has this number
            self._mend.append(lambda: refresh(executor))
        item = item_of(thread)
        if item is None:
            return "ThreadPoolExecutor", True
        self._mend.append(lambda: give_up(item.future))
        return "ThreadPoolExecutor at work", False


def noun(group: Group) -> str:
    """Return it in its number."""
    return " thread" if group.count == 1 else " threads"


# -- pools of Python's ---------------------------------------------------------------------------


def item_of(thread: Any) -> Any:
    """Return what a worker works at; None: it waits."""
    frame = sys._current_frames().get(thread.ident)
    while frame is not None:
        if frame.f_code is thread._target.__code__:
            return frame.f_locals.get("work_item")
        frame = frame.f_back
    return None


def refresh(executor: Any) -> None:
    """Set an executor back to what it was without threads; what waits in its queue stays there."""
    threading = sys.modules["threading"]
    waiting = type(executor._work_queue)()
    while not executor._work_queue.empty():
        waiting.put(executor._work_queue.get_nowait())
    executor._work_queue = waiting
    executor._threads = set()
    executor._idle_semaphore = threading.Semaphore(0)
    executor._shutdown_lock = threading.Lock()
    if not waiting.empty():
        executor._adjust_thread_count()  # one thread at least, for what waits


def give_up(future: Any) -> None:
    """Give those that wait for a result the reason why there will be none."""
    future._condition = sys.modules["threading"].Condition()
    future.set_exception(RuntimeError(ENDED))


def forget_loky() -> None:
    """Have joblib and loky start a new pool of processes at the next use: those of the old one have ended."""
    for name, module in list(sys.modules.items()):
        if name.endswith("loky.reusable_executor"):
            module._executor = None
        elif name.endswith(("loky.backend.resource_tracker", "multiprocessing.resource_tracker")):
            module._resource_tracker._fd = module._resource_tracker._pid = None


def forget_monitor() -> None:
    """Have tqdm start a new monitor with the next bar."""
    sys.modules["tqdm.std"].tqdm.monitor = None


# -- threads of libraries ------------------------------------------------------------------------


def pause(files: list[tuple[int, int, str]]) -> None:
    """Have each GNU OpenMP end the pool of this thread; the next use makes a new one."""
    try:
        for path in {path for _, _, path in files if "libgomp" in path}:
            CDLL(path).omp_pause_resource_all(HARD)
    except Exception:  # before GCC 9 it has no such function; then its threads are found below
        return


def native(known: set[int], files: list[tuple[int, int, str]]) -> list[tuple[str, bool]]:
    """Return what the threads are that Python does not know."""
    try:
        memory = open_file(f"{SELF}mem", O_RDONLY)
    except OSError:
        memory = -1
    try:
        return natives(known, memory, files)
    finally:
        if memory >= 0:
            close(memory)


def natives(known: set[int], memory: int, files: list[tuple[int, int, str]]) -> list[tuple[str, bool]]:
    """Look at each until it waits somewhere."""
    forked = not aborts(files)
    end = monotonic() + LOOK_S
    found: dict[int, tuple[str, bool]] = {}
    for _ in range(LOOKS):
        there = numbers() - known
        found = {number: what for number, what in found.items() if number in there}
        for number in there - set(found):
            path = library_of(number, memory, files) if monotonic() < end else ""
            if path:
                found[number] = what_is(path, forked)
        if len(found) == len(there):
            return list(found.values())
        if monotonic() >= end:
            break
        sleep(0.005)
    rest = numbers() - known - set(found)
    return [*found.values(), *((name_of(number), False) for number in rest)]


def aborts(files: list[tuple[int, int, str]]) -> bool:
    """Tell whether numba uses GNU OpenMP: it ends a process that has been forked since."""
    return any("/omppool." in path for _, _, path in files)


def numbers() -> set[int]:
    """Return the numbers of the other threads."""
    return {int(name) for name in listdir(f"{SELF}task")} - {getpid()}


def mapped() -> list[tuple[int, int, str]]:
    """Return where the code of files is, in the order of addresses (man 5 proc)."""
    found = []
    with open(f"{SELF}maps", encoding="utf-8", errors="replace") as file:
        for line in file:
            span, rights, _, _, _, *path = line.split(None, 5)
            if "x" in rights and path and path[0].startswith("/"):
                start, end = span.split("-")
                found.append((int(start, 16), int(end, 16), path[0].strip()))
    return found


def file_at(word: int, files: list[tuple[int, int, str]]) -> str:
    """Return the file of the code before which an address is, or nothing."""
    at = bisect_right(files, (word,)) - 1
    return files[at][2] if at >= 0 and word < files[at][1] else ""


def library_of(number: int, memory: int, files: list[tuple[int, int, str]]) -> str:
    """Return the file of the code in which a thread waits, or nothing.

    What waits in the kernel has its stack pointer in `syscall` (man 5 proc); return addresses are
    what is above it.
    """
    try:
        with open(f"{SELF}task/{number}/syscall", encoding="ascii") as file:
            *_, stack, _ = file.read().split()
        words = pread(memory, STACK_MAX, int(stack, 16))
    except (OSError, ValueError):  # it runs, or it has just ended
        return ""
    python = ""
    for (word,) in (unpack_from("=Q", words, at) for at in range(0, len(words) - 7, 8)):
        path = file_at(word, files)
        if path and not NEUTRAL.search(path) and follows_call(pread(memory, 8, word - 8)):
            return path
        if "python" in path:
            python = path
    return python


def follows_call(code: bytes) -> bool:
    """Tell whether these bytes of code end in a call."""
    if MACHINE == "x86_64":
        return code[3] == 0xE8 or any(code[-n] == 0xFF and code[1 - n] & 0x38 == 0x10 for n in (2, 3, 4, 6, 7))
    if MACHINE == "aarch64":
        (last,) = unpack_from("<I", code, 4)
        return last >> 26 == 0x25 or last & 0xFFFFFC1F == 0xD63F0000
    return True


def what_is(path: str, forked: bool) -> tuple[str, bool]:
    """Return the name for a library, and whether it makes its threads anew."""
    for part, name in REMADE.items():
        if part in path:
            return (name, True) if forked or name != "OpenMP" else ("numba", False)
    if NEUTRAL.search(path):
        return "Python", False
    package = PACKAGE.search(path)
    if package:
        return package[1], False
    library = LIBRARY.search(path)
    return (library[1] if library and library[1] else "a library"), False


def name_of(number: int) -> str:
    """Return the name that a thread has given itself."""
    try:
        with open(f"{SELF}task/{number}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return "a library"
