"""Threat: /dev/null is the host's own inode: its mode and owner can be changed, or it can be
replaced for all.

Layer: read-only mounts, ids of its own. It would succeed when a node or the directory changes.
"""

import os
import stat

import _kit


def attack() -> str | None:
    """Set the mode that it has, rename and add nodes; try to make one, too."""
    done = []
    trials = {
        "chmod": lambda: os.chmod("/dev/null", stat.S_IMODE(os.stat("/dev/null").st_mode)),
        "rename": lambda: os.rename("/dev/zero", "/dev/one"),
        "create": lambda: open("/dev/extra", "x", encoding="ascii").close(),
        "mknod": lambda: os.mknod("/tmp/kmsg", 0o666 | stat.S_IFCHR, os.makedev(1, 11)),
        "mknod block": lambda: os.mknod("/dev/shm/disk", 0o666 | stat.S_IFBLK, os.makedev(8, 0)),
    }
    for name, trial in trials.items():
        try:
            trial()
            done.append(name)
        except OSError:
            pass
    return ", ".join(done)


_kit.run(attack)
