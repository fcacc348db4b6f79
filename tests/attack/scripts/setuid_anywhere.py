"""Threat: as setuid_bind, for every directory that the sandbox has.

Layer: nosuid mounts. It would succeed when any mount allows set-uid programs.
"""

import os

import _kit

PLACES = "/ /usr /etc /tmp /dev /dev/shm /dev/pts /proc /attack /run /var /opt /home /code".split()


def attack() -> str | None:
    """Ask statvfs about each."""
    there = [p for p in (*PLACES, os.environ.get("HOME", "/")) if os.path.isdir(p)]
    return " ".join(p for p in there if not os.statvfs(p).f_flag & os.ST_NOSUID)


_kit.run(attack)
