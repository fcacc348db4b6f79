"""Threat: a device node in a mounted directory opens the device.

Layer: nodev mounts. It would succeed when /data/zero, made by the test as a copy of
/dev/zero, opens.
"""

import _kit


def attack() -> str | None:
    """Open it."""
    return _kit.readable("/data/zero")


_kit.run(attack)
