"""Threat: setting clocks: the clock is shared with the whole machine.

Layer: seccomp. It would succeed when the kernel itself answers a call that would set one.
"""

import _kit

CALLS = [
    # A bad pointer or clock: the kernel answers EFAULT or EINVAL before any permission.
    ("clock_settime", 0, None),
    ("clock_settime", 77, None),
    ("settimeofday", 1, None),
    ("clock_adjtime", 77, None),
]


def attack() -> str | None:
    """Make each call with arguments that change nothing."""
    return _kit.reached(CALLS)


_kit.run(attack)
