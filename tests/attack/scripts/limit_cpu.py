"""Threat: endless loops in many processes take every processor.

Layer: the cgroup's cpu limit. It would succeed when two busy processes get more than the
percentage given, of one processor, over a second.
"""

import os
import resource
import sys
import time

import _kit


def attack() -> str | None:
    """Burn for a second in two processes and compare cpu time with the clock."""
    start = time.monotonic()
    children = []
    for _ in range(2):
        child = os.fork()
        if child == 0:
            while time.monotonic() < start + 1:
                pass
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    share = 100 * (used.ru_utime + used.ru_stime) / (time.monotonic() - start)
    return f"{share:.0f} % of a processor" if share > int(sys.argv[1]) else None


_kit.run(attack)
