"""bystander - how long things take on this machine now, for what has nothing to do with what is tested.

What is promised to be quick is quick beside it: a machine that is busy, or stands still, holds both up.
"""

import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType


def start_a_program() -> None:
    """Start one that does nothing."""
    subprocess.run(["true"], check=True)


def write_files(folder: Path, count: int = 256) -> None:
    """Write small files, give them their names, and wait once until the disk has them."""
    for number in range(count):
        (folder / f"{number}.new").write_bytes(b"x")
        (folder / f"{number}.new").rename(folder / str(number))
    subprocess.run(["sync", "--file-system", folder], check=True)


class Bystander:
    """Does something of its own, all the time, and remembers how long this took: the longest, and altogether."""

    def __init__(self, work: Callable[[], None] = start_a_program) -> None:
        """Start it by `with`."""
        self.worst_s = 0.0
        self._sum_s = 0.0
        self._began = 0.0  # what it does now; 0: it rests
        self._work = work
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._stand_by, daemon=True)

    def _stand_by(self) -> None:
        while not self._is_over.is_set():
            self._began = time.monotonic()
            self._work()
            took = time.monotonic() - self._began
            self._began, self._sum_s = 0.0, self._sum_s + took
            self.worst_s = max(self.worst_s, took)
            self._is_over.wait(0.05)

    def __enter__(self) -> "Bystander":
        """Begin."""
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        """End."""
        self._is_over.set()
        self._thread.join()

    def waited_s(self) -> float:
        """Return how long it has taken altogether so far: nearly all of the time on a machine that stands still."""
        began, so_far = self._began, self._sum_s
        return so_far + (time.monotonic() - began if began else 0.0)

    def beyond(self, took_s: float) -> float:
        """Return what is left of a time when four times the bystander's longest is taken off."""
        return took_s - 4 * self.worst_s
