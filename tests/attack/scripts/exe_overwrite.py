"""Threat: CVE-2019-5736: keep a descriptor of the runtime's binary through /proc/PID/exe, wait
until it is no longer busy, write into it; the next run executes it as the host's root.

Layer: hidepid and a pid 1 that is not dumpable keep the link shut. It would succeed when
/proc/1/exe opens in any way, even O_PATH, or when the binary is found writable.
"""

import os

import _kit

O_PATH = 0o10000000


def attack() -> str | None:
    """Open the link of pid 1 (and of our parent) in every way, and reopen the descriptor."""
    found = []
    for pid in {1, os.getppid()}:
        for flags in (O_PATH, os.O_RDONLY, os.O_WRONLY, os.O_RDWR):
            try:
                held = os.open(f"/proc/{pid}/exe", flags | os.O_CLOEXEC)
            except OSError:
                continue
            found.append(f"/proc/{pid}/exe opens with {flags:#o}")
            if _kit.writable(f"/proc/self/fd/{held}"):
                found.append("and is writable")
    return ", ".join(found)


_kit.run(attack)
