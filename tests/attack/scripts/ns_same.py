"""Threat: a namespace that is shared with the host is no boundary.

Layer: the namespaces that the sandbox is born into. It would succeed when ours, named by the
first argument, has the inode number of the host's, the second.
"""

import os
import sys

import _kit


def attack() -> str | None:
    """Compare."""
    inode = os.stat(f"/proc/self/ns/{sys.argv[1]}").st_ino
    return f"it is the host's: {inode}" if inode == int(sys.argv[2]) else None


_kit.run(attack, host=True)
