"""worker - the process in which the runner lists test classes, or runs tests of one class.

    worker.py list FOLDER                    one JSON object per class
    worker.py run FD FILE CLASS TEST...      one JSON array per event on FD
"""

import importlib
import json
import os
import signal
import sys
import traceback
import unittest
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent


def list_classes(folder: Path) -> None:
    """Print the test classes of a folder, one JSON object a line."""
    sys.path[:0] = [str(folder), str(HERE)]
    for file in sorted(folder.glob("test_*.py")):
        row = {"file": str(file), "name": file.stem, "tests": [], "kernel": []}
        row |= {"alone": False, "broken": ""}
        try:
            module = importlib.import_module(file.stem)
        except Exception:
            print(json.dumps(row | {"broken": traceback.format_exc()}))
            continue
        for name, value in vars(module).items():
            if not (isinstance(value, type) and issubclass(value, unittest.TestCase)):
                continue
            tests = unittest.defaultTestLoader.getTestCaseNames(value)
            if tests and value.__module__ == module.__name__:
                found = {"name": f"{file.stem}.{name}", "tests": list(tests)}
                found["alone"] = bool(getattr(value, "alone", False))
                found["kernel"] = kernel_tests(value, tests)
                print(json.dumps(row | found))


def kernel_tests(case: type, tests: Sequence[str]) -> list[str]:
    """Return those tests that depend on the kernel: all, or those that `kernel` names."""
    named = getattr(case, "kernel", False) or ()
    if named is True:
        return list(tests)
    if unknown := set(named) - set(tests):
        raise ValueError(f"{case.__name__}.kernel names no tests: {unknown}")
    return list(named)


class Reporter(unittest.TestResult):
    """Write one JSON line per event to the runner."""

    def __init__(self, fd: int) -> None:
        super().__init__()
        self.to_runner = fd
        self.failed = ""

    def report(self, test: unittest.TestCase, kind: str, detail: str = "") -> None:
        """Send one event; the name of a test is its method's, or setUpClass."""
        name = getattr(test, "_testMethodName", str(test).split()[0])
        os.write(self.to_runner, json.dumps([name, kind, detail]).encode() + b"\n")

    def startTest(self, test):
        self.failed = ""
        self.report(test, "started")

    def stopTest(self, test):
        if self.failed:  # possibly more than one sub-test: one failure
            self.report(test, "failed", self.failed)

    def addSuccess(self, test):
        if not self.failed:
            self.report(test, "passed")

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
        self.report(test, "skipped", reason)

    def addExpectedFailure(self, test, err):
        self.report(test, "passed")

    def addUnexpectedSuccess(self, test):
        self.failed += "expected to fail, but passed"


def work(fd: int, file: Path, name: str, tests: list[str]) -> None:
    """Run tests of one class and report them on fd."""
    os.set_inheritable(fd, False)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup too
    sys.path[:0] = [str(file.parent), str(HERE)]
    cases = getattr(importlib.import_module(file.stem), name)
    unittest.TestSuite(map(cases, tests)).run(Reporter(fd))


if __name__ == "__main__":
    if sys.argv[1] == "list":
        list_classes(Path(sys.argv[2]))
    else:
        work(int(sys.argv[2]), Path(sys.argv[3]), sys.argv[4], sys.argv[5:])
