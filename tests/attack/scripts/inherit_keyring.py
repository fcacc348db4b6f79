"""Threat: the session keyring crosses every namespace: tickets and disk keys of the caller.

Layer: keyring, seccomp in front of it. It would succeed when the key of the test, whose
description is the argument, is found.
"""

import sys

import _kit

KEYCTL_SEARCH, SESSION_KEYRING = 10, -3


def attack() -> str | None:
    """Search our session keyring."""
    name = sys.argv[1].encode()
    key, error = _kit.syscall("keyctl", KEYCTL_SEARCH, SESSION_KEYRING, b"user", name, 0)
    return None if error else f"key {key}"


_kit.run(attack)
