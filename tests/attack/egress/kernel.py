"""kernel - what a program could ask the kernel for, beside the network that it was given."""

import socket
import struct

import _kit

NEW_ADDRESS, DELETE_ROUTE = 20, 25
ACKNOWLEDGE = 0x1 | 0x4  # NLM_F_REQUEST, NLM_F_ACK
VSOCK = 40


def _change(kind: int, body: bytes) -> int:
    """Ask for a change of the network; return the error, 0 if it was made."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as kernel:
        kernel.send(struct.pack("=IHHII", 16 + len(body), kind, ACKNOWLEDGE, 1, 0) + body)
        return -struct.unpack_from("=i", kernel.recv(4096), 16)[0]


def routes() -> str:
    """Addresses and routes changed from inside: the route that makes all addresses local is removed."""
    loopback = struct.pack("=BBBBI", socket.AF_INET, 32, 0, 0, 1) + struct.pack("=HH4B", 8, 2, 10, 9, 9, 9)
    everything = struct.pack("=BBBBBBBBI", socket.AF_INET, 0, 0, 0, 255, 0, 254, 2, 0)
    try:
        errors = [_change(NEW_ADDRESS, loopback), _change(DELETE_ROUTE, everything)]
    except OSError as refusal:
        if refusal.errno not in _kit.REFUSED:
            raise
        return ""
    return "changed" if 0 in errors else ""


def sockets() -> str:
    """ICMP, raw sockets, packets, vsock."""
    wanted = [
        (socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
        (socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6),
        (socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW),
        (socket.AF_PACKET, socket.SOCK_DGRAM, 0),
        (VSOCK, socket.SOCK_STREAM, 0),
    ]
    return _kit.open_sockets(wanted)
