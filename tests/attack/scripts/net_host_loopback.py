"""Threat: services on the host's loopback trust whoever reaches them.

Layer: network namespace. It would succeed when the test's service, whose port is the argument,
answers on either address.
"""

import socket
import sys

import _kit


def attack() -> str | None:
    """Connect."""
    for address in ("127.0.0.1", "::1", "0.0.0.0"):
        try:
            with socket.create_connection((address, int(sys.argv[1])), timeout=5) as there:
                return f"{address} says {there.recv(40)!r}"
        except OSError:
            pass
    return None


_kit.run(attack)
