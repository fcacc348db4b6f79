"""Threat: a caller without address randomisation (setarch -R) passes that on.

Layer: umask, which resets the personality. It would succeed when it is not the normal one.
"""

import _kit


def attack() -> str | None:
    """Read it."""
    value, error = _kit.syscall("personality", 0xFFFFFFFF)
    if error == 0:
        return f"personality {value:#x}" if value else None
    with open("/proc/self/personality", encoding="ascii") as file:
        value = int(file.read(), 16)
    return f"personality {value:#x}" if value else None


_kit.run(attack)
