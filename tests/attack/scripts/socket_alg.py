"""Threat: AF_ALG exposes the kernel's cryptographic code.

Layer: seccomp. It would succeed when the kernel itself answers socket(AF_ALG).
"""

import socket

import _kit


def attack() -> str | None:
    """Open AF_ALG."""
    return _kit.open_sockets([(socket.AF_ALG, socket.SOCK_SEQPACKET, 0)])


_kit.run(attack)
