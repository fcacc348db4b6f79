"""Threat: options that make a close or a receive wait are to be had inside.

    waits linger    a close of a stuffed TCP socket sleeps
    waits lowat     a receive sleeps although poll says that there is something
"""

import select
import socket
import sys
import time

import _kit

ENOUGH = 1.5


def lingers() -> str:
    """Close a socket that was told to linger; it must be told so without an error."""
    listener = socket.create_server(("127.0.0.1", 0))
    one = socket.create_connection(listener.getsockname())
    _kit.LINGER_S = 3
    _kit.stuff(one)
    start = time.monotonic()
    one.close()
    took = time.monotonic() - start
    return f"close took {took:.1f} s" if took > ENOUGH else ""


def waits() -> str:
    """Receive what is there; no error may come of asking for more."""
    ours, theirs = socket.socketpair()
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 100)
    ours.settimeout(None)
    theirs.send(b"x")
    if not select.select([ours], [], [], ENOUGH)[0]:
        return "poll waits for the mark"
    ours.settimeout(None)
    start = time.monotonic()
    _kit.threading.Timer(3, theirs.close).start()
    ours.recv(50)
    took = time.monotonic() - start
    return f"a receive took {took:.1f} s" if took > ENOUGH else ""


found = {"linger": lingers, "lowat": waits}[sys.argv[1]]()
print(f"ESCAPED {found}" if found else "HELD", flush=True)
sys.exit(not found)
