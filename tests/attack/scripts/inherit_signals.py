"""Threat: ignored and blocked signals survive exec: a program that nohup started, or a service
manager, passes them on, and then timeouts and Ctrl-C do nothing.

Layer: signals. It would succeed when a signal is blocked, or ignored by anyone but Python.
"""

import _kit

PYTHON_IGNORES = 1 << 12 | 1 << 24  # SIGPIPE, SIGXFSZ


def attack() -> str | None:
    """Read both masks."""
    with open("/proc/self/status", encoding="ascii") as file:
        rows = dict(line.rstrip("\n").split(":\t", 1) for line in file if line.startswith("Sig"))
    found = []
    if int(rows["SigBlk"], 16):
        found.append(f"blocked {rows['SigBlk']}")
    if int(rows["SigIgn"], 16) & ~PYTHON_IGNORES:
        found.append(f"ignored {rows['SigIgn']}")
    return ", ".join(found)


_kit.run(attack)
