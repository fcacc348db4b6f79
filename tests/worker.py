"""worker - the process in which the runner lists test classes, or runs tests of one class.

    worker.py list FOLDER                    one JSON object per class
    worker.py run FD FILE CLASS TEST...      one JSON array per event on FD
"""

import ast
import importlib
import json
import os
import resource
import signal
import sys
import traceback
import unittest
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent  # in sys.path: support/ is there
WORDS = ("kernel", "quick", "as_user")  # with which a class marks some of its tests, or all
BEHIND = {  # what else a suite takes modules from
    "guest": HERE.parent / "rootfs/guest",
    "warm": HERE / "attack",  # attacks again from warm cells
    "attack": HERE / "integration",  # sandboxes that stay
}


def enter(folder: Path) -> None:
    """Have modules of a suite found."""
    sys.path.insert(0, str(folder))
    sys.path += [str(BEHIND[folder.name])] if folder.name in BEHIND else []


def list_classes(folder: Path) -> None:
    """Print the test classes of a folder, one JSON object a line."""
    enter(folder)
    for file in sorted(folder.glob("test_*.py")):
        row = {"file": str(file), "name": file.stem, "tests": []}
        row |= {"alone": False, "broken": ""} | {word: [] for word in WORDS}
        try:
            refuse_shadows(file)
            module = importlib.import_module(file.stem)
        except BaseException:  # SystemExit, too: what is behind it would be missing
            print(json.dumps(row | {"broken": traceback.format_exc()}))
            continue
        for name, value in vars(module).items():
            if not (isinstance(value, type) and issubclass(value, unittest.TestCase)):
                continue
            tests = unittest.defaultTestLoader.getTestCaseNames(value)
            if tests and value.__module__ == module.__name__:
                found = {"name": f"{file.stem}.{name}", "tests": list(tests)}
                found["alone"] = bool(getattr(value, "alone", False))
                found |= {word: marked_tests(value, word, tests) for word in WORDS}
                print(json.dumps(row | found))


def refuse_shadows(file: Path) -> None:
    """Fail if a class or a function of a module hides an earlier one of its name, which then never runs."""
    tree = ast.parse(file.read_bytes(), str(file))
    for place in (tree, *(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))):
        seen: dict[str, int] = {}
        for made in place.body:
            if not isinstance(made, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            if made.name in seen and not _is_of_a_property(made):
                hidden = seen[made.name]
                raise ValueError(f"{file.name}:{made.lineno}: {made.name} hides the one of line {hidden}")
            seen[made.name] = made.lineno


def _is_of_a_property(made: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Tell whether this is the setter or the deleter of the property above it."""
    return any(
        isinstance(by, ast.Attribute) and by.attr in ("setter", "deleter") for by in made.decorator_list
    )


def marked_tests(case: type, word: str, tests: Sequence[str]) -> list[str]:
    """Return the tests that a class marks with a word: all, or those that it names.

    A class that inherits the names may have taken some of the tests out.
    """
    named = getattr(case, word, False) or ()
    if named is True:
        return list(tests)
    if word in vars(case) and (unknown := set(named) - set(tests)):
        raise ValueError(f"{case.__name__}.{word} names no tests: {unknown}")
    return [name for name in named if name in tests]


class Reporter(unittest.TestResult):
    """Write one JSON line per event to the runner."""

    def __init__(self, fd: int) -> None:
        super().__init__()
        self.to_runner = fd
        self.failed = ""
        self.skipped = ""
        self.passed = False

    def report(self, test: unittest.TestCase, kind: str, detail: str = "") -> None:
        """Send one event; the name of a test is its method's, or setUpClass."""
        name = getattr(test, "_testMethodName", str(test).split()[0])
        os.write(self.to_runner, json.dumps([name, kind, detail]).encode() + b"\n")

    def startTest(self, test):
        self.failed = self.skipped = ""
        self.passed = False
        self.report(test, "started")

    def stopTest(self, test):
        if self.failed:  # possibly more than one sub-test: one failure
            self.report(test, "failed", self.failed)
        elif self.skipped:
            self.report(test, "skipped", self.skipped)
        else:
            self.report(test, *(("passed",) if self.passed else ("failed", "it has no outcome")))

    def addSuccess(self, test):
        self.passed = True

    def addError(self, test, err):
        text = self._exc_info_to_string(err, test)
        if hasattr(test, "_testMethodName"):
            self.failed += text
        else:
            self.report(test, "failed", text)

    addFailure = addError

    def addSubTest(self, test, subtest, err):
        if err:
            self.failed += f"{subtest._subDescription()}\n{self._exc_info_to_string(err, test)}"

    def addSkip(self, test, reason):
        if isinstance(test, unittest.case._SubTest) or hasattr(test, "_testMethodName"):
            self.skipped = reason  # the rest of it, or its cleanup, may fail
        else:
            self.report(test, "skipped", reason)

    def addExpectedFailure(self, test, err):
        self.passed = True

    def addUnexpectedSuccess(self, test):
        self.failed += "expected to fail, but passed"


def work(fd: int, file: Path, name: str, tests: list[str]) -> None:
    """Run tests of one class and report them on fd."""
    os.set_inheritable(fd, False)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup too
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)  # a shell's job in the background ignores these
    signal.signal(signal.SIGINT, signal.default_int_handler)
    enter(file.parent)
    cases = getattr(importlib.import_module(file.stem), name)
    reporter = Reporter(fd)
    unittest.TestSuite(map(cases, tests)).run(reporter)
    for what, number in getattr(cases, "tally", {}).items():
        os.write(fd, json.dumps([what, "counted", str(number)]).encode() + b"\n")
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu_s = sum(use.ru_utime + use.ru_stime for use in spent)
    os.write(fd, json.dumps(["CPU", "used", str(cpu_s)]).encode() + b"\n")


if __name__ == "__main__":
    if sys.argv[1] == "list":
        list_classes(Path(sys.argv[2]))
    else:
        work(int(sys.argv[2]), Path(sys.argv[3]), sys.argv[4], sys.argv[5:])
