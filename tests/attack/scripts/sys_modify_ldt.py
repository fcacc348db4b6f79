"""Threat: modify_ldt gives code segments of one's own; old, odd, and exploited before.

Layer: seccomp. It would succeed when the kernel itself answers modify_ldt().
"""

import platform

import _kit


def attack() -> str | None:
    """Read and write the table (on machines that have one)."""
    calls = [("modify_ldt", 0, None, 0), ("modify_ldt", 1, None, 0), ("modify_ldt", 0x11, None, 16)]
    return _kit.reached(calls) if platform.machine() == "x86_64" else None


_kit.run(attack)
