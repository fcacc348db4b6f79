"""Threat: a volume's source is replaced by a link to somewhere else between the check and the
mount.

Layer: the supervisor remembers what it looked at, and a mount of anything else is refused. It
would succeed when /data is neither of the two directories that the test swaps.
"""

import os

import _kit


def attack() -> str | None:
    """Look for the mark that each of the test's directories has."""
    return None if os.path.exists("/data/mark") else f"/data holds {os.listdir('/data')[:5]}"


_kit.run(attack)
