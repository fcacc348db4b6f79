"""Threat: the script changes itself: what was reviewed is not what is kept.

Layer: a read-only bind. It would succeed when /code/script.py or its directory can be written,
or the file can be written through the interpreter's own descriptors.
"""

import os

import _kit

SCRIPT = "/code/script.py"


def attack() -> str | None:
    """Try the path, its directory, and a descriptor opened for reading and opened again."""
    done = [_kit.writable(SCRIPT)]
    held = os.open(SCRIPT, os.O_RDONLY)
    done.append(_kit.writable(f"/proc/self/fd/{held}"))
    trials = {
        "chmod": lambda: os.chmod(SCRIPT, 0o777),
        "rename": lambda: os.rename(SCRIPT, "/code/old.py"),
        "create": lambda: os.close(os.open("/code/new.py", os.O_CREAT | os.O_WRONLY)),
    }
    for name, trial in trials.items():
        try:
            trial()
            done.append(name)
        except OSError:
            pass
    return ", ".join(filter(None, done))


_kit.run(attack)
