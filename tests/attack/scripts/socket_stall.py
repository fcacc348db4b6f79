"""Threat: an option of a socket makes whoever closes or reads it wait.

Layer: seccomp. It would succeed when SO_LINGER or SO_RCVLOWAT takes effect; both calls succeed,
because programs make them in good faith.
"""

import socket
import struct

import _kit


def attack() -> str:
    """Set both, and look."""
    found = []
    with socket.socket() as tcp:
        tcp.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 60))
        if struct.unpack("ii", tcp.getsockopt(socket.SOL_SOCKET, socket.SO_LINGER, 8))[0]:
            found.append("SO_LINGER")
    for end in socket.socketpair():
        with end:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 1 << 20)
            if end.getsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT) != 1:
                found.append("SO_RCVLOWAT")
    return ", ".join(found)


_kit.run(attack)
