"""Threat: without -i the caller's standard input is not the program's to read.

Layer: stdio. It would succeed when anything can be read.
"""

import os

import _kit


def attack() -> str | None:
    """Read."""
    data = os.read(0, 40)
    return repr(data) if data else None


_kit.run(attack)
