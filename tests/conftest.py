"""conftest - how pytest finds and performs the tests of this project: for tests/run, which calls it.

A file of tests is a module of unittest classes, or the source of a cmocka program. Nothing of either
is imported here: worker.py lists what a suite has (runner/listing.py), and each class and each program
is performed in a process of its own (runner/job.py). pytest-xdist has several
performed at a time; a class stays whole (--dist loadscope).

What becomes of each test is written to the file of --outcomes, a JSON object a line.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from runner.job import Class, perform_program  # noqa: E402 - found through the line above
from runner.listing import Row, list_suites  # noqa: E402
from runner.process import stop  # noqa: E402


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what tests/run says."""
    group = parser.getgroup("glovebox")
    group.addoption("--only", default="", help="what classes mark with this word: kernel, quick")
    group.addoption("--alone", default="", help="yes, no: classes that are performed by themselves")
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
        self.job: Class | None = None

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


def is_alone(item: pytest.Item) -> bool:
    """Say whether it is performed when nothing else is."""
    return isinstance(item, Test) and item.parent.row["alone"]


@pytest.hookimpl(hookwrapper=True)  # around pytest's own -k
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Leave out what was not asked for; what cannot be loaded might have been."""
    only, alone = config.getoption("only"), config.getoption("alone")
    items[:] = [i for i in items if is_wanted(i, only) and alone in ("", "yes" if is_alone(i) else "no")]
    broken = [i for i in items if isinstance(i, Broken)]
    yield
    items += [i for i in broken if i not in items]


def pytest_collection_finish(session: pytest.Session) -> None:
    """Say what will be performed: nothing of it may be forgotten."""
    if not hasattr(session.config, "workerinput"):
        write(session.config, {"ids": [item.nodeid for item in session.items]})


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any, ids: list[str]) -> None:
    """The same, where xdist has its processes look."""
    write(node.config, {"ids": ids})


# -- performing ------------------------------------------------------------------------------


class Failed(Exception):
    """A test that failed; its text is all there is to say."""


class Item(pytest.Item):
    """What all that can be performed have."""

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the reason of a failure."""
        return str(excinfo.value) if isinstance(excinfo.value, Failed) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return where it is."""
        return self.path, None, self.nodeid

    def tell(self, outcomes: list[tuple[str, str, str]]) -> None:
        """Hand on what became of it, beside what pytest makes of it."""
        self.user_properties.append(("outcomes", outcomes))
        bad = "\n".join(f"{name}\n{detail}" for name, kind, detail in outcomes if kind == "failed")
        if bad:
            raise Failed(bad)
        if outcomes and all(kind == "skipped" for _, kind, _ in outcomes):
            pytest.skip(outcomes[0][2])


class Broken(Item):
    """What cannot be loaded."""

    def __init__(self, why: str, **keys: Any) -> None:
        super().__init__(**keys)
        self.why = why

    def runtest(self) -> None:
        """Say why."""
        self.tell([("", "failed", self.why)])


class Program(Item):
    """A program of C."""

    def __init__(self, program: Path, **keys: Any) -> None:
        super().__init__(**keys)
        self.program = program

    def runtest(self) -> None:
        """Perform it."""
        outcomes = perform_program(self.program, self.config.getoption("patience"))
        self.tell(outcomes or [("main", "failed", "it performed no test")])


class Test(Item):
    """A test of a class."""

    __test__ = False  # for pytest, which takes names like this for a class of tests
    parent: Case

    def runtest(self) -> None:
        """Perform it: in the process of its class, which begins with the first of them."""
        case = self.parent
        if not case.job:
            mine = [item.name for item in self.session.items if item.parent is case]
            left = mine[mine.index(self.name) :]
            case.job = Class(self.path, case.name, left, self.config.getoption("patience"))
        self.tell([("", *case.job.outcome(self.name))])


@pytest.hookimpl(trylast=True)  # behind pytest's own: this one may fail
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """End the process of a class behind its last test."""
    if not isinstance(item, Test) or (nextitem and nextitem.parent is item.parent) or not item.parent.job:
        return
    job, item.parent.job = item.parent.job, None
    wrong = job.finish()
    item.user_properties.append(("counted", job.counted))
    if wrong:
        raise Failed(wrong)


def pytest_configure(config: pytest.Config) -> None:
    """Leave nothing behind when somebody ends this process."""
    signal.signal(signal.SIGTERM, stop)


# -- telling ---------------------------------------------------------------------------------


def write(config: pytest.Config, row: Row) -> None:
    """Add a line to the file of outcomes."""
    with open(config.getoption("outcomes"), "a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


class Teller:
    """Writes down and prints what became of each test, in the process that talks to the user."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.said: dict[str, list[list[str]]] = {}  # of each class or program: outcomes
        self.seconds: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take one report of pytest's: of a test, of its end, or of a process of xdist's that died."""
        known = dict(report.user_properties)
        whole = report.nodeid.rpartition("::")[0]
        self.seconds[whole] = self.seconds.get(whole, 0) + report.duration
        outcomes = known.get("outcomes") if report.when == "call" else None
        if outcomes is None and report.failed:
            outcomes = [[f"({report.when})", "failed", report.longreprtext]]
        if outcomes is not None:
            self._note(report, whole, outcomes)
        if report.when == "teardown" and known.get("counted"):
            write(self.config, {"counted": known["counted"]})
        if report.when == "teardown" and ("counted" in known or whole.endswith(".c")):
            self._print(whole)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Take what went wrong while tests were looked for."""
        if report.failed:
            now, outcomes = time.monotonic(), [["(collect)", "failed", report.longreprtext]]
            write(self.config, {"id": report.nodeid or "tests", "began": now, "over": now, "outcomes": outcomes})

    def _note(self, report: pytest.TestReport, whole: str, outcomes: list[list[str]]) -> None:
        over = time.monotonic()
        write(self.config, {"id": report.nodeid, "began": over - report.duration, "over": over, "outcomes": outcomes})
        self.said.setdefault(whole, []).extend(outcomes)
        for name, kind, detail in outcomes:
            if kind == "failed":
                print(f"--- {report.nodeid} {name}\n{detail.rstrip()}\n", flush=True)

    def _print(self, whole: str) -> None:
        kinds = [kind for _, kind, _ in self.said.pop(whole, [])]
        mark = "FAIL" if "failed" in kinds else "ok"
        seconds = self.seconds.pop(whole)
        print(f"{mark:4} {whole:58} {kinds.count('passed'):4} of {len(kinds):4} {seconds:6.1f} s", flush=True)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Have one of them."""
    if not hasattr(session.config, "workerinput"):
        session.config.pluginmanager.register(Teller(session.config))


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str]:
    """Have pytest itself print nothing."""
    return report.outcome, "", ""
