"""conftest - how pytest finds and performs the tests of this project: for tests/run, which calls it.

A file of tests is a module of unittest classes, or the source of a cmocka program. Nothing of either
is imported here: worker.py lists what a suite has (runner/listing.py), and each class and each program
is performed in a process of its own (runner/job.py), several beside each other (runner/schedule.py).

What becomes of each test is written to the file of --outcomes, a JSON object a line.
"""

import json
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from runner.job import Class, Outcome, perform_program  # noqa: E402 - found through the line above
from runner.listing import Row, list_suites  # noqa: E402
from runner.process import stop  # noqa: E402
from runner.schedule import Cost, Schedule, Unit, parts, read_times  # noqa: E402


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what tests/run says."""
    group = parser.getgroup("glovebox")
    group.addoption("--only", default="", help="what classes mark with this word: kernel, quick, as_user")
    group.addoption("--jobs", type=int, default=1, help="how many classes at a time")
    group.addoption("--build", default=str(HERE.parent / "build"), help="where programs are")
    group.addoption("--patience", type=float, default=120, help="seconds for one test")
    group.addoption("--listing", help="file with what runner/listing.py has found, if somebody has it already")
    group.addoption("--outcomes", default=os.devnull, help="file that gets what became of each test")


# -- finding ---------------------------------------------------------------------------------


def rows_of(config: pytest.Config, suite: str) -> list[Row]:
    """Return the classes of a suite."""
    listing = config.stash.get(LISTING, None)
    if listing is None:
        path = config.getoption("listing")
        listing = config.stash[LISTING] = json.loads(Path(path).read_bytes()) if path else {}
    if suite not in listing:
        listing |= list_suites([suite])
    return listing[suite]


LISTING: pytest.StashKey[dict[str, list[Row]]] = pytest.StashKey()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.File | None:
    """Take files of tests; modules of Python and programs of C."""
    if not file_path.name.startswith("test_"):
        return None
    kinds = {".py": Module, ".c": Source}
    kind = kinds.get(file_path.suffix)
    return kind.from_parent(parent, path=file_path) if kind else None


class Module(pytest.File):
    """A module, with its classes."""

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        """Yield them, or the reason why it cannot be loaded."""
        rows = [row for row in rows_of(self.config, self.path.parent.name) if row["file"] == str(self.path)]
        if not rows:
            yield Broken.from_parent(self, name="import", why="it has no tests")
        for row in rows:
            if row["broken"]:
                yield Broken.from_parent(self, name="import", why=row["broken"])
            else:
                yield Case.from_parent(self, name=row["name"].rpartition(".")[2], row=row)


class Case(pytest.Collector):
    """A class, with its tests."""

    def __init__(self, row: Row, **keys: Any) -> None:
        super().__init__(**keys)
        self.row = row

    def collect(self) -> Iterator[pytest.Item]:
        """Yield them."""
        for test in self.row["tests"]:
            yield Test.from_parent(self, name=test)


class Source(pytest.File):
    """The source of a program of C, which is one item with several outcomes."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield it, if it was built."""
        program = Path(self.config.getoption("build")) / "unit" / self.path.stem
        if program.is_file():
            yield Program.from_parent(self, name="main", program=program)
        else:
            yield Broken.from_parent(self, name="main", why=f"{program} is not there: make unit")


def is_wanted(item: pytest.Item, only: str) -> bool:
    """Say whether its class marks a test with a word. --quick has all of unit and guest."""
    suite = item.path.parent.name
    if not only or isinstance(item, Broken) or (only == "quick" and suite in ("unit", "guest")):
        return True
    return isinstance(item, Test) and item.name in item.parent.row[only]


@pytest.hookimpl(hookwrapper=True)  # around pytest's own -k
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Leave out what was not asked for; what cannot be loaded might have been."""
    only = config.getoption("only")
    items[:] = [i for i in items if is_wanted(i, only)]
    broken = [i for i in items if isinstance(i, Broken)]
    yield
    items += [i for i in broken if i not in items]


def pytest_collection_finish(session: pytest.Session) -> None:
    """Say what will be performed: nothing of it may be forgotten."""
    Teller(session).write({"ids": [item.nodeid for item in session.items]})


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Keep what went wrong while tests were looked for."""
    if report.failed:
        UNCOLLECTED[report.nodeid or "tests"] = report.longreprtext


UNCOLLECTED: dict[str, str] = {}


# -- performing ------------------------------------------------------------------------------


class Item(pytest.Item):
    """What can be performed; pytest finds and chooses it, and has a loop of its own that nothing here uses."""

    def runtest(self) -> None:
        """Be there, as newer versions of pytest want."""
        raise NotImplementedError


class Broken(Item):
    """What cannot be loaded."""

    def __init__(self, why: str, **keys: Any) -> None:
        super().__init__(**keys)
        self.why = why

    def unit(self, teller: "Teller") -> Unit:
        """Return what says why."""
        return Unit(self.nodeid, Cost(), lambda: teller.tell(self, time.monotonic(), [("", "failed", self.why)]))


class Program(Item):
    """A program of C."""

    def __init__(self, program: Path, **keys: Any) -> None:
        super().__init__(**keys)
        self.program = program

    def unit(self, teller: "Teller") -> Unit:
        """Return what performs it."""
        whole = self.parent.nodeid
        return Unit(whole, teller.times.get(whole, Cost(1.0, 1.0)), lambda: self.perform(teller))

    def perform(self, teller: "Teller") -> None:
        """Perform it, and say what became of its tests."""
        began = time.monotonic()
        outcomes = perform_program(self.program, self.config.getoption("patience"))
        teller.tell(self, began, outcomes or [("main", "failed", "it performed no test")])
        teller.finish(self.parent.nodeid, Cost(time.monotonic() - began, time.monotonic() - began))


class Test(Item):
    """A test of a class."""

    __test__ = False  # for pytest, which takes names like this for a class of tests
    parent: Case


def class_units(case: Case, items: list[Test], teller: "Teller") -> Iterator[Unit]:
    """Yield a class's units: one, or several that share its tests."""
    cost, alone = teller.times.get(case.nodeid, Cost()), case.row["alone"]
    some = [items] if alone else parts(items, cost)
    part = Cost(cost.seconds / len(some), cost.cpu_s / len(some))
    for tests in some:
        yield Unit(case.nodeid, part, lambda tests=tests: perform_class(case, tests, teller), alone)


def perform_class(case: Case, items: list[Test], teller: "Teller") -> None:
    """Perform tests of a class in a process of theirs, and say what became of each."""
    job = Class(case.path, case.name, [item.name for item in items], case.config.getoption("patience"))
    began = since = time.monotonic()
    for item in items:
        kind, reason = job.outcome(item.name)
        teller.tell(item, since, [("", kind, reason)])
        since = time.monotonic()
    wrong = job.finish()
    if wrong:
        teller.tell(items[-1], since, [("(teardown)", "failed", wrong)])
    teller.finish(case.nodeid, Cost(time.monotonic() - began, job.cpu_s), job.counted)


def pytest_runtestloop(session: pytest.Session) -> bool:
    """Perform what was found, in the place of pytest's own loop."""
    teller = Teller(session)
    for name, why in UNCOLLECTED.items():
        teller.note(name, time.monotonic(), [("(collect)", "failed", why)])
    classes: dict[Case, list[Test]] = {}
    units: list[Unit] = []
    for item in session.items:
        if isinstance(item, Test):
            classes.setdefault(item.parent, []).append(item)
        else:
            units.append(item.unit(teller))
    for case, items in classes.items():
        units += class_units(case, items, teller)
    teller.left = Counter(unit.name for unit in units)
    Schedule(units, session.config.getoption("jobs")).run()
    return True


def pytest_configure(config: pytest.Config) -> None:
    """Leave nothing behind when somebody ends this process."""
    signal.signal(signal.SIGTERM, stop)


# -- telling ---------------------------------------------------------------------------------


class Teller:
    """Writes down and prints what became of each test; threads share it."""

    def __init__(self, session: pytest.Session) -> None:
        self.session = session
        self.times = read_times()
        self.left: Counter[str] = Counter()  # units that have not ended, of each class or program
        self.said: dict[str, list[str]] = {}  # of each class or program: kinds of outcomes
        self.costs: dict[str, Cost] = {}
        self.lock = threading.RLock()

    def write(self, row: Row) -> None:
        """Add a line to the file of outcomes."""
        with self.lock, open(self.session.config.getoption("outcomes"), "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def tell(self, item: pytest.Item, began: float, outcomes: list[Outcome]) -> None:
        """Take what became of a test."""
        self.note(item.nodeid, began, outcomes)
        whole = item.nodeid.rpartition("::")[0]
        with self.lock:
            self.said.setdefault(whole, []).extend(kind for _, kind, _ in outcomes)

    def note(self, nodeid: str, began: float, outcomes: list[Outcome]) -> None:
        """Write outcomes down, and print what failed."""
        self.write({"id": nodeid, "began": began, "over": time.monotonic(), "outcomes": outcomes})
        for name, kind, detail in outcomes:
            if kind == "failed":
                self.session.testsfailed += 1
                print(f"--- {nodeid} {name}\n{detail.rstrip()}\n", flush=True)

    def finish(self, whole: str, cost: Cost, counted: list[tuple[str, int]] | None = None) -> None:
        """Take the end of a unit; print a line behind the last of its class."""
        with self.lock:
            before = self.costs.get(whole, Cost(0.0, 0.0))
            total = self.costs[whole] = Cost(before.seconds + cost.seconds, before.cpu_s + cost.cpu_s)
            self.left[whole] -= 1
            if counted:
                self.write({"counted": counted})
            if self.left[whole]:
                return
            kinds = self.said.pop(whole, [])
            self.write({"class": whole, "seconds": total.seconds, "cpu_s": total.cpu_s})
            mark = "FAIL" if "failed" in kinds else "ok"
            passed = f"{kinds.count('passed'):4} of {len(kinds):4}"
            print(f"{mark:4} {whole:58} {passed} {total.seconds:6.1f} s, CPU {total.cpu_s:.1f}", flush=True)


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str]:
    """Have pytest itself print nothing."""
    return report.outcome, "", ""
