"""Threat: as device_bind, for every directory that the sandbox has.

Layer: nodev mounts. It would succeed when any mount but /dev's own nodes allows devices.
"""

import os

import _kit

PLACES = "/ /usr /etc /tmp /dev/shm /proc /attack /run /var /opt /home /code".split()
ST_NODEV = 4


def attack() -> str | None:
    """Ask statvfs about each."""
    there = [p for p in (*PLACES, os.environ.get("HOME", "/")) if os.path.isdir(p)]
    return " ".join(p for p in there if not os.statvfs(p).f_flag & ST_NODEV)


_kit.run(attack)
