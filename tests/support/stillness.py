"""stillness - how long this machine stood still: somebody beside or below it had a CPU, and kept it.

A process of its own wakes up on each CPU all the time. Where it may, it does so before all that has an
ordinary priority: then it is late only where nobody else got that CPU either, and nothing that a
sandbox does can make it late. What the hypervisor says that it took counts as well (steal, proc(5)).

    still = Stillness()
    before = still.total_s()
    ...
    print(still.total_s() - before)
"""

import contextlib
import mmap
import os
import struct
import subprocess
import sys
import threading
import time

BEAT_S = 0.05  # between two looks; who is later than that stood still
NOTED_S = 0.1  # what stood still for less has kept no test from anything: 0.2 s is the least patience
_ROW = struct.Struct("dd")  # of each CPU: the last beat, and how long it has stood still so far


class Stillness:
    """What one looks at; it ends with stop(), or with this process."""

    def __init__(self) -> None:
        cpus = sorted(os.sched_getaffinity(0))
        shared = os.memfd_create("stillness")
        os.ftruncate(shared, _ROW.size * len(cpus))
        self.rows = mmap.mmap(shared, _ROW.size * len(cpus))
        command = [sys.executable, "-I", "-S", __file__, str(shared), *map(str, cpus)]
        quiet = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen(command, pass_fds=[shared], **quiet)
        os.close(shared)
        assert self.process.stdout
        for _ in cpus:
            self.process.stdout.read(1)  # that CPU is looked at
        self.noted: list[tuple[float, float]] = [(time.monotonic(), 0.0)]  # when: how long so far
        self.is_over = threading.Event()
        threading.Thread(target=self._note, daemon=True).start()

    def _note(self) -> None:
        """Write down how long it has stood still, whenever that has become more."""
        while not self.is_over.wait(NOTED_S):
            if (total := self.total_s()) > self.noted[-1][1]:
                self.noted.append((time.monotonic(), total))

    def between(self, began: float, over: float) -> float:
        """Return how long it stood still between two moments (time.monotonic()), if that says anything."""
        seen = [total for when, total in self.noted if began <= when <= over + 2 * NOTED_S]
        before = [total for when, total in self.noted if when < began]
        still = max(seen, default=0.0) - (before[-1] if before else 0.0)
        return still if still >= NOTED_S else 0.0

    def total_s(self) -> float:
        """Return how long the CPU that did so longest has stood still since the beginning."""
        now = time.monotonic()
        return max(still + _late_s(now - last) for last, still in _ROW.iter_unpack(self.rows[:]))

    def stop(self) -> None:
        """Look no longer."""
        self.is_over.set()
        self.process.communicate()  # the end of its input is its end


def _late_s(since: float) -> float:
    """Return how much a beat came too late, if that says anything."""
    late = since - BEAT_S
    return late if late >= BEAT_S else 0.0


def _stolen_s(cpu: int) -> float:
    """Return how long the hypervisor has had a CPU that somebody waited for."""
    with open("/proc/stat", encoding="ascii") as lines:
        fields = next((line.split() for line in lines if line.startswith(f"cpu{cpu} ")), [])
    return int(fields[8]) / os.sysconf("SC_CLK_TCK") if len(fields) > 8 else 0.0


def _look(rows: mmap.mmap, at: int, cpu: int) -> None:
    """Note how long one CPU stands still, for ever."""
    with contextlib.suppress(OSError):  # the CPU is gone
        os.sched_setaffinity(0, {cpu})
    with contextlib.suppress(OSError):  # an ordinary user may not
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    last, stolen, still = time.monotonic(), _stolen_s(cpu), 0.0
    _ROW.pack_into(rows, at, last, still)
    os.write(1, b".")
    while True:
        time.sleep(BEAT_S)
        now, taken = time.monotonic(), _stolen_s(cpu)
        most = taken - stolen if taken - stolen >= (now - last) / 2 else 0.0
        still += max(most, _late_s(now - last))
        last, stolen = now, taken
        _ROW.pack_into(rows, at, last, still)


def main() -> None:
    """Look at each CPU until nobody asks any more."""
    cpus = [int(word) for word in sys.argv[2:]]
    rows = mmap.mmap(int(sys.argv[1]), _ROW.size * len(cpus))
    for number, cpu in enumerate(cpus):
        work = (rows, number * _ROW.size, cpu)
        threading.Thread(target=_look, args=work, daemon=True).start()
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
