"""Threat: a connected socket of the caller speaks with the caller's authority.

Layer: close-fds. It would succeed when a descriptor beyond the standard three is a socket that
says what the test has sent.
"""

import os
import socket
import stat

import _kit


def attack() -> str | None:
    """Receive from each socket."""
    for fd in range(3, 1024):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                with socket.socket(fileno=fd) as there:
                    return f"descriptor {fd} says {there.recv(40, socket.MSG_DONTWAIT)!r}"
        except OSError:
            continue
    return None


_kit.run(attack)
