"""Threat: SCTP and DCCP: opening a socket makes the kernel load the module.

Layer: seccomp. It would succeed when the kernel itself answers.
"""

import socket

import _kit


def attack() -> str | None:
    """Open SCTP in its three types, and DCCP."""
    SOCK_DCCP, IPPROTO_DCCP, IPPROTO_SCTP = 6, 33, 132
    sctp = [(socket.AF_INET, kind, IPPROTO_SCTP) for kind in (1, 2, 5)]
    return _kit.open_sockets(
        [*sctp, (socket.AF_INET6, 1, IPPROTO_SCTP), (2, SOCK_DCCP, IPPROTO_DCCP)]
    )


_kit.run(attack)
