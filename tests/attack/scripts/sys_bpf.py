"""Threat: bpf loads programs into the kernel; its verifier is a rich source of exploits.

Layer: seccomp. It would succeed when the kernel itself answers bpf().
"""

import _kit

CALLS = [
    # unprivileged_bpf_disabled answers EPERM as the filter does, but only after it has
    # copied the attributes: a bad pointer and a bad size tell them apart.
    ("bpf", 0, None, 72),
    ("bpf", 5, None, 1 << 20),
]


def attack() -> str | None:
    """Make each call with arguments that change nothing."""
    return _kit.reached(CALLS)


_kit.run(attack)
