"""Threat: one capability left in any set is one door left open.

Layer: capabilities. It would succeed when any of the five sets is not empty, or when a user
with id 0 inside gets some back by an exec.
"""

import os
import subprocess
import sys

import _kit


def held() -> list[str]:
    """List the sets that are not empty."""
    with open("/proc/self/status", encoding="ascii") as file:
        rows = dict(line.split(":\t") for line in file if line.startswith("Cap"))
    return [name for name, value in rows.items() if int(value, 16)]


def attack() -> str | None:
    """Look at our own sets, and at those of a program that we start."""
    if len(sys.argv) > 1:
        print(" ".join(held()), flush=True)
        os._exit(0)
    command = [sys.executable, "-E", "-s", __file__, "child"]
    child = subprocess.run(command, capture_output=True, text=True, check=False)
    return " ".join([*held(), *(f"child:{name}" for name in child.stdout.split())])


_kit.run(attack)
