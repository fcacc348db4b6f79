"""Threat: uid 0 (with -u 0) regains every capability at exec, unless told otherwise for good.

Layer: capabilities (locked secure bits). It would succeed when the bits are open, or can be
changed.
"""

import ctypes

import _kit

PR_GET_SECUREBITS, PR_SET_SECUREBITS = 27, 28
NOROOT, NO_SETUID_FIXUP, NO_CAP_AMBIENT_RAISE = 0b11, 0b1100, 0b11000000


def attack() -> str | None:
    """Read the bits and try to clear them."""
    libc = ctypes.CDLL(None)
    wanted = NOROOT | NO_SETUID_FIXUP | NO_CAP_AMBIENT_RAISE
    bits = libc.prctl(PR_GET_SECUREBITS, 0, 0, 0, 0)
    if bits & wanted != wanted:
        return f"secure bits are {bits:#b}"
    return "bits were cleared" if libc.prctl(PR_SET_SECUREBITS, 0, 0, 0, 0) == 0 else None


_kit.run(attack)
