"""Threat: a core dump writes memory to a file, or is handed to the host's handler, which is root.

Layer: rlimits. It would succeed when the limit on core files is not 1: only that stops a handler,
0 does not (core(5)).
"""

import resource

import _kit


def attack() -> str | None:
    """Read both limits."""
    limits = resource.getrlimit(resource.RLIMIT_CORE)
    return f"limits are {limits}" if limits != (1, 1) else None


_kit.run(attack)
