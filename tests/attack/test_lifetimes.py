"""What must end with the program or with the supervisor, and output without end."""

import os
import signal
import time
from collections.abc import Callable

from support.attack import AttackCase
from support.times import wait_until

FLOOD_MIB = 1024


class LifetimeTest(AttackCase):
    """Nothing of a sandbox outlives it."""

    quick = ("test_daemons_end_with_the_program", "test_everything_ends_when_the_supervisor_is_killed")
    as_user = (
        "test_daemons_end_with_the_program",
        "test_everything_ends_when_the_supervisor_is_killed",
        "test_everything_ends_by_the_control_socket_alone",
    )
    kernel = True

    def wait_for(self, reason: Callable[[], object], what: str) -> None:
        """Wait until reason() is true."""
        self.assertTrue(wait_until(reason, 60), what)

    def test_daemons_end_with_the_program(self) -> None:
        finished = self.run_inside(inside=self.command("deadline_daemon"))
        self.assertEqual((finished.status, finished.stdout), (1, "HELD\n"), finished)

    def test_daemons_live_on_without_a_sandbox(self) -> None:
        env = dict(os.environ, GLOVEBOX_ATTACK="host")
        command = self.command("deadline_daemon")
        path = command[-1].replace("/attack/", f"{self.scripts}/")
        self.run_plainly([*command[:-1], path], env)
        self.wait_for(self.survivors, "the daemon does not live on")
        for survivor in self.survivors():
            os.kill(survivor, signal.SIGKILL)

    def test_everything_ends_when_the_supervisor_is_killed(self) -> None:
        self.kill_supervisor("")

    def test_everything_ends_by_the_control_socket_alone(self) -> None:
        """Without the parent-death signal pid 1 sees the end of file."""
        self.kill_supervisor("parent-death")

    def kill_supervisor(self, omit: str) -> None:
        """Kill glovebox, and see that everything ends."""
        process = self.start(inside=self.command("deadline_supervisor_killed"), omit=omit)
        self.assertEqual(process.stdout.readline(), "READY\n")
        self.assertTrue(self.inside(), "the processes cannot be seen from here")
        process.kill()
        process.communicate()
        self.assert_gone()

    def test_supervisor_stopped_does_not_extend_the_life_of_others(self) -> None:
        """SIGSTOP on glovebox, then SIGKILL: as above, nothing may be left."""
        process = self.start("--timeout", "30s", inside=self.command("deadline_supervisor_killed"))
        self.assertEqual(process.stdout.readline(), "READY\n")
        process.send_signal(signal.SIGSTOP)
        process.kill()
        process.communicate()
        self.assert_gone()

    def test_nobody_reads_and_the_deadline_comes_all_the_same(self) -> None:
        process = self.start("--timeout", "2s", inside=self.command("limit_output", "64"))
        # Where starting takes longer than that, the deadline comes first.
        self.wait_for(lambda: self.inside() or process.poll() is not None, "it did not start")
        deadline = time.monotonic() + 2  # before, it can only be between two programs
        over = lambda: time.monotonic() > deadline and not self.inside()  # noqa: E731
        self.wait_for(over, "it lives as long as nobody reads")
        self.assertEqual(self.finish(process).status, 124)

    def test_signals_that_are_ignored_inside_end_it_outside(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number=number):
                flags = ("--stop-timeout", "0")
                process = self.start(*flags, inside=self.command("deadline_supervisor_killed"))
                self.assertEqual(process.stdout.readline(), "READY\n")
                process.send_signal(number)
                self.finish(process)


class FloodTest(AttackCase):
    """Output is bounded for each stream, and the rest is dropped."""

    quick = ("test_a_gibibyte_is_cut",)

    def flood(self, mebibytes: int, limit: str) -> dict[str, int]:
        """Flood both streams into files and return their sizes."""
        files = {name: open(self.dir / name, "wb") for name in ("stdout", "stderr")}
        flags = ("--output-limit", limit)
        inside = self.command("limit_output", str(mebibytes))
        self.run_inside(*flags, inside=inside, **files)
        for file in files.values():
            file.close()
        return {name: (self.dir / name).stat().st_size for name in files}

    def test_a_gibibyte_is_cut(self) -> None:
        slow = "qemu" in open("/proc/cpuinfo", encoding="ascii").read().lower()
        sizes = self.flood(64 if slow else FLOOD_MIB, "1m")
        self.assertEqual(sizes["stdout"], 1 << 20)
        self.assertLess(sizes["stderr"], (1 << 20) + 4096)  # the note about it comes on top

    def test_all_of_it_comes_with_a_larger_limit(self) -> None:
        sizes = self.flood(4, "8m")
        self.assertEqual(sizes, {"stdout": 4 << 20, "stderr": 4 << 20})
