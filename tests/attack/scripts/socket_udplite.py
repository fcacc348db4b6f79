"""Threat: UDP-Lite, hardly used and hardly looked at.

Layer: seccomp. It would succeed when the kernel itself answers socket(..., IPPROTO_UDPLITE).
"""

import socket

import _kit


def attack() -> str | None:
    """Open it over IPv4 and IPv6."""
    families = (socket.AF_INET, socket.AF_INET6)
    return _kit.open_sockets((f, socket.SOCK_DGRAM, socket.IPPROTO_UDPLITE) for f in families)


_kit.run(attack)
