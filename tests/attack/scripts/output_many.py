"""Threat: more files than the host's directory, or the user, can bear.

Layer: the inode limit of the staging tmpfs. It would succeed when more than the number given
can be made in /output.
"""

import os
import sys

import _kit


def attack() -> str | None:
    """Make empty files until it fails."""
    try:
        for count in range(int(sys.argv[1])):
            os.close(os.open(f"/output/{count}", os.O_CREAT | os.O_WRONLY))
    except OSError:
        return None
    return f"{sys.argv[1]} files"


_kit.run(attack)
