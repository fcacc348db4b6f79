"""Threat: mountinfo shows host paths: of images, scripts, the user's directories.

Layer: hide-mounts: the root is a tree that no mount namespace lists. It would succeed when
any of our own mounts is described.
"""

import _kit


def attack() -> str | None:
    """Read the three files that list mounts."""
    lines = []
    for name in ("mountinfo", "mounts", "mountstats"):
        with open(f"/proc/self/{name}", encoding="utf-8") as file:
            lines += [f"{name}: {line.strip()}" for line in file]
    return f"{len(lines)} lines, as {lines[-1]}" if lines else None


_kit.run(attack)
