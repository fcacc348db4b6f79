"""Threat: Multipath TCP is a young protocol with a history of memory errors.

Layer: seccomp. It would succeed when the kernel itself answers socket(..., IPPROTO_MPTCP).
"""

import socket

import _kit


def attack() -> str | None:
    """Open it over IPv4 and IPv6."""
    IPPROTO_MPTCP = 262
    families = (socket.AF_INET, socket.AF_INET6)
    return _kit.open_sockets((f, socket.SOCK_STREAM, IPPROTO_MPTCP) for f in families)


_kit.run(attack)
