"""Threat: the read-only flag of the root is lost, through a bug of ours or of the kernel.

Layer: Landlock, alone: the test leaves the read-only flags out and runs as uid 0, who owns the
root directory. It would succeed when a file can be made at the root all the same.
"""

import os

import _kit


def attack() -> str | None:
    """Make a file and a directory at the root."""
    done = []
    for name, make in (("file", lambda p: os.close(os.open(p, 0o101))), ("folder", os.mkdir)):
        try:
            make(f"/attack-{name}")
            done.append(name)
        except OSError:
            pass
    return " ".join(done)


_kit.run(attack)
