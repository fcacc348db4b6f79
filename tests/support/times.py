"""times - how long things may take here, and how to wait for them."""

import functools
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

# How long anything may take before it counts as stuck: an emulated machine is slow.
DEADLINE = float(os.environ.get("GLOVEBOX_DEADLINE", "100"))


def wait_until(condition: Callable[[], T], seconds: float = DEADLINE) -> T:
    """Wait for a condition to hold and return its value; the last value after the deadline."""
    end = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < end:
        time.sleep(0.02)
    return value


@functools.cache
def is_slow() -> bool:
    """Tell whether this machine is an emulated one, where a run takes a good part of a second.

    By its CPU's name: a real one that is busy for a moment is not slow.
    """
    return "QEMU TCG" in Path("/proc/cpuinfo").read_text()


def sample(items: Sequence[Any]) -> list[Any]:
    """Return all items, or on an emulated machine every eighth and the last."""
    return [*items[:-1:8], items[-1]] if is_slow() else list(items)


def seconds(count: float) -> str:
    """Return a duration for a limit that a program must not reach before it has started."""
    return f"{count * (10 if is_slow() else 1):g}s"
