"""Threat: a cell takes memory or processes without end, to bring down its nursery or others."""

import os
import sys

from _warm import _kit


def fork() -> None:
    """Fork, and have the children do the same, until the group is full; and go on."""
    while True:
        try:
            os.fork()
        except OSError:
            pass


def memory() -> None:
    """Take memory, in every process that there may be."""
    kept = []
    for _ in range(4):
        try:
            os.fork()
        except OSError:
            break
    while True:
        kept.append(b"x" * (1 << 20))


print("READY", flush=True)
{"fork": fork, "memory": memory}[sys.argv[1]]()
_kit.run(lambda: "it returned")
