"""Threat: the working directory of the caller is outside of the root, and so is what is below.

Layer: workdir, after the change of root. It would succeed when the file named as argument is
found from the working directory, or the directory has no path below our root.
"""

import os
import sys

import _kit


def attack() -> str | None:
    """Look around, and up."""
    where = os.readlink("/proc/self/cwd")
    found = ["it is unreachable"] if where.startswith("(unreachable)") else []
    found += [path for path in (sys.argv[1], f"../{sys.argv[1]}") if os.path.exists(path)]
    return ", ".join(found)


_kit.run(attack, host=True)
