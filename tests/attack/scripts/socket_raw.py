"""Threat: raw IP sockets forge packets and reach rarely used code of the stack.

Layer: seccomp and capabilities. It would succeed when a raw socket opens.
"""

import socket

import _kit


def attack() -> str | None:
    """Open raw IPv4 and IPv6 sockets, also with flags in the type."""
    kinds = (socket.SOCK_RAW, socket.SOCK_RAW | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK)
    families = (socket.AF_INET, socket.AF_INET6)
    return _kit.open_sockets((f, kind, p) for f in families for kind in kinds for p in (1, 17, 255))


_kit.run(attack)
