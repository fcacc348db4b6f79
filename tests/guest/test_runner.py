"""test_runner - what tests/run makes of failures, on a machine that stands still or does not."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import textwrap
import threading
import time
import unittest
from pathlib import Path

from runner.schedule import CPUS, ROOM, Cost, Schedule, Unit, parts, read_times, write_times
from support.stillness import BEAT_S, Stillness
from support.times import wait_until

TESTS = Path(__file__).resolve().parent.parent
PARTS = ("run", "conftest.py", ".pytest.ini", "worker.py", "rootless.py", "runner", "support")

SAMPLE = """
import os, signal, time, unittest
from pathlib import Path

def times(name):
    path = Path(os.environ["SAMPLE"]) / name
    with open(path, "a") as file:
        file.write("x")
    return path.stat().st_size

class Some(unittest.TestCase):
    quick = kernel = as_user = ("test_good",)
    def test_always(self):
        times("always")
        if "ALWAYS" in os.environ:
            self.fail("every time")
    def test_good(self):
        times("good")
    def test_once(self):
        self.assertGreater(times("once"), 1, "the first time")

class Whole(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        assert times("whole") > 1, "whole"
    def test_one(self):
        times("one")
    def test_two(self):
        times("two")

class Kept(unittest.TestCase):
    alone = True
    tally = {"things": 3}
    def test_skip(self):
        self.skipTest("cannot: for once")
    def test_skip_avoidable(self):
        self.skipTest("too lazy")

class Deadly(unittest.TestCase):
    def test_a(self):
        times("a")
    def test_b(self):
        os.kill(os.getpid(), signal.SIGKILL)
    def test_c(self):
        times("c")
    def test_d(self):
        times("d")
        time.sleep(1000)
    def test_e(self):
        times("e")

class Unended(unittest.TestCase):
    @classmethod
    def tearDownClass(cls):
        if times("end") < int(os.environ.get("ENDS", "9")):
            raise AssertionError("the end")
    def test_it(self):
        times("it")
    def test_last(self):
        pass

class Twofold(unittest.TestCase):
    def tearDown(self):
        self.assertNotEqual(self._testMethodName, "test_skipped", "its end")
    def test_a(self):
        pass
    def test_parts(self):
        with self.subTest(1):
            self.skipTest("cannot: in part")
    def test_skipped(self):
        self.skipTest("cannot: not at all")
    def test_z(self):
        pass

class Wavering(unittest.TestCase):
    def test_it(self):
        if times("wavers") > 1:
            self.skipTest("cannot: any more")
        self.fail("at first")
"""

# In the place of support/stillness.py: the machine stands still, or does not, as a test says.
STILLNESS = """
import os
class Stillness:
    def between(self, began, over):
        return 1.0 if "STILL" in os.environ else 0.0
    def stop(self):
        pass
"""


class Runner(unittest.TestCase):
    """A copy of the runner, with a suite of its own."""

    def setUp(self) -> None:
        """Make it."""
        self.folder = Path(tempfile.mkdtemp(prefix="runner-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.tests = self.folder / "tests"
        self.tests.mkdir()
        for part in PARTS:
            copy = shutil.copytree if (TESTS / part).is_dir() else shutil.copy2
            copy(TESTS / part, self.tests / part)
        (self.tests / "support/stillness.py").write_text(STILLNESS)
        (self.tests / "guest").mkdir()
        (self.tests / "guest/test_sample.py").write_text(SAMPLE)

    def command(self, *words: str, **more: str) -> tuple[list[str], dict[str, str]]:
        """Return what runs it."""
        unwanted = ("CI", "STILL", "ALWAYS", "UNIT_ONLY", "GLOVEBOX_DELEGATED")
        unwanted += ("GLOVEBOX", "GLOVEBOX_TESTING", "GLOVEBOX_UNDER")
        kept = {name: value for name, value in os.environ.items() if name not in unwanted}
        return [str(self.tests / "run"), *words], kept | {"SAMPLE": str(self.folder)} | more

    def perform(self, *words: str, **more: str) -> tuple[int, str]:
        """Run it; return the exit status and what was printed."""
        command, env = self.command("-j1", *words, **more)
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout

    def performed(self, *names: str) -> list[int]:
        """Return how many times tests were performed."""
        paths = [self.folder / name for name in names]
        return [path.stat().st_size if path.exists() else 0 for path in paths]

    def assert_summary(self, said: str, passed: int, failed: int, skipped: int) -> None:
        """Assert the last line."""
        self.assertEqual(said.splitlines()[-1], f"{passed} passed, {failed} failed, {skipped} skipped", said)


SOME = "guest/test_sample.py::Some"


class Failures(Runner):
    """What fails, and whether that counts."""

    def test_failure_is_a_failure_and_says_why_and_how_to_see_it_again(self) -> None:
        status, said = self.perform(SOME)
        self.assertEqual((status, self.performed("once")), (1, [1]))
        self.assertNotIn("once more", said)
        self.assert_summary(said, 2, 1, 0)
        last = said.partition(f"failed  {SOME}::test_once\n")[2]
        self.assertIn("the first time", last)
        self.assertIn(f"    again: tests/run {SOME}::test_once\n", last)

    def test_what_failed_while_the_machine_stood_still_is_performed_once_more(self) -> None:
        status, said = self.perform(SOME, STILL="1")
        self.assertEqual((status, self.performed("once", "good", "always")), (0, [2, 1, 1]), said)
        self.assertIn(f"once more, alone: {SOME}::test_once\n", said)
        self.assertNotIn("unsteady", said)
        self.assertIn("performed once more: 1\n", said)
        self.assert_summary(said, 3, 0, 0)

    def test_in_ci_a_few_failures_are_performed_once_more_and_named(self) -> None:
        status, said = self.perform(SOME, CI="true")
        self.assertEqual((status, self.performed("once")), (0, [2]), said)
        self.assertIn(f"unsteady: {SOME}::test_once\n", said)
        status, said = self.perform(SOME, CI="true", ALWAYS="1")
        self.assertNotIn(f"unsteady: {SOME}::test_always\n", said)

    def test_in_ci_many_failures_count(self) -> None:
        results = self.tests / "runner/results.py"
        results.write_text(results.read_text().replace("FEW = 6", "FEW = 0"))
        status, said = self.perform(SOME, CI="true")
        self.assertEqual((status, self.performed("once")), (1, [1]), said)

    def test_what_fails_every_time_fails(self) -> None:
        status, said = self.perform(SOME, STILL="1", ALWAYS="1")
        self.assertEqual((status, self.performed("always")), (1, [2]))
        self.assert_summary(said, 2, 1, 0)

    def test_class_that_could_not_begin_is_performed_as_a_whole(self) -> None:
        status, said = self.perform("guest/test_sample.py::Whole")
        self.assertEqual((status, self.performed("one", "two", "whole")), (1, [0, 0, 1]))
        self.assert_summary(said, 0, 2, 0)
        (self.folder / "whole").unlink()
        status, said = self.perform("guest/test_sample.py::Whole", STILL="1")
        self.assertEqual((status, self.performed("one", "two", "whole")), (0, [1, 1, 2]), said)

    def test_whoever_dies_or_is_stuck_costs_only_himself(self) -> None:
        status, said = self.perform("guest/test_sample.py::Deadly", "--timeout", "8")
        self.assertEqual((status, self.performed("a", "c", "d", "e")), (1, [1, 1, 1, 1]), said)
        self.assert_summary(said, 3, 2, 0)
        self.assertIn("ended with status -9", said)
        self.assertIn("took too long", said)

    def test_class_that_does_not_end_well_fails(self) -> None:
        status, said = self.perform("guest/test_sample.py::Unended")
        self.assertEqual((status, self.performed("it")), (1, [1]))
        self.assert_summary(said, 2, 1, 0)
        self.assertIn("the end", said)

    def test_class_that_does_not_end_well_is_performed_once_more_as_a_whole(self) -> None:
        for ends, outcome in (("9", (1, 2, 1)), ("4", (0, 2, 0))):
            with self.subTest(ends):
                (self.folder / "it").unlink(missing_ok=True)
                status, said = self.perform("guest/test_sample.py::Unended", STILL="1", ENDS=ends)
                self.assertEqual((status, self.performed("it")), (outcome[0], [2]), said)
                self.assert_summary(said, outcome[1], outcome[2], 0)

    def test_outcome_is_that_of_its_test(self) -> None:
        """A test that skips and whose end then fails has failed, and nobody else."""
        status, said = self.perform("guest/test_sample.py::Twofold")
        self.assertEqual(status, 1)
        self.assert_summary(said, 2, 1, 1)
        self.assertIn("failed  guest/test_sample.py::Twofold::test_skipped\n", said)
        self.assertIn("skipped guest/test_sample.py::Twofold::test_parts: cannot: in part\n", said)

    def test_what_is_skipped_the_second_time_has_failed(self) -> None:
        status, said = self.perform("guest/test_sample.py::Wavering", STILL="1")
        self.assertEqual((status, self.performed("wavers")), (1, [2]), said)

    def test_what_cannot_be_looked_for_is_a_failure(self) -> None:
        (self.tests / "unit").mkdir()
        (self.tests / "unit/test_odd.py").touch()
        status, said = self.perform("unit", SOME + "::test_good")
        self.assertEqual(status, 1, said)
        self.assertEqual(self.perform("-j2", "unit", SOME + "::test_good")[0], 1)


class Choice(Runner):
    """What is performed."""

    def test_words_of_pytest_choose(self) -> None:
        for words in (["-k", "Some and good", "guest"], ["--quick", SOME], ["--kernel", "guest", "-k", "Some"], ["--as-user", "guest"]):
            with self.subTest(words):
                (self.folder / "good").unlink(missing_ok=True)
                _, said = self.perform(*words)
                self.assertEqual(self.performed("good", "one"), [1, 0], said)
        self.assertEqual(self.perform("guest/test_sample.py::None")[0], 1)
        status, said = self.perform("guest", "-k", "nothing")
        self.assertEqual(status, 1)
        self.assertIn("no test has these names\n", said)
        status, said = self.perform("guest", "-k", "a and (")
        self.assertEqual(status, 2)
        self.assertIn("run: error: -k 'a and ('", said)
        self.assertIn("there is no tests/guest/test_none.py\n", self.perform("guest/test_none.py")[1])
        self.assertEqual(self.perform("guest/../guest")[0], 2)
        status, said = self.perform("elsewhere")
        self.assertEqual(status, 2)
        self.assertIn("there is no elsewhere: the suites are unit, guest", said)

    def test_skips_say_why_and_those_that_need_not_be_fail_in_ci(self) -> None:
        status, said = self.perform("guest/test_sample.py::Kept")
        self.assertEqual(status, 0, said)
        self.assert_summary(said, 0, 0, 2)
        self.assertIn("skipped guest/test_sample.py::Kept::test_skip: cannot: for once\n", said)
        self.assertIn("counted 3 things\n", said)
        status, said = self.perform("guest/test_sample.py::Kept", CI="true")
        self.assertEqual(status, 1)
        self.assert_summary(said, 0, 1, 1)

    def test_what_cannot_be_loaded_fails_whatever_is_chosen(self) -> None:
        (self.tests / "guest/test_sample.py").rename(self.tests / "guest/test_broken.py")
        (self.tests / "guest/test_broken.py").write_text("import nothing_like_it\n")
        for words in (["guest"], ["--kernel", "guest"], ["--quick", "guest"], ["--as-user", "guest"], ["-k", "another", "guest"]):
            status, said = self.perform(*words)
            self.assertEqual(status, 1)
            self.assertRegex(said, r"failed  guest/test_broken\.py::import\n(.*\n)*.*nothing_like_it")

    def test_what_hides_another_of_its_name_is_refused(self) -> None:
        path = self.tests / "guest/test_sample.py"
        again = {
            "Some": "class Some(unittest.TestCase):\n    def test_good(self):\n        times('second')\n",
            "test_it": "    def test_it(self):\n        times('second')\n",
            "times": "def times(name):\n    return 2\n",
        }
        for name, text in again.items():
            with self.subTest(name):
                path.write_text(f"{SAMPLE}{text}")
                status, said = self.perform("guest")
                self.assertEqual((status, self.performed("second")), (1, [0]))
                self.assertRegex(said, rf"test_sample\.py:\d+: {name} hides the one of line \d+")

    def test_setter_hides_no_property(self) -> None:
        setter = "    @property\n    def x(self):\n        return 1\n    @x.setter\n    def x(self, x):\n        pass\n"
        (self.tests / "guest/test_sample.py").write_text(SAMPLE + setter)
        self.assertEqual(self.perform(f"{SOME}::test_good")[0], 0)

    def test_program_of_c_is_performed_as_a_whole(self) -> None:
        program = self.folder / "build/unit/test_c"
        program.parent.mkdir(parents=True)
        lines = f"""\
            #!/bin/sh
            echo x >>{self.folder}/c
            test "$(wc -l <{self.folder}/c)" -gt 1 || no="not "
            printf '1..2\\nok 1 - test_one\\n%sok 2 - test_two\\n' "$no"
            test -z "$no"
            """
        program.write_text(textwrap.dedent(lines))
        program.chmod(0o755)
        (self.tests / "unit").mkdir()
        (self.tests / "unit/test_c.c").touch()
        (self.tests / "unit/test_unbuilt.c").touch()
        status, said = self.perform("unit/test_c.c", STILL="1")
        self.assertEqual(status, 0, said)
        self.assert_summary(said, 2, 0, 0)
        status, said = self.perform("unit")
        self.assertEqual(status, 1)
        self.assertIn("test_unbuilt is not there: make unit", said)
        self.assert_summary(said, 2, 1, 0)

    def test_program_of_c_is_performed_below_another(self) -> None:
        program = self.folder / "build/unit/test_c"
        program.parent.mkdir(parents=True)
        program.write_text("#!/bin/sh\nprintf '1..1\nok 1 - test_one\\n'\n")
        program.chmod(0o755)
        (self.tests / "unit").mkdir()
        (self.tests / "unit/test_c.c").touch()
        status, said = self.perform("unit", GLOVEBOX_UNDER="sh -c '\"$1\"; echo found; exit 9' -")
        self.assertEqual(status, 1, said)
        self.assertIn("ended with status 9\n", said)
        self.assertIn("\nfound\n", said)
        self.assertRegex(said, r"again: GLOVEBOX_UNDER='sh -c .*' tests/run unit/test_c.c::main")
        self.assert_summary(said, 1, 1, 0)


class Ends(Runner):
    """Its end, by whoever wants it."""

    def test_nothing_stays_of_what_is_ended_in_the_middle(self) -> None:
        command, env = self.command("guest/test_sample.py::Deadly::test_d", TMPDIR=str(self.folder / "tmp"))
        (self.folder / "tmp").mkdir()
        for number in (signal.SIGTERM, signal.SIGINT):
            with contextlib.suppress(FileNotFoundError):
                (self.folder / "d").unlink()
            with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL) as process:
                self.assertTrue(wait_until((self.folder / "d").exists))
                process.send_signal(number)
            self.assertEqual(process.returncode, 130)
            mine = str(self.folder).encode()
            left = [p for p in Path("/proc").glob("[0-9]*/cmdline") if mine in read(p)]
            self.assertTrue(wait_until(lambda: not [p for p in left if mine in read(p)]), left)
            self.assertEqual([p.name for p in (self.folder / "tmp").glob("glovebox-*")], [])

    def test_process_of_pytest_that_dies_is_a_failure(self) -> None:
        command, env = self.command("guest/test_sample.py::Deadly::test_d", "guest/test_sample.py::Some")
        with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            self.assertTrue(wait_until((self.folder / "d").exists))
            for status in Path("/proc").glob("[0-9]*/status"):
                parent = re.search(r"PPid:\s+(\d+)", read(status).decode())
                if parent and int(parent[1]) == process.pid and b"pytest" in read(status.parent / "cmdline"):
                    os.killpg(int(status.parent.name), signal.SIGTERM)
            said = process.stdout.read()
        self.assertEqual(process.returncode, 1, said)
        self.assertRegex(said, r"failed  guest/test_sample.py::Deadly::test_d\n(it was not performed|ended with status -9)\n")
        self.assertIn("failed  pytest ended with status 130\n", said)


def read(path: Path) -> bytes:
    """Return a file of /proc, if there is still one."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


class Order(unittest.TestCase):
    """runner/schedule.py."""

    def order(self, jobs: int, *units: tuple[str, float, float, bool]) -> list[set[str]]:
        """Perform units of a name, seconds, seconds of CPU, alone; return what ran whenever one began."""
        lock, running, seen = threading.Lock(), list[str](), list[set[str]]()

        def perform(name: str) -> None:
            with lock:
                running.append(name)
                seen.append(set(running))
            time.sleep(0.02)
            with lock:
                running.remove(name)

        made = [Unit(name, Cost(s, cpu_s), lambda name=name: perform(name), alone) for name, s, cpu_s, alone in units]
        Schedule(made, jobs).run()
        return seen

    def test_longest_begins_first_and_what_is_alone_is_alone_at_the_end(self) -> None:
        seen = self.order(1, ("short", 1, 1, False), ("lonely", 90, 1, True), ("long", 9, 1, False))
        self.assertEqual(seen, [{"long"}, {"short"}, {"lonely"}])
        seen = self.order(8, ("a", 3, 0, False), ("lonely", 90, 1, True), ("b", 2, 0, False))
        self.assertEqual(seen[-1], {"lonely"})

    def test_what_computes_waits_for_a_cpu_and_what_waits_does_not(self) -> None:
        busy = [(f"busy{i}", 10, 10, False) for i in range(3 * CPUS)]
        seen = self.order(100, *busy, *((f"idle{i}", 1, 0.01, False) for i in range(3)))
        self.assertEqual(len(seen), 3 * CPUS + 3)
        at_once = [sum(name.startswith("busy") for name in names) for names in seen]
        self.assertLessEqual(max(at_once), ROOM * CPUS)
        first_idle = next(i for i, names in enumerate(seen) if any(name.startswith("idle") for name in names))
        self.assertLess(first_idle, 3 * CPUS, "behind everything that computes")

    def test_unit_that_raises_keeps_nobody_from_its_turn(self) -> None:
        performed: list[str] = []
        hook, threading.excepthook = threading.excepthook, lambda _: None
        self.addCleanup(setattr, threading, "excepthook", hook)
        Schedule([Unit("bad", Cost(9), lambda: 1 / 0), Unit("good", Cost(), lambda: performed.append("good"))], 1).run()
        self.assertEqual(performed, ["good"])

    def test_class_that_takes_long_is_split_and_loses_no_test(self) -> None:
        names = [f"test_{i}" for i in range(10)]
        self.assertEqual(parts(names, Cost(59)), [names])
        self.assertEqual(parts(names, Cost(170)), [names[:3], names[3:6], names[6:]])
        self.assertEqual(parts(names[:1], Cost(170)), [names[:1]])

    def test_times_are_kept_for_the_next_time(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "times"
            self.assertEqual(read_times(path), {})
            write_times({"a": Cost(3, 1), "b": Cost(50, 20), "quick": Cost(0.5, 0.5)}, path)
            write_times({"a": Cost(4, 2)}, path)
            self.assertEqual(read_times(path), {"b": Cost(50, 20), "a": Cost(4, 2)})


class Standing(unittest.TestCase):
    """support/stillness.py."""

    def test_total_never_goes_back_and_it_ends(self) -> None:
        still = Stillness()
        try:
            before = still.total_s()
            time.sleep(2 * BEAT_S)
            self.assertGreaterEqual(still.total_s(), before)
        finally:
            still.stop()
        self.assertEqual(still.process.returncode, 0)

    def test_looker_that_is_stopped_counts_as_a_machine_that_is(self) -> None:
        still = Stillness()
        try:
            began = time.monotonic()
            still.process.send_signal(19)
            time.sleep(8 * BEAT_S)
            self.assertGreater(still.between(began, time.monotonic()), 4 * BEAT_S)
            self.assertEqual(still.between(began - 10, began - 5), 0.0)
        finally:
            still.process.send_signal(18)
            still.stop()


if __name__ == "__main__":
    unittest.main()
