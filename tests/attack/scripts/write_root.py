"""Threat: a changed file in the root outlives the run, or changes what later code does.

Layer: read-only root, Landlock behind it. It would succeed when a file can be made anywhere
but in the scratch directories (of which the home is one).
"""

import os

import _kit

PLACES = "/ /etc /usr /usr/bin /usr/lib /var /run /opt /dev /proc /attack /home /root /srv".split()


def attack() -> str | None:
    """Make (and remove) a file in each."""
    done = []
    for folder in set(PLACES) - {os.environ.get("HOME")}:
        path = os.path.join(folder, f"glovebox-attack-{os.getpid()}")
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            os.unlink(path)
            done.append(folder)
        except OSError:
            pass
    return " ".join(done)


_kit.run(attack)
