"""Attacks on what watches runs, cold and warm: ends, volumes, what is not to be had inside."""

import os
import shlex
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import machinery
from machinery_case import GRACE_S, MachineryCase, Outcome, is_slow, slack_s, source
from support.bystander import Bystander
from support.beside import Beside
from support.processes import is_alive, marked
from support.run import IS_ROOT, OWNER, TESTING, execute
from support.times import wait_until

LIMIT_S = 3
STARTS = ("never", "require")  # cold, warm


class RunCase(MachineryCase):
    """A test that runs programs of machinery/, cold or warm."""

    def words(self, start: str, code: str, *flags: str) -> list[str]:
        """Return the arguments of a run."""
        return ["run", f"--warm={start}", *flags, "host", "python3", "-c", code]

    def timed_out(self, start: str, program: str, *args: str) -> Outcome:
        """Run an attack with a limit of time, at which it must end."""
        bound = LIMIT_S * (4 if is_slow() else 1) + GRACE_S
        words = self.words(start, source(program, *args), f"--timeout={bound - GRACE_S}s")
        outcome = self.bounded(words, patience=bound + slack_s(), give_up=bound + slack_s())
        self.assertIn("ready\n", outcome.out, f"it did not start: {outcome}")
        if outcome.status == 137 and "[MEMORY]" in outcome.err and program == "crowd":
            # The kernel frees the dead after a grace period, and charges them until then: where
            # a CPU of the machine stands still, the limit of memory ends forks first.
            print(f"  {str(outcome).splitlines()[0]}, by its memory")
            return outcome
        self.assert_bounded(outcome)
        self.assertEqual(outcome.status, 124, outcome)
        return outcome

    def until_ready(self, words: list[str], **popen: Any) -> "subprocess.Popen[bytes]":
        """Start a command and return it when it has said "ready" and what else it could do."""
        process = self.begin(words, **popen)
        assert process.stdout
        self.said = process.stdout.readline().decode()
        self.assertTrue(self.said.startswith("ready"), self.said)
        return process


class TimeoutTest(Beside, RunCase):
    """Whatever a program does, its time is up when it is up; others are served meanwhile."""

    at_once = 2  # they take CPUs
    kernel = (
        "test_pid_1_comes_last_on_its_cpu",
        "test_processes_without_a_leader",
        "test_fork_bomb",
    )

    def end_in_time(self, program: str, *args: str) -> None:
        """Run an attack cold and warm."""

        def attack() -> None:
            with self.others_are_served():
                for start in STARTS:
                    self.timed_out(start, program, *args)

        self.twice_if_it_stood_still(attack)
        self.assert_nothing_left()

    def test_pid_1_comes_last_on_its_cpu(self) -> None:
        self.end_in_time("priority", "spin")

    def test_processes_without_a_leader(self) -> None:
        self.end_in_time("leaderless", "run")

    def test_everybody_stopped(self) -> None:
        self.end_in_time("crowd", "stopped")

    def test_parents_that_wait_in_vfork(self) -> None:
        self.end_in_time("crowd", "vfork")

    def test_processes_that_ignore_everything(self) -> None:
        self.end_in_time("crowd", "orphans")

    def test_fork_bomb(self) -> None:
        self.end_in_time("crowd", "bomb")

    def test_processes_that_move_on(self) -> None:
        self.end_in_time("crowd", "forks")


class KilledTest(RunCase):
    """When glovebox itself is killed its sandbox ends, in seconds."""

    kernel = True
    as_user = True

    def end_with_it(self, start: str) -> None:
        """Kill the command while pid 1 has no CPU to speak of."""
        mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
        words = self.words(start, source("priority", "spin"))
        process = self.until_ready([*words, mark])
        time.sleep(0.5)
        inside = self.marked(mark, process.pid)
        self.assertTrue(inside, "its processes are not seen from here")
        began = time.monotonic()
        process.kill()
        process.communicate()
        wait_until(lambda: not self.marked(mark, process.pid), 10 + slack_s())
        took, left = time.monotonic() - began, self.marked(mark, process.pid)
        print(f"  {start}: after {took:.1f} s {len(left)} of {len(inside)} live")
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        self.assertEqual(len(left), 0, f"they go on {took:.1f} s after glovebox was killed")

    def marked(self, mark: str, but: int) -> list[int]:
        """Return the live processes that carry a mark, but for that of glovebox itself."""
        return [pid for pid in marked(mark) if pid != but and is_alive(pid)]

    def test_cold(self) -> None:
        self.end_with_it("never")

    def test_warm(self) -> None:
        self.end_with_it("require")


class VolumeTest(RunCase):
    """What a program does to a file of a volume does not hold up who opens it outside."""

    def setUp(self) -> None:
        super().setUp()
        self.shared = self.folder / "shared"
        self.shared.mkdir()
        self.path = self.shared / "file"
        self.path.write_text("content")
        for path in (self.shared, self.path):
            os.chown(path, *OWNER)

    def host_opens(self, kind: str, flags: str, start: str) -> None:
        """Have a lease taken inside; opening the file here must not wait for it."""
        mode = ":ro" if flags == "ro" else ""
        code = source("lease", "/shared/file", kind)
        words = self.words(start, code, "-v", f"{self.shared}:/shared{mode}")
        process = self.until_ready(words)
        print(f"  {start} {kind} {flags}: inside {self.said.strip()!r}")
        began = time.monotonic()
        reader = ["python3", "-c", f"import os; os.open({str(self.path)!r}, os.O_RDWR)"]
        opener = self.start(reader)
        wait_until(lambda: opener.poll() is not None, 5 + slack_s())
        took, status = time.monotonic() - began, opener.poll()
        print(f"  open() took {took:.2f} s")
        process.kill()
        process.communicate()
        self.assertEqual(status, 0, f"the host's open() waits for a {kind} lease of foreign code")

    def test_leases_on_a_read_only_volume(self) -> None:
        for start in STARTS:
            with self.subTest(start=start):
                self.host_opens("write", "ro", start)
                self.host_opens("read", "ro", start)

    def test_leases_on_a_writable_volume(self) -> None:
        for start in STARTS:
            with self.subTest(start=start):
                self.host_opens("write", "rw", start)

    def test_leases_on_what_is_collected(self) -> None:
        """A process that holds a lease on a file of /output outlives nothing."""
        for start in STARTS:
            output = self.subfolder(f"output-{start}")
            code = "open('/output/file', 'w').write('x')\n"
            code += source("lease", "/output/file", "write", "stay")
            outcome = self.bounded(self.words(start, code, "--output", str(output)))
            self.assert_bounded(outcome)
            self.assertEqual(outcome.status, 0, outcome)
            self.assertEqual((output / "file").read_text(), "x")


class InsideTest(RunCase):
    """What is not to be had inside; and is, where the layer is left out."""

    def setUp(self) -> None:
        super(MachineryCase, self).setUp()  # no supervisor: most of these do without
        self.bystander = self.enterContext(Bystander())

    def held(self, start: str, code: str) -> None:
        """Run it as shipped."""
        outcome = self.bounded(self.words(start, code), give_up=30, patience=30)
        self.assertEqual((outcome.status, outcome.out), (1, "HELD\n"), f"{start}: {outcome}")

    def without(self, layer: str, code: str) -> None:
        """Run it without a layer: it must succeed. What it does to pid 1 may then end that, or keep it from its work."""
        env = self.env() | {"GLOVEBOX_OMIT": layer}
        done = execute([TESTING, *self.words("never", code)], env=env)
        self.assertIn(done.status, (0, 125, 137), f"stopped without {layer}: {done}")
        self.assertIn("ESCAPED", done.out)


def _inside_tests(name: str, threat: str, program: str, args: tuple[str, ...], layer: str) -> None:
    code = source(program, *args)

    def held(case: InsideTest) -> None:
        case.held("never", code)

    def held_warm(case: InsideTest) -> None:
        case.start_warm(pool=1)
        case.held("require", code)

    def works(case: InsideTest) -> None:
        case.without(layer, code)

    made: dict[str, Callable[[InsideTest], None]] = {
        f"test_{name}": held,
        f"test_{name}_warm": held_warm,
        f"test_{name}_but_without_its_layer": works,
    }
    for title, test in made.items():
        test.__doc__ = threat
        setattr(InsideTest, title, test)


for _row in machinery.INSIDE:
    _inside_tests(*_row)


class CrashTest(RunCase):
    """A crash inside does not start the host's handler of core dumps.

    core_pattern is one for the whole machine: it is set only where the machine is thrown away.
    """

    kernel = True
    pattern = Path("/proc/sys/kernel/core_pattern")

    def setUp(self) -> None:
        if not Path("/run/vm/command").exists():  # tests/vm/init
            self.skipTest("cannot: core_pattern is the whole machine's; only in the throw-away one")
        if not IS_ROOT:
            self.skipTest("cannot: only root may set core_pattern")
        super().setUp()

    def crash(self, command: list[str]) -> bool:
        """Have core dumps handed to a program that leaves a file; say whether a crash did."""
        seen = self.folder / "seen"
        handler = self.file("handler", f"#!/bin/sh\ntouch {shlex.quote(str(seen))}\n")
        handler.chmod(0o755)
        before = self.pattern.read_text()
        self.pattern.write_text(f"|{handler}")
        try:
            subprocess.run(command, env=os.environ | self.env(), capture_output=True, timeout=60)
            return bool(wait_until(seen.exists, 3))
        finally:
            self.pattern.write_text(before)
            seen.unlink(missing_ok=True)

    def test_no_handler_is_started(self) -> None:
        code = source("core", "crash")
        self.assertTrue(self.crash(["python3", "-c", "import os; os.abort()"]), "no handler at all")
        for start in STARTS:
            words = self.words(start, code)
            self.assertFalse(self.crash([self.program, *words]), f"{start}: it ran on the host")
