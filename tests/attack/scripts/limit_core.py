"""Threat: a core dump writes memory to a file, or runs the host's handler as root.

Layer: rlimits. It would succeed when the limit on core files is not zero, or can be raised.
"""

import resource

import _kit


def attack() -> str | None:
    """Read both limits."""
    limits = resource.getrlimit(resource.RLIMIT_CORE)
    return f"limits are {limits}" if limits != (0, 0) else None


_kit.run(attack)
