"""job - one class of a Python module, or one program of cmocka's, performed in a process of its own.

An outcome is what pytest is told of a test: its name, "passed", "failed" or "skipped", and the reason.
"""

import json
import os
import re
import select
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

from runner.process import Process

WORKER = Path(__file__).resolve().parent.parent / "worker.py"
END_S = 2  # for a process that has been silent for as long as a test may be, or has closed its pipe

Outcome = tuple[str, str, str]


class Class:
    """The tests of a class, one after the other; whoever is stuck or dies costs his own test only."""

    def __init__(self, file: Path, name: str, tests: list[str], timeout: float) -> None:
        self.file, self.name, self.timeout = file, name, timeout
        self.left = tests
        self.counted: list[tuple[str, int]] = []
        self.cpu_s = 0.0  # of all its processes, once it has ended
        self.unbegun: tuple[str, str] | None = None  # what became of setUpClass, if it did not pass
        self.process: Process | None = None
        self.events: Iterator[list[str]] = iter(())

    def outcome(self, test: str) -> tuple[str, str]:
        """Perform the next test, which is this one; return its kind and the reason."""
        if not self.process and not self.unbegun:
            self._begin()
        self.left = [name for name in self.left if name != test]
        return self.unbegun or self._perform(test)

    def _begin(self) -> None:
        read_end, write_end = os.pipe()
        command = [sys.executable, str(WORKER), "run", str(write_end), str(self.file), self.name, *self.left]
        self.process = Process(command, keep=write_end)
        self.events = _events(read_end, self.timeout)

    def _perform(self, test: str) -> tuple[str, str]:
        assert self.process
        for name, kind, detail in self.events:
            if kind == "started":
                continue
            said = self.process.output() if kind == "failed" else ""
            detail += f"\nprinted:\n{said}" if said else ""
            if name == "setUpClass":
                self.unbegun = (kind, f"setUpClass: {detail}" if kind == "failed" else detail)
            elif name != test:
                return "failed", f"{name} was performed instead\n{self._drop(0)}"
            return kind, detail
        return "failed", self._drop(END_S) or "ended with status 0 in the middle"

    def finish(self) -> str:
        """End it behind its last test; return what was wrong with that end."""
        if not self.process:
            return ""
        wrong = []
        for name, kind, detail in self.events:
            if kind == "counted":
                self.counted.append((name, int(detail)))
            elif kind == "used":
                self.cpu_s = float(detail)
            elif kind == "failed":
                wrong.append(f"{name}: {detail}")
        ended = self._drop(self.timeout)
        return "\n".join(wrong or [ended])

    def _drop(self, seconds: float) -> str:
        """Wait for the process, and kill it; return how it ended, if not well."""
        assert self.process
        status = self.process.wait(seconds)
        self.process.end()
        said, self.process = self.process.said, None
        return "" if status == 0 else f"{_ended(status)}\n{said}"


def _ended(status: int | None) -> str:
    return "took too long" if status is None else f"ended with status {status}"


def _events(fd: int, timeout: float) -> Iterator[list[str]]:
    """Yield the events that a worker sends until it closes fd or says nothing for too long."""
    pending = b""
    try:
        while select.select([fd], [], [], timeout)[0] and (data := os.read(fd, 65536)):
            *lines, pending = (pending + data).split(b"\n")
            yield from map(json.loads, lines)
    finally:
        os.close(fd)


def perform_program(path: Path, timeout: float) -> list[Outcome]:
    """Perform a program of cmocka's, below the command $GLOVEBOX_UNDER; $UNIT_ONLY names some of its tests.

    cmocka knows no reason for a skip: a test prints it, as a line of its own, before. A crash is one
    more failure.
    """
    under = shlex.split(os.environ.get("GLOVEBOX_UNDER", ""))
    process = Process([*under, str(path)], CMOCKA_MESSAGE_OUTPUT="TAP")
    status = process.wait(timeout)
    process.end()
    line = r"(?:^(cannot: .*)\n)?^(ok|not ok) \d+ (# SKIP |- )(\S+)\n((?:#.*\n)*)"
    outcomes: list[Outcome] = []
    for reason, verdict, mark, test, detail in re.findall(line, process.said, re.MULTILINE):
        kind = "skipped" if "SKIP" in mark else "passed" if verdict == "ok" else "failed"
        outcomes.append((test, kind, reason if kind == "skipped" else detail))
    planned = re.search(r"^1\.\.(\d+)$", process.said, re.MULTILINE)
    if "UNIT_ONLY" not in os.environ and (not planned or int(planned[1]) != len(outcomes)):
        outcomes.append(("main", "failed", f"{len(outcomes)} outcomes of {planned[1] if planned else 'no'} tests\n{process.said[-4000:]}"))
    elif status != 0 and all(kind != "failed" for _, kind, _ in outcomes):
        outcomes.append(("main", "failed", f"{_ended(status)}\n{process.said[-4000:]}"))
    return outcomes
