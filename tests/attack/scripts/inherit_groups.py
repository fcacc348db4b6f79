"""Threat: supplementary groups of the caller (docker, disk, adm) open files.

Layer: ids. It would succeed when we are in any group but our own. A group that the user
namespace does not know shows as the overflow group, and still counts.
"""

import os

import _kit


def attack() -> str | None:
    """List our groups."""
    foreign = set(os.getgroups()) - {os.getgid()}
    return f"groups {sorted(foreign)}" if foreign else None


_kit.run(attack, host=True)
