"""faces - the other APIs of a server (--face)."""

import http.client
import re

from support.serve import Server, UnixConnection
from support.times import DEADLINE


def face_of(server: Server, name: str) -> str:
    """Return the URL of one."""
    found = [match[1] for line in server.said if (match := re.search(rf"serving {name} on (\S+)", line))]
    assert len(found) == 1, server.said
    return found[0]


def connect(server: Server, name: str) -> http.client.HTTPConnection:
    """Return a connection to one; close it."""
    url = face_of(server, name)
    if not url.startswith("unix:"):
        return http.client.HTTPConnection(url.removeprefix("http://"), timeout=DEADLINE)
    client = UnixConnection("localhost", timeout=DEADLINE)
    client.path = url.removeprefix("unix:")  # type: ignore[attr-defined]
    return client
