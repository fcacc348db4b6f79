"""Threat: keys and passwords in the caller's environment.

Layer: the environment is built from nothing. It would succeed when the word given as argument
shows up in our environment or in that of any process that can be seen.
"""

import glob
import os
import sys

import _kit


def attack() -> str | None:
    """Search both."""
    secret = "".join(sys.argv[1:])
    found = [name for name, value in os.environ.items() if secret in value]
    for path in (*glob.glob("/proc/[0-9]*/environ"), "/proc/1/environ"):
        try:
            with open(path, "rb") as file:
                found += [path] if secret.encode() in file.read() else []
        except OSError:
            pass
    return ", ".join(found)


_kit.run(attack, host=True)
