"""Threat: ptrace rewrites other processes of the same user, and undoes the filter of a tracee.

Layer: seccomp. It would succeed when a process can be traced, or asks to be.
"""

import os
import signal

import _kit

TRACEME, ATTACH, SEIZE = 0, 16, 0x4206


def attack() -> str | None:
    """Trace a child of ours, our parent, and ask to be traced."""
    child = os.fork()
    if child == 0:
        signal.pause()
        os._exit(0)
    calls = [("ptrace", TRACEME, 0, 0, 0)]
    calls += [
        ("ptrace", how, pid, 0, 0) for how in (ATTACH, SEIZE) for pid in (child, os.getppid())
    ]
    try:
        return _kit.reached(calls)
    finally:
        os.kill(child, signal.SIGKILL)


_kit.run(attack)
