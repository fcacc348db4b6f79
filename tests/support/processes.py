"""processes - the processes of this machine, as /proc shows them.

Others use this machine, too: a test looks for what carries a mark of its own, or at the
children of a process that it has started.
"""

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

PARENT = 1  # fields of /proc/PID/stat, from its third (proc(5))
STARTED = 19  # in clock ticks
GROUPS = Path("/sys/fs/cgroup")


def pids() -> list[int]:
    """Return all processes."""
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]


def _stat(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat from the third on, or nothing."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def children(pid: int) -> list[int]:
    """Return the processes that a process has started and that live, the oldest first."""
    found = []
    for child in pids():
        fields = _stat(child)
        if fields and fields[0] not in "ZX" and int(fields[PARENT]) == pid:
            found.append((int(fields[STARTED]), child))
    return [child for _, child in sorted(found)]  # numbers restart at pid_max


def is_alive(pid: int) -> bool:
    """Say whether a process is there and not only waits to be reaped."""
    fields = _stat(pid)
    return bool(fields) and fields[0] not in "ZX"


def arguments(pid: int) -> bytes:
    """Return the arguments of a process, each followed by a NUL."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def marked(marker: str) -> list[int]:
    """Return the processes, save this one, whose arguments contain a marker."""
    mark = marker.encode()
    return [pid for pid in pids() if pid != os.getpid() and mark in arguments(pid)]


def stay(marker: str, seconds: float) -> list[int]:
    """Return what processes with a marker stay: dying takes a moment."""
    end = time.monotonic() + seconds
    looks = 0  # one look is not enough: during an execve a process has no arguments
    left: list[int] = []
    while looks < 3 and time.monotonic() < end:
        left = marked(marker)
        looks = 0 if left else looks + 1
        time.sleep(0.02 if left else 0.005)
    return left


def groups(supervisor: int) -> list[str]:
    """Return the control groups of a supervisor's cells."""
    return [folder for folder, _, _ in os.walk(GROUPS) if f"cell-{supervisor}-" in folder]


def links(folder: Path) -> Iterator[str]:
    """Return where links lead to, but for those that go meanwhile."""
    for link in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):
            yield os.readlink(link)


def descriptors(pid: int) -> int:
    """Return how many descriptors a process has."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def resident(pid: int) -> int:
    """Return the bytes of memory that a process has."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def held(pid: int, folder: Path) -> dict[str, int]:
    """Return what may not grow: a process's bytes of memory and descriptors, and the files below its folder."""
    files = sum(len(names) for _, _, names in os.walk(folder))
    return {"memory": resident(pid), "descriptors": descriptors(pid), "files": files}


def ticks(pid: int) -> int:
    """Return the CPU time that a process has used, in hundredths of a second."""
    return sum(map(int, _stat(pid)[11:13]))
