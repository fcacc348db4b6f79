"""Threat: the functions that make and enter cells are still in a cell's memory; they are called again.

It would succeed when one of them gives a capability, another namespace, another root or a process
outside. Prints what could be called. The library is found in memory by its ELF header, whatever
Python objects are left.
"""

import contextlib
import ctypes
import gc
import os
import socket
import struct
import sys
from collections.abc import Callable

from _warm import _kit

WANTED = ("cell_make", "cell_enter", "cell_forget", "python_run")
PT_DYNAMIC, DT_STRTAB, DT_SYMTAB = 2, 5, 6


def by_memory() -> dict[str, int]:
    """Find exported functions of libraries that do not lie in /usr."""
    found = {}
    with open("/proc/self/maps", encoding="utf-8") as file:
        rows = [line.split(maxsplit=5) for line in file]
    for row in rows:
        base = int(row[0].split("-")[0], 16)
        outside = len(row) < 6 or not row[5].startswith(("/usr/", "["))
        if outside and row[1].startswith("r") and ctypes.string_at(base, 4) == b"\x7fELF":
            found |= symbols(base)
    return found


def symbols(base: int) -> dict[str, int]:
    """Read the table of dynamic symbols of a loaded library."""
    header = struct.unpack("<16xHHIQQQIHHH", ctypes.string_at(base, 58))
    table: dict[int, int] = {}
    for n in range(header[9]):
        entry = ctypes.string_at(base + header[4] + n * header[8], 56)
        kind, _, _, address = struct.unpack("<IIQQ", entry[:24])
        if kind == PT_DYNAMIC:
            pairs = ctypes.string_at(base + address, 16 * 64)
            for at in range(0, len(pairs), 16):
                tag, value = struct.unpack("<QQ", pairs[at : at + 16])
                if tag == 0:
                    break
                table[tag] = value if value > base else base + value
    found = {}
    for at in range(table[DT_SYMTAB] + 24, table[DT_STRTAB], 24):
        name, _, _, _, value, _ = struct.unpack("<IBBHQQ", ctypes.string_at(at, 24))
        text = ctypes.string_at(table[DT_STRTAB] + name)
        if text.decode() in WANTED:
            found[text.decode()] = base + value
    return found


def by_objects() -> dict[str, int]:
    """Find them as ctypes functions among the objects that the collector knows."""
    gc.unfreeze()
    known = (o for o in gc.get_objects() if type(o).__name__ == "_FuncPtr")
    named = {getattr(o, "__name__", ""): o for o in known}
    return {name: pointer_in(named[name]) for name in WANTED if name in named}


def pointer_in(function: object) -> int:
    """Return the address that a ctypes function holds.

    Since Python 3.13 the nursery's functions are of its own _ctypes, and ours knows nothing of them.
    """
    for module in [o for o in gc.get_objects() if type(o) is type(gc) and o.__name__ == "_ctypes"]:
        with contextlib.suppress(TypeError):
            return ctypes.c_void_p.from_address(module.addressof(function)).value
    raise LookupError("nobody knows that function")


def rights() -> tuple:
    """Return everything that a cell must not change about itself."""
    with open("/proc/self/status", encoding="utf-8") as file:
        rows = [line for line in file if line.startswith(("Cap", "NoNew", "Seccomp", "Uid", "Gid"))]
    names = os.listdir("/proc/self/ns")
    links = [os.readlink(f"/proc/self/ns/{name}") for name in sorted(names)]
    return tuple(rows), tuple(links), os.stat("/").st_dev, os.uname()


def tried(work: Callable[[], str], before: tuple) -> str:
    """Do it in a child; say what it changed there."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            said = work()
        except Exception:
            said = ""
        os.write(write_end, said.encode() if rights() == before else b"rights")
        os._exit(0)
    os.close(write_end)
    said = os.read(read_end, 100).decode()
    os.close(read_end)
    os.waitpid(child, 0)
    return said


def make(address: int) -> str:
    """Call for a cell, as a supervisor would."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pairs = [socket.socketpair() for _ in range(2)]
    socket.send_fds(ours, [struct.pack("<I", 0)], [pair[0].fileno() for pair in pairs])
    function = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(address)
    fork = (ctypes.c_void_p * 5)(*[pointer_in(ctypes.CDLL(None).getpid)] * 5)
    outcome = function(theirs.fileno(), ctypes.addressof(fork), ctypes.addressof(fork))
    ours.setblocking(False)
    pid = struct.unpack("<i", ours.recv(4))[0]
    return f"a cell: {pid}" if pid > 0 or outcome == 1 else ""


def enter(address: int) -> str:
    """Order a start with a plan of nothing."""
    start, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    control = socket.socketpair()[0]
    plan = os.memfd_create("plan")
    os.ftruncate(plan, 4096)
    socket.send_fds(start, [struct.pack("<QIII4x", 4096, 0, 0, 0)], [plan])
    place = (ctypes.c_int * 2)(control.fileno(), theirs.fileno())
    memory, out = (ctypes.c_uint64 * 16)(), (ctypes.c_void_p * 2)()
    function = ctypes.PYFUNCTYPE(None, *[ctypes.c_void_p] * 4)(address)
    function(*map(ctypes.addressof, (place, memory, out)), ctypes.addressof(out) + 8)
    return "it returned"


def forget(address: int) -> str:
    """Unmap the plan that is no more."""
    ctypes.PYFUNCTYPE(None)(address)()
    return ""


def run_again(address: int) -> str:
    """Drop the thread's state for one of nothing."""
    nothing = (ctypes.c_void_p * 16)()
    function = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(address)
    function(ctypes.addressof(nothing), ctypes.addressof(nothing))
    return "it returned"


TRIES = {"cell_make": make, "cell_enter": enter, "cell_forget": forget, "python_run": run_again}


def attack() -> str | None:
    """Call what is found, each in a child. With a library as argument: only find it."""
    if sys.argv[1:]:
        ctypes.CDLL(sys.argv[1])
        print("found", *sorted(by_memory()))
        return None
    before = rights()
    found = by_memory() | by_objects()
    print("found", *sorted(found), flush=True)
    said = {name: tried(lambda: TRIES[name](found[name]), before) for name in found}
    return ", ".join(f"{name}: {text}" for name, text in said.items() if text)


_kit.run(attack, host=True)
