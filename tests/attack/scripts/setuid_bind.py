"""Threat: a set-uid program in a mounted directory runs with its owner's rights.

Layer: nosuid mounts, no_new_privs, and a user namespace to which the host's root is unknown.
It would succeed when the mount allows set-uid, or when the copy in /data changes an id.
"""

import os
import subprocess

import _kit


def attack() -> str | None:
    """Ask the mount, and run the program, which prints its effective user."""
    found = [] if os.statvfs("/data").f_flag & os.ST_NOSUID else ["/data is mounted with suid"]
    answer = subprocess.run(["/data/id", "-u"], capture_output=True, text=True, check=False)
    if answer.returncode == 0 and int(answer.stdout) != os.getuid():
        found.append(f"runs as {answer.stdout.strip()}")
    return ", ".join(found)


_kit.run(attack)
