"""Threat: mount, umount and pivot_root take the view of the file system apart.

Layer: seccomp. It would succeed when the kernel itself answers. Arguments are invalid where
the calls would otherwise do something.
"""

import _kit

MS_BIND, MS_REMOUNT, MS_NOUSER = 0x1000, 0x20, 1 << 31


def attack() -> str | None:
    """Call each with a bad pointer; the kernel copies arguments before it looks at rights."""
    calls = [
        ("mount", 1, 1, 1, MS_BIND, None),
        ("mount", None, 1, None, MS_BIND | MS_REMOUNT, None),
        ("umount2", 1, 0),
        ("umount2", 1, 0x7FFFFFFF),
        ("pivot_root", 1, 1),
    ]
    return _kit.reached(calls)


_kit.run(attack)
