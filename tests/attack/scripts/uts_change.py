"""Threat: another host name, with which to deceive.

Layer: capabilities, seccomp before them. It would succeed when the name changes.
"""

import os

import _kit


def attack() -> str | None:
    """Set it."""
    _kit.syscall("sethostname", b"deceived", 8)
    return "it is now deceived" if os.uname().nodename == "deceived" else None


_kit.run(attack)
