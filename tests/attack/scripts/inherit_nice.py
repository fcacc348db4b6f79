"""Threat: a rank above others that the caller had, or real-time scheduling, is passed on.

Layer: priority. It would succeed when we run at a nice value below zero or under another policy
than the normal one, or can get there.
"""

import os

import _kit


def attack() -> str | None:
    """Read both, then try to raise them."""
    found = []
    if os.getpriority(os.PRIO_PROCESS, 0) < 0:
        found.append(f"nice {os.getpriority(os.PRIO_PROCESS, 0)}")
    if os.sched_getscheduler(0) != os.SCHED_OTHER:
        found.append(f"policy {os.sched_getscheduler(0)}")
    try:
        os.setpriority(os.PRIO_PROCESS, 0, -5)
        found.append("nice was lowered")
    except OSError:
        pass
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        found.append("real-time scheduling")
    except OSError:
        pass
    return ", ".join(found)


_kit.run(attack, host=True)
