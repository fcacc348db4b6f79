"""Threat: setns enters the namespaces of any process or mounted file that can be opened.

Layer: seccomp. It would succeed when the kernel itself answers, for a namespace of ours, for
a pidfd, or for no descriptor at all.
"""

import os

import _kit


def attack() -> str | None:
    """Try to enter each namespace that can be opened."""
    calls = [("setns", -1, 0)]
    for name in ("user", "mnt", "pid", "net", "ipc", "uts", "cgroup"):
        for owner in ("self", "1"):
            try:
                calls.append(("setns", os.open(f"/proc/{owner}/ns/{name}", os.O_RDONLY), 0))
            except OSError:
                pass
    return _kit.reached(calls)


_kit.run(attack)
