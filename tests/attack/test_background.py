"""Attacks on programs in the background of a sandbox that stays (exec -d --keep), and on what is kept of them."""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from staying import Staying
from support.processes import is_alive, resident
from support.run import GLOVEBOX
from support.times import DEADLINE, wait_until

LIMIT = 1 << 20
MEMORY = 24 << 20  # of the monitor: what keeps ten outputs would have more
UNTIL = "until [ -e /tmp/{0} ]; do sleep 0.01; done"


class Background(Staying):
    """One that waits, and something hostile in it."""

    def setUp(self) -> None:
        """Leave one behind."""
        super().setUp()
        self.name = self.stay()
        self.monitor = self.state(self.name)["Pid"]

    def keep(self, script: str, *flags: str) -> str:
        """Start a shell script whose output is kept; return its name."""
        return self.assert_status(self.inside(self.name, script, "-d", "--keep", *flags)).out.strip()

    def logs_of(self, name: str) -> Path:
        """Return the directory of a log."""
        return self.records[0] / "programs" / name.rpartition("/")[2]

    def begin(self, *args: str) -> "subprocess.Popen[bytes]":
        """Start a command of glovebox's."""
        env = dict(os.environ, **self.env)
        return self.start([GLOVEBOX, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)

    def assert_open(self) -> None:
        """Assert that the monitor goes on."""
        self.assert_prints("open", self.inside(self.name, "echo open"))
        one = self.keep("echo kept; exit 6")
        self.assert_prints("6", self.ours("wait", one))
        self.assert_prints("kept", self.ours("logs", one))
        self.assertTrue(is_alive(self.monitor))


class Printing(Background):
    """Without end, and where nobody reads."""

    as_user = True

    def test_ten_at_once(self) -> None:
        scripts = ("yes", "cat /dev/zero", "cat /dev/zero >&2", "while :; do printf a; done", "yes & yes >&2") * 2
        names = [self.keep(script, *(["-t"] if n == 5 else [])) for n, script in enumerate(scripts)]
        for name in names:
            self.assertTrue(wait_until(lambda name=name: (self.logs_of(name) / "log.old").exists()), name)
            self.assertLess(resident(self.monitor), MEMORY)
        for name in names:
            self.assertLessEqual(sum(path.stat().st_size for path in self.logs_of(name).iterdir()), LIMIT)
            self.assertLessEqual(len(self.assert_status(self.ours("logs", "--tail", "1", name)).stdout), LIMIT)
        self.assert_open()
        self.assertLess(resident(self.monitor), MEMORY)
        for name in names:
            self.assert_prints(name, self.ours("kill", name))
            self.assert_prints("137", self.ours("wait", name))
        self.assert_open()

    def test_streams_that_are_closed(self) -> None:
        for n, flags in enumerate(((), ("-t",), ("-i",))):
            with self.subTest(flags=flags):
                closed, go = f"closed{n}", f"go{n}"
                one = self.keep(f"trap '' HUP; echo before; exec <&- >&- 2>&-; touch /tmp/{closed}; {UNTIL.format(go)}; exit 6", *flags)
                follower = self.begin("logs", "-f", one)
                assert follower.stdout
                self.assertEqual(follower.stdout.readline().strip(), b"before")
                self.assert_prints("", self.inside(self.name, f"{UNTIL.format(closed)}; touch /tmp/{go}"))
                self.assert_prints("6", self.ours("wait", one))
                self.assertEqual(follower.wait(DEADLINE), 0)

    def test_a_process_that_is_left_behind(self) -> None:
        """The end of its parent is told at once; what it prints is kept."""
        for flags in ((), ("-i",)):
            one = self.keep(f"echo first; ({UNTIL.format('go')}; echo later) & exit 2", *flags)
            follower = self.begin("logs", "-f", one)
            self.assert_prints("2", self.ours("wait", one))
            self.assertEqual(follower.communicate(timeout=DEADLINE), (b"first\n", b""))
            self.assert_status(self.inside(self.name, "touch /tmp/go"))
            self.assertTrue(wait_until(lambda one=one: self.ours("logs", one).out == "first\nlater\n"))
            self.assert_status(self.inside(self.name, "rm /tmp/go"))

    def test_one_that_prints_on(self) -> None:
        for flags in ((), ("-t",)):
            one = self.keep("trap '' HUP; for i in 1 2 3; do cat /dev/zero & done; exit 3", *flags)
            self.assert_prints("3", self.ours("wait", one))
            self.assertLessEqual(len(self.ours("logs", one).stdout), LIMIT)
            self.assert_status(self.ours("logs", "-f", "--tail=0", one))
        self.assertLess(resident(self.monitor), MEMORY)
        self.assert_open()

    def test_one_that_prints_on_is_forgotten(self) -> None:
        """Nobody keeps what it prints: it gets SIGPIPE."""
        one = self.keep("cat /dev/zero & exit 3", "--output-limit", "255m")
        self.assert_prints("3", self.ours("wait", one))
        other = self.keep("exec sleep 1000", "--output-limit", "255m")
        self.assert_status(self.ours("wait", one), 125)
        self.assertEqual([path.name for path in (self.records[0] / "programs").iterdir()], [other.rpartition("/")[2]])
        count = "ls -l /proc/[0-9]*/exe 2>/dev/null | grep -c /cat"
        self.assertTrue(wait_until(lambda: self.inside(self.name, count).out.strip() == "0"))
        self.assert_prints(other, self.ours("kill", other))
        self.assert_open()


class Files(Background):
    """Another process of the user alters what is kept."""

    as_user = True

    def test_logs_that_are_altered(self) -> None:
        def replace(make: Callable[[Path], object]) -> Callable[[Path], None]:
            def act(place: Path) -> None:
                (place / "log").unlink()
                make(place / "log")

            return act

        ways: tuple[Callable[[Path], object], ...] = (
            lambda place: os.truncate(place / "log", 0),
            lambda place: os.truncate(place / "log", 3),
            lambda place: os.truncate(place / "log", 1 << 26),
            lambda place: (place / "log").write_bytes(b"\xff" * 70000),
            lambda place: (place / "log").write_bytes(b"1 1 99999999999999999999\nx"),
            lambda place: (place / "log").write_bytes(b"1 7 1\nx1 -1 1\nx"),
            lambda place: (place / "log").unlink(),
            replace(os.mkfifo),
            replace(os.mkdir),
            replace(lambda path: path.symlink_to("/etc/passwd")),
            shutil.rmtree,
        )
        for n, way in enumerate(ways):
            with self.subTest(n=n):
                one = self.keep(f"echo before; {UNTIL.format(f'go{n}')}; head -c 700000 /dev/zero; echo after; exit 5")
                self.assertTrue(wait_until(lambda one=one: self.ours("logs", one).out == "before\n"))
                way(self.logs_of(one))
                follower = self.begin("logs", "-f", one)
                self.assert_status(self.inside(self.name, f"touch /tmp/go{n}"))
                self.assert_prints("5", self.ours("wait", one))
                out, _ = follower.communicate(timeout=DEADLINE)
                self.assertNotIn(b"root:", out)
                self.assertIn(follower.returncode, (0, 125))
                result = self.ours("logs", one)
                self.assertIn(result.status, (0, 125))
                self.assertNotIn("root:", result.out)
        self.assertLess(resident(self.monitor), MEMORY)
        self.assert_open()

    def test_directories_that_are_in_the_way(self) -> None:
        """One is refused, and runs no longer; the next is kept."""
        place = self.records[0] / "programs"
        place.mkdir()
        (place / "1").mkdir()
        (place / "1/x").touch()
        self.assert_fails(self.inside(self.name, "exec sleep 1000", "-d", "--keep"), 125, "1")
        (place / "new").mkdir()
        self.assert_fails(self.inside(self.name, "exec sleep 1000", "-d", "--keep"), 125)
        self.assert_open()
        self.assertTrue(wait_until(lambda: self.described(self.name)["Programs"][0]["Status"] == "exited"))
        shutil.rmtree(place)
        place.write_text("")
        self.assert_prints("open", self.inside(self.name, "echo open"))


class Ends(Background):
    """Clients and monitors that go at the wrong moment."""

    def test_a_monitor_that_is_killed(self) -> None:
        one = self.keep("echo said; exec sleep 1000", "-i")
        self.assertTrue(wait_until(lambda: self.ours("logs", one).out == "said\n"))
        clients = [self.begin(*words, one) for words in (["logs", "-f"], ["wait"], ["attach"])]
        time.sleep(0.1)
        os.kill(self.monitor, signal.SIGKILL)
        ends = [client.communicate(timeout=DEADLINE)[0] for client in clients]
        self.assertEqual(ends[0], b"said\n")
        self.assertEqual([client.returncode for client in clients], [0, 125, 125])
        self.assertEqual(self.ours("logs", one).out, "said\n")
        for words in (["wait"], ["kill"], ["attach"]):
            self.assert_fails(self.ours(*words, one), 125, "not running")
        self.assert_prints(self.name, self.ours("rm", "-f", self.name))
        self.assertEqual(self.records, [])

    def test_clients_that_are_killed_at_any_moment(self) -> None:
        """Their programs are kept, or never were."""
        chance = random.Random(int.from_bytes(os.urandom(4)))
        for _ in range(40):
            client = self.begin("exec", "-d", "--keep", self.name, "echo", "x")
            time.sleep(chance.random() * 0.008)
            client.kill()
            client.communicate()
        self.assert_open()
        programs = self.described(self.name)["Programs"]
        self.assertEqual({p["Status"] for p in programs}, {"exited"})
        for program in programs[:-1]:
            self.assert_prints("x", self.ours("logs", f"{self.name}/{program['Number']}"))

    def test_a_monitor_that_is_killed_at_any_moment(self) -> None:
        chance = random.Random(int.from_bytes(os.urandom(4)))
        for _ in range(10):
            client = self.begin("exec", "-d", "--keep", self.name, "echo", "x")
            time.sleep(chance.random() * 0.008)
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.state(self.name)["Pid"], signal.SIGKILL)
            client.communicate(timeout=DEADLINE)
            self.assertIn(client.returncode, (0, 125))
            self.assertTrue(wait_until(lambda: self.state(self.name)["Status"] == "dead"))
            self.assert_status(self.ours("start", self.name))
            self.assertEqual(self.described(self.name)["Programs"], [])
            self.assertEqual(list(self.records[0].glob("programs/*")), [])

    def test_a_program_that_is_killed_right_after_its_birth(self) -> None:
        """Before its execve, too: it is one that has ended."""
        killer = self.keep("while :; do for p in /proc/[0-9]*; do p=${p#/proc/}; [ $p -gt $$ ] && kill -9 $p; done; done 2>/dev/null")
        for _ in range(50):
            result = self.inside(self.name, "echo x", "-d", "--keep")
            self.assertIn(result.status, (0, 125), result.err)
            if not result.status:
                self.assertIn(self.ours("wait", result.out.strip()).out.strip(), ("0", "137"))
        self.assert_prints(killer, self.ours("kill", killer))
        self.assert_prints("137", self.ours("wait", killer))
        self.assert_open()
