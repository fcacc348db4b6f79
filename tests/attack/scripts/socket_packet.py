"""Threat: AF_PACKET sees every frame; its ring buffers gave several kernel exploits.

Layer: seccomp and capabilities. It would succeed when a packet socket opens.
"""

import socket

import _kit


def attack() -> str | None:
    """Open its raw, cooked and obsolete types."""
    ETH_P_ALL = 0x0300  # in network byte order
    return _kit.open_sockets((socket.AF_PACKET, kind, ETH_P_ALL) for kind in (3, 2, 10))


_kit.run(attack)
