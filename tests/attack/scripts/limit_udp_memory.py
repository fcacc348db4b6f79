"""Threat: kernel memory in the receive queues of UDP sockets, which a limit of memory may not see.

Layer: the cgroup's limit of socket memory (v1), its memory limit (v2). It would succeed when
more MiB than the number given wait to be read.
"""

import contextlib
import socket
import sys

import _kit

SOCKETS = 900
PIECE = bytes(30000)


def waiting(receiver: socket.socket) -> int:
    """Read everything; return how much it was."""
    total = 0
    receiver.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        while True:
            total += len(receiver.recv(len(PIECE)))
    return total


def attack() -> str | None:
    """Fill every queue, then count what is in them: over a limit packets are lost."""
    wanted = int(sys.argv[1]) << 20
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receivers = []
    sent = 0
    while sent < 2 * wanted and len(receivers) < SOCKETS:
        receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        receiver.bind(("127.0.0.1", 0))
        receivers.append(receiver)
        room = receiver.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
        for _ in range(room // (2 * len(PIECE)) + 1):
            sent += sender.sendto(PIECE, receiver.getsockname())
    held = sum(map(waiting, receivers))
    return f"{held >> 20} MiB in {len(receivers)} queues" if held >= wanted else None


_kit.run(attack)
