"""Threat: a root that may be changed opens what has to stay closed: /proc, /dev, /sys, mounts.

Layer: read-only mounts. It would succeed when one of these takes a file or a value.
"""

import os

import _kit

FILES = "/dev/x /sys/x /proc/x /attack/x /proc/self/comm /proc/self/oom_score_adj".split()


def attack() -> str | None:
    """Write to each; what was made is removed."""
    done = []
    for path in FILES:
        try:
            with open(path, "w") as file:
                file.write("950")
        except OSError:
            continue
        done.append(path)
        if path.endswith("/x"):
            os.unlink(path)
    return " ".join(done)


_kit.run(attack)
