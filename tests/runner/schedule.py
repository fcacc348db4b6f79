"""schedule - which classes and programs are performed beside each other, and in which order.

A unit of work is a class, a part of one, or a program of C, with what it took the last time
(tests/times: seconds, and of these the seconds of CPU). The longest begins first. What mostly waits
goes beside what computes: a unit begins when the machine's processors have room for its share, and
one begins always when none is running.
"""

import math
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TIMES = Path(__file__).resolve().parent.parent / "times"
LISTED_S = 2.0  # what takes less is not in the file
LONGEST_S = 60.0  # a class that took more is split into parts
ROOM = 1.3  # shares of a CPU that are handed out for each CPU
CPUS = len(os.sched_getaffinity(0))
JOBS = 3 * CPUS  # most units at a time
UNSEEN = 2.0  # daemons and the kernel spend as much for a class as those of its processes that somebody waited for


@dataclass(frozen=True)
class Cost:
    """What a class took: seconds, and seconds of CPU of all its processes."""

    seconds: float = 1.0
    cpu_s: float = 0.8

    @property
    def share(self) -> float:
        """Return how much of a CPU it wants while it runs."""
        return min(max(UNSEEN * self.cpu_s / max(self.seconds, 0.1), 0.05), 1.0)


@dataclass
class Unit:
    """What one thread performs from its beginning to its end."""

    name: str
    cost: Cost
    perform: Callable[[], None]
    alone: bool = False


@dataclass
class Schedule:
    """Units that wait, and how much of the machine those have that run."""

    waiting: list[Unit]
    jobs: int
    running: int = 0
    taken: float = 0.0
    changed: threading.Condition = field(default_factory=threading.Condition)

    def run(self) -> None:
        """Perform all of them; what is alone runs when nothing else does, at the end."""
        self.waiting.sort(key=lambda unit: (unit.alone, -unit.cost.seconds))
        with self.changed:
            while self.waiting:
                unit = self._next()
                if unit:
                    self._begin(unit)
                else:
                    self.changed.wait()
            while self.running:
                self.changed.wait()

    def _next(self) -> Unit | None:
        if not self.running:
            return self.waiting[0]
        if self.running >= self.jobs:
            return None
        room = ROOM * CPUS - self.taken
        return next((unit for unit in self.waiting if not unit.alone and unit.cost.share <= room), None)

    def _begin(self, unit: Unit) -> None:
        self.waiting.remove(unit)
        self._count(unit, 1)
        if unit.alone:
            self._perform(unit)
        else:
            threading.Thread(target=self._perform, args=(unit,), daemon=True).start()

    def _perform(self, unit: Unit) -> None:
        try:
            unit.perform()
        finally:
            with self.changed:
                self._count(unit, -1)
                self.changed.notify()

    def _count(self, unit: Unit, sign: int) -> None:
        self.running += sign
        self.taken += sign * unit.cost.share


def read_times(path: Path = TIMES) -> dict[str, Cost]:
    """Return what each class took: lines of seconds, seconds of CPU and a name."""
    if not path.exists():
        return {}
    rows = (line.split() for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return {name: Cost(float(seconds), float(cpu_s)) for seconds, cpu_s, name in rows}


def write_times(costs: dict[str, Cost], path: Path = TIMES) -> None:
    """Write down what each class took, the longest first."""
    known = {name: cost for name, cost in (read_times(path) | costs).items() if cost.seconds >= LISTED_S and _is_there(name)}
    lines = ["# seconds, seconds of CPU, class: what tests/run begins first (make times)\n"]
    for name, cost in sorted(known.items(), key=lambda row: (-row[1].seconds, row[0])):
        lines.append(f"{cost.seconds:.0f} {cost.cpu_s:.0f} {name}\n")
    path.write_text("".join(lines), encoding="utf-8")


def _is_there(name: str) -> bool:
    return "/" not in name or (TIMES.parent / name.partition("::")[0]).exists()


def parts(tests: Sequence[Any], cost: Cost) -> list[list[Any]]:
    """Split the tests of a class into as many runs of neighbours as it took LONGEST_S."""
    count = max(1, min(len(tests), math.ceil(cost.seconds / LONGEST_S)))
    return [list(tests[len(tests) * i // count : len(tests) * (i + 1) // count]) for i in range(count)]
