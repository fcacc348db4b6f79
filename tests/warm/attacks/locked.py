"""Threat: a cell keeps a right of its nursery, or lacks a filter.

It would succeed when a capability is left in any set, in this process or in a child, when
no_new_privs is not set, or when there are not two filters: the nursery's and its own.
"""

import os

from _warm import _kit

SETS = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
LOCKED = {name: "0" * 16 for name in SETS}
LOCKED |= {"NoNewPrivs": "1", "Seccomp": "2", "Seccomp_filters": "2"}


def open_locks() -> list[str]:
    """List what is not as it should be in every thread."""
    found = []
    for thread in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{thread}/status", encoding="utf-8") as file:
            rows = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
        found += [f"{name} {rows[name]}" for name in LOCKED if rows[name] != LOCKED[name]]
    return found


def attack() -> str | None:
    """Look at ourselves and at a child."""
    found = open_locks()
    in_child = _kit.status_of_child(lambda: os._exit(len(open_locks())))
    return ", ".join([*found, *(["in a child"] if in_child else [])])


_kit.run(attack, host=True)
