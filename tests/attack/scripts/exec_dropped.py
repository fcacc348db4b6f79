"""Threat: a downloaded program is written to a scratch directory and run.

Layer: noexec where nothing needs exec. It would succeed when a copied program runs from
/tmp, /dev/shm or the home.
"""

import os
import shutil
import subprocess

import _kit


def attack() -> str | None:
    """Copy /usr/bin/true to each and run it."""
    done = []
    for folder in ("/tmp", "/dev/shm", os.environ.get("HOME", "/tmp")):
        copy = os.path.join(folder, "dropped")
        try:
            shutil.copy("/usr/bin/true", copy)
            os.chmod(copy, 0o755)
            if subprocess.run([copy], check=False).returncode == 0:
                done.append(folder)
        except OSError:
            pass
    return " ".join(done)


_kit.run(attack)
