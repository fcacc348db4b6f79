"""Threat: meminfo, cpuinfo, stat, loadavg and uptime let sandboxes watch the host's load.

Layer: /proc without these (subset=pid). It would succeed when the host's figures can be read.
"""

import _kit


def attack() -> str | None:
    """Read each."""
    return _kit.readable(
        *(f"/proc/{n}" for n in ("meminfo", "stat", "loadavg", "uptime", "cpuinfo"))
    )


_kit.run(attack)
