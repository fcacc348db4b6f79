"""Threat: kernel memory in the buffers of TCP sockets, which a limit of memory may not see.

Layer: the cgroup's limit of socket memory (v1), its memory limit (v2). It would succeed when the
buffers of connections over loopback take more MiB than the number given.
"""

import contextlib
import socket
import sys

import _kit

CONNECTIONS = 200
PIECE = bytes(1 << 18)


def fill(sender: socket.socket, wanted: int) -> int:
    """Send what nobody reads, until it would wait or is enough; return how much."""
    sent = 0
    sender.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        while sent < wanted:
            sent += sender.send(PIECE)
    return sent


def attack() -> str | None:
    """Fill connections whose both ends are ours."""
    wanted = int(sys.argv[1]) << 20
    held = 0
    keep = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        for _ in range(CONNECTIONS):
            sender = socket.create_connection(server.getsockname())
            keep += [sender, server.accept()[0]]
            held += fill(sender, wanted - held)
            if held >= wanted:
                return f"{held >> 20} MiB in {len(keep)} sockets"
    return None


_kit.run(attack)
