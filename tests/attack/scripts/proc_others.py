"""Threat: /proc lists processes that are not the sandbox's own.

Layer: pid namespace, with a /proc of its own. It would succeed when a process is listed that
is neither we nor pid 1 nor a kernel-made link.
"""

import os

import _kit


def attack() -> str | None:
    """List processes that we did not start."""
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    foreign = [pid for pid in pids if pid not in (1, os.getpid(), os.getppid())]
    beyond = "parent is outside the namespace" if os.getppid() == 0 else ""
    return ", ".join(filter(None, [beyond, " ".join(map(str, foreign))]))


_kit.run(attack, host=True)
