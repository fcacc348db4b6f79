"""SIGKILL of monitor, client and engine: at random moments (make soak: often), and at each of their system calls."""

import json
import os
import random
import signal
import subprocess
import time
import unittest
from collections.abc import Callable
from pathlib import Path

from integration.staying import WAITS, Staying
from support.case import Case
from support.machine import adopt_orphans, groups, own_groups
from support.processes import arguments, children
from support.run import GLOVEBOX, IS_ROOT, PYTHON, ROOT, execute, unique
from support.times import DEADLINE, wait_until

STEP = int(os.environ.get("GLOVEBOX_KILL_STEP", "4"))  # one of so many calls

# @ is the sandbox, % a directory.
COMMANDS = (
    "exec @ true",
    "exec -t @ true",
    "exec -d --keep @ echo kept",
    "cp %/in @:/tmp/in",
    "cp @:/usr/bin/env %/out",
    "pause @",
    "unpause @",
    "update --memory 200m --pids-limit 40 @",
    "rename @ renamed",
    "stop -t 0 @",
    "restart -t 0 @",
    "rm -f @",
)


def own_group() -> dict[str, str]:
    """The variable that own_groups() has set; commands get few of ours."""
    return {name: os.environ[name] for name in ("GLOVEBOX_CGROUP",) if name in os.environ}


class Random(Case):
    """What tools/soak-kills does."""

    def test_forty(self) -> None:
        seed = str(int.from_bytes(os.urandom(2)))
        command = [str(ROOT / "tools/soak-kills"), "--kills", "40", "--seed", seed, "--glovebox", GLOVEBOX]
        done = execute(command, env={"TMPDIR": str(self.folder)}, timeout=1200)
        self.assertEqual((done.status, done.out.splitlines()[-1:]), (0, ["ok"]), done.out)


class Each(Staying):
    """A process is killed right before each of its calls that leave something (support/killed_call.py)."""

    @classmethod
    def setUpClass(cls) -> None:
        """Be where only our own groups and orphans are seen."""
        super().setUpClass()
        adopt_orphans()
        if IS_ROOT:
            cls.addClassCleanup(own_groups())

    def setUp(self) -> None:
        """Have something to copy; say which calls are left out."""
        super().setUp()
        self.env |= own_group()
        self.file("in", b"x" * 100_000)
        self.first = random.randrange(1, STEP + 1)
        self.name = ""
        self.removing = False

    def box(self) -> str:
        """Leave a sandbox behind that has printed something; return its id."""
        self.name = unique("each")
        result = self.ours("run", "-d", "--name", self.name, "host", "sh", "-c", f"echo said; {WAITS}")
        wait_until(lambda: self.ours("logs", self.name).out)
        return self.assert_status(result).out.strip()

    def killed(self, who: str, number: int, *command: str) -> str:
        """Perform a command in which a process is killed; return what became of that."""
        tracer = [PYTHON, str(ROOT / "tests/support/killed_call.py"), who, str(number), GLOVEBOX, *command]
        result = execute(tracer, env=self.env)
        if "ptrace" in result.err and "not permitted" in result.err:
            self.skipTest("cannot: ptrace is not permitted here")
        self.assert_status(result)
        return result.out.strip()

    def running(self) -> list[int]:
        """What of ours runs, as orphans of ours: a monitor and what is below it."""
        return [pid for pid in children(os.getpid()) if b"glovebox" in arguments(pid) and b"killed_call" not in arguments(pid)]

    def assert_readable(self, printed: str) -> list[str]:
        """Each record that is whole can be read, with its log unless it was being removed; return the states."""
        self.assert_status(self.ours("ps", "-a"))
        states = []
        for record in self.records:
            described = self.ours("inspect", record.name)
            if described.status == 0:
                log = self.assert_status(self.ours("logs", record.name)).out
                self.assertTrue(printed in log or self.removing, log)
                states.append(json.loads(described.out)[0]["State"]["Status"])
        return states

    def assert_nothing_left(self) -> None:
        """What there is can be removed, and then there is nothing."""
        for record in self.records:
            self.ours("rm", "-f", record.name)
            if record.exists():
                os.utime(record, (0, 0))  # it might be written at this moment
        self.assert_status(self.ours("container", "prune"))
        self.assertEqual(self.records, [])
        self.assertEqual(wait_until(lambda: not self.running()), True, self.running())

    def assert_groups_are_gone(self) -> None:
        """The next start removes what was left of groups."""
        self.assert_status(self.ours("run", "host", "true"))
        left = [path for path in groups() if os.environ.get("GLOVEBOX_CGROUP", "/") in path and "/sandbox-" in path]
        self.assertEqual(left, [])

    def at_each(self, perform: Callable[[int], str], check: Callable[[], object], command: str = "") -> None:
        """Kill at one call after the other."""
        for number in range(self.first, 1000, STEP):
            said = perform(number)
            with self.subTest(command=command, call=number, said=said):
                try:
                    check()
                finally:
                    self.assert_nothing_left()
            if said.startswith("ended"):
                break
        self.assert_groups_are_gone()

    # -- whom

    def test_the_monitor_of_a_start(self) -> None:
        for flags in ((), ("-p", "127.0.0.1::8000")):
            self.at_each(
                lambda number: self.killed("child", number, "run", "-d", "--name", "each", *flags, "host", "sleep", "1000"),  # noqa: B023
                lambda: self.assertLessEqual({*self.assert_readable("")}, {"dead", "running"}),
            )

    def test_the_client_of_a_start(self) -> None:
        self.at_each(
            lambda number: self.killed("self", number, "run", "-d", "--name", "each", "host", "sleep", "1000"),
            lambda: self.assert_readable(""),
        )

    def test_the_monitor_of_another_start(self) -> None:
        def perform(number: int) -> str:
            one = self.box()
            self.assert_status(self.ours("kill", one))
            return self.killed("child", number, "start", one)

        self.at_each(perform, lambda: self.assertIn(self.assert_readable("said")[0], ("dead", "exited", "running")))

    def test_the_monitor(self) -> None:
        def check() -> None:
            states = self.assert_readable("said")
            self.assertLessEqual({*states}, {"dead", "exited", "running", "paused"})
            if states and states != ["paused"]:
                self.assert_status(self.ours("start", self.records[0].name))
                self.assert_prints("open", self.inside(self.records[0].name, "echo open"))

        for command in COMMANDS:
            self.at_each(lambda number: self.at_work(command, number, "monitor"), check, command)  # noqa: B023

    def test_the_client(self) -> None:
        for command in COMMANDS:
            self.at_each(lambda number: self.at_work(command, number, "self"), self.assert_goes_on, command)  # noqa: B023

    def at_work(self, command: str, number: int, who: str) -> str:
        """Kill somebody while a command is performed on one that runs."""
        one = self.box()
        self.removing = command.startswith("rm")
        if command.startswith("unpause"):
            self.assert_status(self.ours("pause", one))
        if who == "monitor":
            who = str(self.state(one)["Pid"])
        return self.killed(who, number, *command.replace("@", one).replace("%", str(self.folder)).split())

    def assert_goes_on(self) -> None:
        """Whoever asked is gone: what runs goes on."""
        for state in self.assert_readable("said"):
            one = self.records[0].name
            if state == "paused":
                self.assert_status(self.ours("unpause", one))
            if state in ("paused", "running") and self.inside(one, "exit 7").status != 7:
                self.assertIn(self.end_of(one), ("0", "137"))  # it had been told to end, by SIGTERM or SIGKILL


@unittest.skipUnless(IS_ROOT, "cannot: only root may move a process into the group of a sandbox")
class Dying(Staying):
    """What is left of a sandbox whose monitor was killed goes on for a moment: here a process of ours in its group."""

    @classmethod
    def setUpClass(cls) -> None:
        """Be where only our own groups are seen."""
        super().setUpClass()
        cls.addClassCleanup(own_groups())

    def test_a_start_waits_for_its_group(self) -> None:
        self.env |= own_group()
        one = self.assert_status(self.detached(argv=["sleep", "1000"])).out.strip()
        found = [Path(path) for path in groups() if path.endswith(f"/sandbox-{one}")]
        self.assertTrue(found)
        straggler = self.start(["sleep", "1000"])
        for path in found:
            (path / "cgroup.procs").write_text(str(straggler.pid))
        os.kill(self.state(one)["Pid"], signal.SIGKILL)
        self.assertEqual(wait_until(lambda: self.state(one)["Status"] == "dead"), True)
        start = self.start([GLOVEBOX, "start", one], stderr=subprocess.PIPE, env=dict(os.environ, **self.env))
        time.sleep(0.1)
        straggler.kill()
        straggler.wait()
        self.assertEqual(start.communicate(timeout=DEADLINE), (None, b""))
        self.assertEqual(self.state(one)["Status"], "running")
