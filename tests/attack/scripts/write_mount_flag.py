"""Threat: a root that only file permissions protect is writable for whoever owns the files.

Layer: read-only mounts. It would succeed when the root or a bind lacks the flag.
"""

import os

import _kit

PLACES = "/ /usr /usr/bin /usr/lib /etc /bin /lib /dev /attack".split()


def attack() -> str | None:
    """Ask statvfs about each."""
    there = [p for p in PLACES if os.path.isdir(p)]
    return " ".join(p for p in there if not os.statvfs(p).f_flag & os.ST_RDONLY)


_kit.run(attack)
