"""Threat: a cell reaches pid 1, its nursery, another cell or the supervisor.

It would succeed when a process given by its pid (1: ours; else of the host) can be traced, read,
robbed of a descriptor or signalled, or shows its files. kill(pid, 0) of pid 1 only says that
there is one.
"""

import ctypes
import os
import signal
import sys

from _warm import _kit

PTRACE_ATTACH, PTRACE_SEIZE, PTRACE_DETACH = 16, 0x4206, 17
FILES = ("mem", "maps", "environ", "auxv", "stack", "syscall", "pagemap")


class Area(ctypes.Structure):
    """struct iovec."""

    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]


def calls(pid: int) -> str:
    """Try the system calls that take a pid; the kernel's ESRCH means that there is none."""
    local, remote = Area(ctypes.addressof(ctypes.create_string_buffer(8)), 8), Area(4096, 8)
    copy = (pid, bytes(local), 1, bytes(remote), 1, 0)
    tries: list[tuple] = [
        ("ptrace", PTRACE_ATTACH, pid, 0, 0),
        ("ptrace", PTRACE_SEIZE, pid, 0, 0),
        ("process_vm_readv", *copy),
        ("process_vm_writev", *copy),
        ("kcmp", os.getpid(), pid, 0, 0, 0),
        ("migrate_pages", pid, 1, b"\1" * 8, b"\1" * 8),
    ]
    return _kit.reached(tries)


def pidfd(pid: int) -> str:
    """Open it, take its descriptors, enter its namespaces, signal it."""
    fd, _ = _kit.syscall("pidfd_open", pid, 0)
    if fd < 0:
        return ""
    found = [f"pidfd_getfd {n}" for n in range(8) if _kit.syscall("pidfd_getfd", fd, n, 0)[0] >= 0]
    if not _kit.syscall("setns", fd, 0x20000000)[1]:
        found.append("setns")
    try:
        signal.pidfd_send_signal(fd, signal.SIGURG)
        found.append("pidfd_send_signal")
    except OSError:
        pass
    os.close(fd)
    return ", ".join(found)


def shown(pid: int) -> str:
    """Look at its files in /proc."""
    links = [f"/proc/{pid}/{name}" for name in ("exe", "cwd", "root", "fd/0", "fd/3", "ns/mnt")]
    found = [link for link in links if os.path.lexists(link)]
    return ", ".join([*found, _kit.readable(*(f"/proc/{pid}/{name}" for name in FILES))])


def attack() -> str | None:
    """Try all of it for every pid, and signals to everybody."""
    found = []
    signal.signal(signal.SIGURG, signal.SIG_IGN)
    for pid in map(int, sys.argv[1:]):
        found += [f"{pid}: {what}" for what in (calls(pid), pidfd(pid), shown(pid)) if what.strip(", ")]
        try:
            os.kill(pid, signal.SIGURG)
            if pid != 1:
                found.append(f"{pid}: kill")
        except OSError:
            pass
        if found and pid != 1:
            os.kill(pid, signal.SIGCONT)  # a tracer that ends leaves it stopped
    if os.environ["GLOVEBOX_ATTACK"] == "sandbox":  # not to every process of a host
        for target in (1, -1):
            for number in (signal.SIGURG, signal.SIGSTOP, signal.SIGTERM, signal.SIGKILL):
                try:
                    os.kill(target, number)
                except OSError:
                    pass
    return "; ".join(found)


_kit.run(attack, host=True)
