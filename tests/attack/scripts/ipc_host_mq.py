"""Threat: POSIX message queues of the host's programs.

Layer: ipc namespace, seccomp before it. It would succeed when the test's queue, whose name is
the argument, opens.
"""

import sys

import _kit


def attack() -> str | None:
    """Open it."""
    queue, error = _kit.syscall("mq_open", sys.argv[1].encode(), 0, 0, None)
    return None if error else f"descriptor {queue}"


_kit.run(attack)
