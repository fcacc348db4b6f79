"""Threat: clone3 takes its flags in memory, where a filter cannot look.

Layer: seccomp, which answers ENOSYS so that libc falls back to clone. It would succeed when
the kernel itself answers.
"""

import _kit


def attack() -> str | None:
    """Call it with no arguments, and with a size that no kernel accepts."""
    return _kit.reached([("clone3", None, 0), ("clone3", None, 1 << 20)])


_kit.run(attack)
