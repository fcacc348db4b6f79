"""Threat: perf_event_open measures other processes and has a long list of exploits.

Layer: seccomp. It would succeed when the kernel itself answers perf_event_open().
"""

import _kit

CALLS = [
    ("perf_event_open", None, 0, -1, -1, 0),
]


def attack() -> str | None:
    """Make each call with arguments that change nothing."""
    return _kit.reached(CALLS)


_kit.run(attack)
