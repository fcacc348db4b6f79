"""Threat: pid 1 is glovebox's own process: its memory, environment and files are host's.

Layer: hidepid, a pid 1 that is not dumpable, and one that has dropped everything. It would
succeed when anything but the existence of /proc/1 can be had.
"""

import os

import _kit

FILES = ("environ", "maps", "mem", "auxv", "io", "stack", "syscall", "pagemap", "personality")


def attack() -> str | None:
    """Read what only the same user may read, and follow the links."""
    found = [_kit.readable(*(f"/proc/1/{name}" for name in FILES))]
    found.append(_kit.writable("/proc/1/mem", "/proc/1/oom_score_adj", "/proc/1/clear_refs"))
    for link in ("exe", "cwd", "root", "fd/0", "fd/1", "fd/2", "fd/3", "fd/4", "ns/user"):
        try:
            found.append(f"{link} -> {os.readlink(f'/proc/1/{link}')}")
        except OSError:
            pass
    for folder in ("fd", "map_files", "task/1/fd", "root", "cwd"):
        try:
            found.append(f"{folder}: {len(os.listdir(f'/proc/1/{folder}'))} entries")
        except OSError:
            pass
    return ", ".join(filter(None, found))


_kit.run(attack)
