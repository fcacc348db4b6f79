"""Threat: limits that can be raised are none.

Layer: rlimits (hard) and capabilities. It would succeed when a hard limit that is finite can
be raised, or one that matters is not set at all.
"""

import resource

import _kit

MATTER = ("CORE", "NOFILE", "SIGPENDING", "MSGQUEUE", "MEMLOCK", "NICE", "RTPRIO")


def attack() -> str | None:
    """Raise each by one."""
    found = []
    for name in MATTER:
        which = getattr(resource, f"RLIMIT_{name}")
        soft, hard = resource.getrlimit(which)
        if hard == resource.RLIM_INFINITY:
            found.append(f"{name} is unlimited")
            continue
        try:
            resource.setrlimit(which, (soft, hard + 1))
            if resource.getrlimit(which) != (soft, hard):
                found.append(f"{name} was raised")
        except (OSError, ValueError):
            pass
    return ", ".join(found)


_kit.run(attack)
