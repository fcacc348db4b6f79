"""Threat: one remount makes a read-only bind writable again.

Layer: capabilities, and seccomp before them. It would succeed when the root, /usr or /attack
loses its read-only flag.
"""

import os

import _kit

MS_REMOUNT_BIND = 0x20 | 0x1000
NOSUID_NODEV = 0x2 | 0x4


def attack() -> str | None:
    """Remount each and ask statvfs."""
    changed = []
    for path in ("/", "/usr", "/attack", "/proc"):
        _kit.syscall("mount", None, path.encode(), None, MS_REMOUNT_BIND | NOSUID_NODEV, None)
        if os.path.ismount(path) or path == "/":
            if not os.statvfs(path).f_flag & os.ST_RDONLY and path != "/proc":
                changed.append(path)
    return ", ".join(changed)


_kit.run(attack)
