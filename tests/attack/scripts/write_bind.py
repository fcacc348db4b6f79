"""Threat: a read-only volume is written to, by any of the ways that change a file.

Layer: the read-only flag of the bind. It would succeed when /data/victim, which everybody may
write, changes in any way; the file is the test's own.
"""

import os

import _kit

VICTIM = "/data/victim"


def attack() -> str | None:
    """Write, truncate, chmod, rename, link, unlink, set times and attributes."""
    done = [_kit.writable(VICTIM)]
    trials = {
        "truncate": lambda: os.truncate(VICTIM, 0),
        "chmod": lambda: os.chmod(VICTIM, 0o600),
        "link": lambda: os.link(VICTIM, "/data/other"),
        "rename": lambda: os.rename(VICTIM, "/data/renamed"),
        "create": lambda: os.close(os.open("/data/new", os.O_CREAT | os.O_WRONLY)),
        "utime": lambda: os.utime(VICTIM),
        "setxattr": lambda: os.setxattr(VICTIM, "user.x", b"1"),
        "unlink": lambda: os.unlink(VICTIM),
    }
    for name, trial in trials.items():
        try:
            trial()
            done.append(name)
        except OSError:
            pass
    return ", ".join(filter(None, done))


_kit.run(attack)
