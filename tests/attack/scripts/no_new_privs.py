"""Threat: a set-uid program, or one with file capabilities, gives rights at exec.

Layer: no_new_privs. It would succeed when the kernel's own mark for it is missing.
"""

import _kit


def attack() -> str | None:
    """Read the mark."""
    with open("/proc/self/status", encoding="ascii") as file:
        rows = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    return None if rows["NoNewPrivs"] == "1" else f"NoNewPrivs: {rows['NoNewPrivs']}"


_kit.run(attack)
