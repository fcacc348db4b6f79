"""Threat: maps and links show where a file lies on the host.

Layer: a mount namespace with a root of its own. It would succeed when our own maps, working
directory, executable or descriptors name the path given as argument.
"""

import os
import sys

import _kit


def attack() -> str | None:
    """Search for the host's path."""
    secret = sys.argv[1]
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        texts = {"maps": file.read()}
    held = os.open("/attack", os.O_RDONLY)
    for link in ("cwd", "exe", "root", f"fd/{held}", "fd/0", "fd/1", "fd/2"):
        texts[link] = os.readlink(f"/proc/self/{link}")
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        texts["mountinfo"] = file.read()
    return ", ".join(name for name, text in texts.items() if secret in text)


_kit.run(attack)
