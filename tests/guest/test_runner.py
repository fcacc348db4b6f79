"""test_runner - what tests/run makes of failures, on a machine that stands still or does not."""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import shutil
import sys
import tempfile
import textwrap
import time
import unittest
from pathlib import Path
from unittest import mock

from support.stillness import BEAT_S, NOTED_S, Stillness

TESTS = Path(__file__).resolve().parent.parent

SAMPLE = """
import os, unittest
from pathlib import Path

def times(name):
    path = Path(os.environ["SAMPLE"]) / name
    with open(path, "a") as file:
        file.write("x")
    return path.stat().st_size

class Some(unittest.TestCase):
    def test_good(self):
        times("good")
    def test_once(self):
        self.assertGreater(times("once"), 1, "the first time")
    def test_always(self):
        times("always")
        if "ALWAYS" in os.environ:
            self.fail("every time")

class Whole(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        assert times("whole") > 1
    def test_one(self):
        times("one")
    def test_two(self):
        times("two")
"""


def load_runner():
    """Return tests/run as a module."""
    loader = importlib.machinery.SourceFileLoader("run_under_test", str(TESTS / "run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.modules[loader.name] = module  # dataclasses look themselves up
    loader.exec_module(module)
    return module


class Failures(unittest.TestCase):
    """A suite of two classes, run by the runner itself."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="runner-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "sample").mkdir()
        (self.folder / "sample/test_sample.py").write_text(SAMPLE)
        self.runner = load_runner()
        patch = mock.patch.dict(os.environ, {"SAMPLE": str(self.folder), "CI": ""})
        patch.start()
        self.addCleanup(patch.stop)

    def run_all(self, word, still_s):
        """Run what a word selects; return the exit status and what was printed."""
        said = io.StringIO()
        with mock.patch.object(self.runner, "HERE", self.folder), contextlib.redirect_stdout(said):
            jobs = list(self.runner.find_jobs(["sample"], self.folder, word, ""))
            status = self.runner.run_all(jobs, 1, 60, word, still_s)
        return status, said.getvalue()

    def performed(self, name):
        """Return how many times a test was performed."""
        path = self.folder / name
        return path.stat().st_size if path.exists() else 0

    @staticmethod
    def standing_still():
        """Return a clock of a machine that stands still all the time."""
        return lambda: time.monotonic() * 1000

    def test_failure_is_a_failure(self):
        status, said = self.run_all("Some", lambda: 0.0)
        self.assertEqual((status, self.performed("once")), (1, 1))
        self.assertNotIn("once more", said)
        self.assertTrue(said.endswith("2 passed, 1 failed, 0 skipped\n"), said)

    def test_less_than_what_is_noted_excuses_nothing(self):
        seen = iter([0.0, NOTED_S / 2])
        status, _ = self.run_all("Some", lambda: next(seen))
        self.assertEqual((status, self.performed("once")), (1, 1))

    def test_what_failed_while_the_machine_stood_still_is_performed_once_more(self):
        status, said = self.run_all("Some", self.standing_still())
        self.assertEqual(status, 0, said)
        self.assertEqual([self.performed(name) for name in ("once", "good", "always")], [2, 1, 1])
        self.assertIn("the first time", said)
        self.assertRegex(said, r"once more, alone: the machine stood still for \d+\.\d s meanwhile")
        summary = "3 passed, 0 failed, 0 skipped\n"
        self.assertTrue(said.endswith(summary), said)

    def test_in_ci_a_few_failures_are_performed_once_more(self):
        with mock.patch.dict(os.environ, {"CI": "true"}):
            status, said = self.run_all("Some", lambda: 0.0)
            self.assertEqual((status, self.performed("once")), (0, 2))
            self.assertIn("once more, alone: the machine stood still for 0.0 s meanwhile", said)
            with mock.patch.object(self.runner, "FEW", 0):
                (self.folder / "once").unlink()
                status, said = self.run_all("Some", lambda: 0.0)
        self.assertEqual((status, self.performed("once")), (1, 1))
        self.assertNotIn("once more", said)

    def test_what_fails_every_time_fails(self):
        with mock.patch.dict(os.environ, {"ALWAYS": "1"}):
            status, said = self.run_all("Some", self.standing_still())
        self.assertEqual((status, self.performed("always")), (1, 2))
        summary = "2 passed, 1 failed, 0 skipped\n"
        self.assertTrue(said.endswith(summary), said)

    def test_class_that_could_not_begin_is_performed_as_a_whole(self):
        status, said = self.run_all("Whole", self.standing_still())
        self.assertEqual(status, 0, said)
        self.assertEqual([self.performed(name) for name in ("one", "two")], [1, 1])

    def test_what_hides_another_of_its_name_is_refused(self):
        path = self.folder / "sample/test_sample.py"
        again = {
            "Some": "class Some(unittest.TestCase):\n    def test_good(self):\n        times('second')\n",
            "test_two": "    def test_two(self):\n        times('second')\n",
            "times": "def times(name):\n    return 2\n",
        }
        for name, text in again.items():
            with self.subTest(name):
                path.write_text(f"{SAMPLE}{text}")
                status, said = self.run_all("", lambda: 0.0)
                self.assertEqual((status, self.performed("second")), (1, 0))
                self.assertRegex(said, rf"test_sample\.py:\d+: {name} hides the one of line \d+")

    def test_setter_hides_no_property(self):
        setter = "    @property\n    def x(self):\n        return 1\n    @x.setter\n    def x(self, x):\n        pass\n"
        (self.folder / "sample/test_sample.py").write_text(SAMPLE + setter)
        self.assertEqual(self.run_all("Some.test_good", lambda: 0.0)[0], 0)

    def test_program_of_c_is_performed_as_a_whole(self):
        program = self.folder / "unit/test_c"
        program.parent.mkdir()
        lines = f"""\
            #!/bin/sh
            echo x >>{self.folder}/c
            test "$(wc -l <{self.folder}/c)" -gt 1 || no="not "
            printf 'ok 1 - test_one\\n%sok 2 - test_two\\n' "$no"
            test -z "$no"
            """
        program.write_text(textwrap.dedent(lines))
        program.chmod(0o755)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            jobs = list(self.runner.find_jobs(["unit"], self.folder, "", ""))
            status = self.runner.run_all(jobs, 1, 60, "", self.standing_still())
        self.assertEqual(status, 0, said.getvalue())
        self.assertIn("2 passed, 0 failed, 0 skipped", said.getvalue())


class Standing(unittest.TestCase):
    """support/stillness.py."""

    def test_total_never_goes_back_and_it_ends(self):
        still = Stillness()
        try:
            before = still.total_s()
            time.sleep(2 * BEAT_S)
            self.assertGreaterEqual(still.total_s(), before)
        finally:
            still.stop()
        self.assertEqual(still.process.returncode, 0)

    def test_looker_that_is_stopped_counts_as_a_machine_that_is(self):
        still = Stillness()
        try:
            before = still.total_s()
            still.process.send_signal(19)
            time.sleep(4 * BEAT_S)
            self.assertGreater(still.total_s() - before, 2 * BEAT_S)
        finally:
            still.process.send_signal(18)
            still.stop()


if __name__ == "__main__":
    unittest.main()
