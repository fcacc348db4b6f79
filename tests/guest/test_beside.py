"""Tests that are performed beside each other are told of as if they were not (support/beside.py)."""

import threading
import unittest
from typing import Any

from support.beside import Beside
from support.times import DEADLINE, is_slow


def performed(case: type[Beside]) -> tuple[list[str], unittest.TestResult]:
    """Perform a class; return the names of its tests as they were begun, and what became of them."""
    begun: list[str] = []

    class Result(unittest.TestResult):
        def startTest(self, test: Any) -> None:
            super().startTest(test)
            begun.append(test._testMethodName)

    result = Result()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    return begun, result


class BesideTest(unittest.TestCase):
    """A class of each test's own."""

    def test_they_wait_beside_each_other(self) -> None:
        if is_slow():
            self.skipTest("cannot: on an emulated CPU they come one after the other")
        all_here = threading.Barrier(3)

        class Waits(Beside):
            def test_a(self) -> None:
                all_here.wait(DEADLINE)

            test_b = test_c = test_a

        begun, result = performed(Waits)
        self.assertEqual(begun, ["test_a", "test_b", "test_c"])
        self.assertTrue(result.wasSuccessful(), result.errors)

    def test_every_outcome_is_told(self) -> None:
        cleaned: list[str] = []

        class Ends(Beside):
            def setUp(self) -> None:
                self.addCleanup(cleaned.append, self._testMethodName)

            def test_a_fails(self) -> None:
                self.fail("so")

            def test_b_breaks(self) -> None:
                raise OSError("odd")

            def test_c_skips(self) -> None:
                self.skipTest("cannot: no")

            def test_d_fails_in_part(self) -> None:
                for number in range(3):
                    with self.subTest(number=number):
                        self.assertNotEqual(number, 1)

            def test_e_passes(self) -> None:
                pass

        begun, result = performed(Ends)
        self.assertEqual(begun, sorted(cleaned))
        self.assertEqual((result.testsRun, len(result.failures), len(result.errors)), (5, 2, 1))
        self.assertEqual([reason for _, reason in result.skipped], ["cannot: no"])
        self.assertIn("so", result.failures[0][1])
        self.assertIn("number=1", str(result.failures[1][0]))

    def test_a_class_that_cannot_begin_performs_none(self) -> None:
        ran: list[int] = []

        class Broken(Beside):
            @classmethod
            def setUpClass(cls) -> None:
                raise OSError("no")

            def test_a(self) -> None:
                ran.append(1)

        begun, result = performed(Broken)
        self.assertEqual((begun, ran, len(result.errors)), ([], [], 1))
