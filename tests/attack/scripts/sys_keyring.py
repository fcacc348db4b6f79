"""Threat: keyrings are shared with whoever has the same uid and session, and were exploited often.

Layer: seccomp. It would succeed when the kernel itself answers a key management call.
"""

import _kit

CALLS = [
    ("add_key", b"user", b"glovebox", b"x", 1, -2),
    ("request_key", b"user", b"glovebox", None, 0),
    ("keyctl", 0, -3, 0),
]


def attack() -> str | None:
    """Make each call with arguments that change nothing."""
    return _kit.reached(CALLS)


_kit.run(attack)
