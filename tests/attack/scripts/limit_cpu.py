"""Threat: endless loops in many processes take every CPU.

Layer: the cgroup's cpu limit. It would succeed when two busy processes get more than the
percentage given, of one CPU, over a second; the second argument is the number of
tries, since on a busy machine others may have taken the CPUs first.
"""

import os
import resource
import sys
import time

import _kit


def attack() -> str | None:
    """Try to get more than the share."""
    for _ in range(int(sys.argv[2])):
        if (got := share()) > int(sys.argv[1]):
            return f"{got:.0f} % of a CPU"
    return None


def share() -> float:
    """Burn for a second in two processes; return their cpu time in percent of the clock's."""
    start, before = time.monotonic(), cpu_time()
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
    return 100 * (cpu_time() - before) / (time.monotonic() - start)


def cpu_time() -> float:
    """Return the seconds of CPU time of all children so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


_kit.run(attack)
