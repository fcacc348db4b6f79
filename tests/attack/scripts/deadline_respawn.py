"""Threat: processes that are born faster than they are killed one by one.

Layer: the pid namespace dies as a whole. It would succeed when the chain of processes lives on
for the seconds given as argument.
"""

import os
import sys
import time

import _kit


def attack() -> str | None:
    """Keep a chain of processes going, each in a session of its own; wait for its end."""
    end = time.monotonic() + float(sys.argv[1])
    read_end, write_end = os.pipe()
    if os.fork() == 0:
        while time.monotonic() < end:
            try:
                child = os.fork()
            except BlockingIOError:  # pid 1 has yet to reap those before
                continue
            if child:
                os._exit(0)
            os.setsid()
        os.write(write_end, b".")
        os._exit(0)
    os.close(write_end)
    return "it outlived its deadline" if os.read(read_end, 1) else None


_kit.run(attack)
