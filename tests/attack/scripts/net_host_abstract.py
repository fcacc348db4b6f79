"""Threat: abstract unix sockets are in no directory: D-Bus, X11, containerd-shim
(CVE-2020-15257).

Layer: network namespace, Landlock behind it. It would succeed when the test's socket, whose
name is the argument, answers.
"""

import socket
import sys

import _kit


def attack() -> str | None:
    """Connect; then look for others in the list."""
    with socket.socket(socket.AF_UNIX) as there:
        try:
            there.connect("\0" + sys.argv[1])
            return f"it says {there.recv(40)!r}"
        except OSError:
            return None


_kit.run(attack)
