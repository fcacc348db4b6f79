"""beside - tests of one class that mostly wait, performed beside each other.

A class stays one process, and its tests are told of in their order: only what they wait for lies side
by side. Such a test sets no signal handler and changes nothing of its process: it has a thread of its own.
"""

import unittest
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ClassVar

from support.times import is_slow

TOLD = (
    *("startTest", "stopTest", "addSuccess", "addError", "addFailure", "addSubTest", "addSkip"),
    *("addExpectedFailure", "addUnexpectedSuccess"),
)


class Recorder(unittest.TestResult):
    """Keeps what it is told of one test."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[str, tuple[Any, ...]]] = []
        for name in TOLD:
            setattr(self, name, lambda *args, name=name: self.told.append((name, args)))

    def replay(self, result: unittest.TestResult) -> None:
        """Tell another all of it."""
        for name, args in self.told:
            getattr(result, name)(*args)


class Beside(unittest.TestCase):
    """The first test that is asked for begins all that were made of its class, `at_once` at a time."""

    at_once = 3
    _made: ClassVar[list["Beside"]]
    _begun: ClassVar[dict[str, Future[Recorder]]]

    def __init_subclass__(cls, **more: object) -> None:
        super().__init_subclass__(**more)
        cls._made, cls._begun = [], {}

    def __init__(self, name: str = "runTest") -> None:
        super().__init__(name)
        type(self)._made.append(self)

    def run(self, result: unittest.TestResult | None = None) -> None:
        """Wait for this test, whose thread begins now or has begun; tell the result."""
        assert result is not None
        if not self._begun:
            pool = ThreadPoolExecutor(1 if is_slow() else self.at_once)
            for test in self._made:
                self._begun[test.id()] = pool.submit(test._recorded)
        self._begun[self.id()].result().replay(result)

    def _recorded(self) -> Recorder:
        """Perform this test."""
        recorder = Recorder()
        super().run(recorder)
        return recorder
