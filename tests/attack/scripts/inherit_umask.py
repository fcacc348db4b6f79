"""Threat: with the caller's umask of 0, files that others may write appear on the host.

Layer: umask. It would succeed when the mask lets group or others write.
"""

import os

import _kit


def attack() -> str | None:
    """Read the mask."""
    mask = os.umask(0o022)
    return f"umask {mask:03o}" if mask & 0o022 != 0o022 else None


_kit.run(attack)
