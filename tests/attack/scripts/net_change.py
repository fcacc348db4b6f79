"""Threat: interfaces, addresses, routes, rules and queues of the network are changed through netlink.

Layer: seccomp; then capabilities. It would succeed when the kernel makes one of the changes.
"""

import errno
import socket
import struct

import _kit

REQUEST, ACKNOWLEDGE, CREATE = 0x1, 0x4, 0x400  # NLM_F_*
INET, EXCLUSIVE = socket.AF_INET, 0x200
LO = 1


def attribute(kind: int, body: bytes) -> bytes:
    """Return an attribute, as rtnetlink(7) has them."""
    return struct.pack("=HH", 4 + len(body), kind) + body + bytes(-len(body) % 4)


def link(index: int, flags: int = 0, change: int = 0) -> bytes:
    """Return a struct ifinfomsg."""
    return struct.pack("=BxHiII", 0, 0, index, flags, change)


HERE = socket.inet_aton("10.9.9.9")
# type, name, body
CHANGES = (
    (16, "NEWLINK", link(0) + attribute(18, attribute(1, b"dummy\0"))),
    (19, "SETLINK", link(LO, 0, 1)),
    (19, "SETLINK_MTU", link(LO) + attribute(4, struct.pack("=I", 9000))),
    (17, "DELLINK", link(LO)),
    (20, "NEWADDR", struct.pack("=BBBBI", INET, 32, 0, 0, LO) + attribute(2, HERE)),
    (24, "NEWROUTE", struct.pack("=BBBBBBBBI", INET, 32, 0, 0, 254, 4, 0, 6, 0) + attribute(1, HERE)),
    (28, "NEWNEIGH", struct.pack("=BxxxiHBB", INET, LO, 0x80, 0, 0) + attribute(1, HERE)),
    (32, "NEWRULE", struct.pack("=BBBBBBBBI", INET, 0, 0, 0, 254, 0, 0, 1, 0)),
    (36, "NEWQDISC", struct.pack("=BxxxiIII", 0, LO, 0, 0xFFFFFFFF, 0) + attribute(1, b"pfifo\0")),
    (88, "NEWNSID", struct.pack("=Bxxx", 0) + attribute(1, struct.pack("=i", 7)) + attribute(2, struct.pack("=I", 1))),
    (21, "DELADDR", struct.pack("=BBBBI", INET, 8, 0, 0, LO) + attribute(2, socket.inet_aton("127.0.0.1"))),
)


def change(kind: int, body: bytes) -> int:
    """Ask the kernel for a change; return its answer, 0 if it was made."""
    flags = REQUEST | ACKNOWLEDGE | CREATE | EXCLUSIVE
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as kernel:
        kernel.send(struct.pack("=IHHII", 16 + len(body), kind, flags, 1, 0) + body)
        length, answer, *_, error = struct.unpack_from("=IHHIIi", kernel.recv(8192))
    return -error if answer == 2 else length


def attack() -> str:
    """Ask for each; say which were not refused for want of a right."""
    try:
        answers = {name: change(kind, body) for kind, name, body in CHANGES}
    except OSError as refusal:
        if refusal.errno not in _kit.REFUSED:
            raise
        return ""
    return " ".join(f"{n}={errno.errorcode.get(a, a)}" for n, a in answers.items() if a != errno.EPERM)


_kit.run(attack)
