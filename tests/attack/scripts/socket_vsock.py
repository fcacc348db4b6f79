"""Threat: AF_VSOCK is in no network namespace: it reaches the hypervisor and its other guests.

Layer: seccomp. It would succeed when the kernel itself answers socket(AF_VSOCK).
"""

import socket

import _kit


def attack() -> str | None:
    """Open each type of AF_VSOCK socket."""
    AF_VSOCK = 40
    kinds = (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET)
    return _kit.open_sockets((AF_VSOCK, kind, 0) for kind in kinds)


_kit.run(attack)
