"""Threat: /proc/self/exe is the image's interpreter, shared by every sandbox of that image.

Layer: read-only binds, Landlock behind them. It would succeed when the interpreter can be
opened for writing, or lies on a mount that only the owner's bits protect.
"""

import os
import sys

import _kit


def attack() -> str | None:
    """Try the link and the path; nothing is written, times are set to what they are."""
    path = os.path.realpath(sys.executable)
    done = [_kit.writable("/proc/self/exe", path)]
    if not os.statvfs(path).f_flag & os.ST_RDONLY:
        done.append("its mount is writable")
    try:
        info = os.stat(path)
        os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))
        done.append("utime")
    except OSError:
        pass
    return ", ".join(filter(None, done))


_kit.run(attack)
