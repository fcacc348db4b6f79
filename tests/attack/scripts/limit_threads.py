"""Threat: a fork bomb of threads, which a limit on processes may not count.

Layer: the cgroup's pids limit. It would succeed when as many threads as given live at once.
"""

import sys
import threading

import _kit


def attack() -> str | None:
    """Start threads that wait."""
    end = threading.Event()
    threading.stack_size(64 << 10)
    try:
        for _ in range(int(sys.argv[1])):
            threading.Thread(target=end.wait, daemon=True).start()
    except RuntimeError:
        return None
    return f"{sys.argv[1]} threads"


_kit.run(attack)
