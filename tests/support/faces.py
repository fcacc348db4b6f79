"""faces - the other APIs of a server (--face)."""

import re

from support.serve import Server


def face_of(server: Server, name: str) -> str:
    """Return the URL of another API of a server (--face)."""
    found = [match[1] for line in server.said if (match := re.search(rf"serving {name} on (\S+)", line))]
    assert len(found) == 1, server.said
    return found[0]
