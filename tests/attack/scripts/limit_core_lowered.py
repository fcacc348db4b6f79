"""Threat: a limit of 0 on core files has the kernel hand a crash to the host's handler after all.

Layer: seccomp. It would succeed when a program could lower its limit from 1 to 0.
"""

import resource

import _kit


def attack() -> str | None:
    """Lower it by both calls; both say that it went well, because programs do this in good faith."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        resource.prlimit(0, resource.RLIMIT_CORE, (0, 0))
    except PermissionError:
        pass
    limits = resource.getrlimit(resource.RLIMIT_CORE)
    return f"limits are {limits}" if limits != (1, 1) else None


_kit.run(attack)
