"""Threat: a fork bomb.

Layer: the cgroup's pids limit. It would succeed when as many processes as given live at once;
the bomb ends itself there.
"""

import os
import signal
import sys

import _kit


def attack() -> str | None:
    """Fork until it fails or the number is reached; end all of them."""
    children = []
    try:
        while len(children) < int(sys.argv[1]):
            child = os.fork()
            if child == 0:
                signal.pause()
                os._exit(0)
            children.append(child)
    except OSError:
        return None
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
        for child in children:
            os.waitpid(child, 0)
    return f"{len(children)} processes"


_kit.run(attack)
