"""Attacks on cp: names, tars, a sandbox that swaps what is copied, and movers that are killed, on both sides."""

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

from integration.staying import Staying
from integration.test_mover import DONE, hostile
from support.run import GLOVEBOX, PYTHON, ROOT, Result, execute
from support.times import DEADLINE, wait_until

NAMES = [b"a" + bytes([byte]) + b"z" for byte in range(1, 256) if byte != 0x2F]

# Exchanges a directory for links that lead out of it, for ever.
SWAPS = """
import os, sys
os.makedirs("/tmp/t/d", exist_ok=True)
for number in range(200): open(f"/tmp/t/d/{number}", "w").write("theirs")
print("ready", flush=True)
while True:
    for leads in sys.argv[1:]:
        try:
            os.rename("/tmp/t/d", f"/tmp/{os.urandom(8).hex()}" if os.path.exists("/tmp/kept") else "/tmp/kept")
            os.symlink(leads, "/tmp/t/d")
            os.unlink("/tmp/t/d")
            os.rename("/tmp/kept", "/tmp/t/d")
        except OSError:
            os.makedirs("/tmp/t/d", exist_ok=True)
"""
# Kills each other program while a file says so.
KILLS = """
import os, time
os.makedirs("/tmp/t"); open("/tmp/t/f", "wb").write(bytes(1 << 20))
print("ready", flush=True)
while True:
    if os.path.exists("/tmp/quiet"):
        time.sleep(0.01)
        continue
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if int(pid) not in (1, os.getpid()):
            try: os.kill(int(pid), 9)
            except OSError: pass
"""


class Moving(Staying):
    """A sandbox, and a directory outside in which nothing may change but what is copied there."""

    as_user = True

    def setUp(self) -> None:
        """Make what is looked at in the end."""
        super().setUp()
        self.here = self.folder / "here"
        (self.here / "tree/d").mkdir(parents=True)
        (self.here / "tree/d/0").write_text("ours")
        self.outside = self.folder / "outside"
        self.outside.mkdir()
        (self.outside / "0").write_text("mine")

    def tearDown(self) -> None:
        """What is outside is as it was."""
        self.assertEqual([path.name for path in self.outside.iterdir()], ["0"])
        self.assertEqual((self.outside / "0").read_text(), "mine")
        self.assertEqual({path.name for path in self.folder.iterdir()} - {"state"}, {"here", "outside"})

    def cp(self, *words: str | Path, **options: object) -> Result:
        """Copy, from the directory."""
        return self.ours("cp", *words, cwd=self.here, **options)

    def hostile(self, script: str, *args: str | Path) -> str:
        """Leave a sandbox behind whose first program has begun to do something."""
        name = self.stay(argv=[PYTHON, "-c", script, *map(str, args)])
        self.assertTrue(wait_until(lambda: self.ours("logs", name).out == "ready\n"))
        return name

    def test_names_with_every_byte(self) -> None:
        """There and back."""
        name = self.stay()
        names = self.here / "names"
        names.mkdir()
        for number, one in enumerate(NAMES):
            Path(os.fsdecode(os.fsencode(names) + b"/" + one)).write_text(str(number))
        self.assert_status(self.cp("names", f"{name}:/tmp"))
        self.assert_prints(str(len(NAMES)), self.ours("exec", name, PYTHON, "-c", "import os; print(len(os.listdir(b'/tmp/names')))"))
        self.assert_status(self.cp(f"{name}:/tmp/names", "back"))
        back = {os.fsencode(path.name): path.read_text() for path in (self.here / "back").iterdir()}
        self.assertEqual(back, {one: str(number) for number, one in enumerate(NAMES)})

    def test_tars_of_all_tricks(self) -> None:
        """Into a sandbox: its other files are as they were."""
        name = self.stay()
        self.assert_status(self.inside(name, "mkdir /tmp/inside /tmp/outside; echo 1 >/tmp/outside/file"))
        for what, data, status in hostile():
            with self.subTest(what):
                self.assert_status(self.inside(name, "chmod -R u+rwx /tmp/inside; rm -rf /tmp/inside; mkdir /tmp/inside"))
                result = self.cp("-", f"{name}:/tmp/inside", stdin=data)
                self.assertEqual(result.status == 0, status == DONE, result.err)
                self.assert_prints("file inside outside 1", self.inside(name, "cd /tmp; echo $(ls outside; ls; cat outside/file)"))

    def test_a_sandbox_that_swaps(self) -> None:
        """A directory becomes a link while it is copied, in either direction."""
        name = self.hostile(SWAPS, self.outside, "../../outside", "/etc/skel")
        for number in range(12):
            self.assertIn(self.cp(f"{name}:/tmp/t", f"out{number}").status, (0, 1, 125))
            self.assertIn(self.cp("tree/d", f"{name}:/tmp/t").status, (0, 1, 125))
            self.assertIn(self.cp(f"{name}:/tmp/t/d/.", f"all{number}").status, (0, 1, 125))
        self.assertEqual(self.field(name, "State.Status"), "running")
        for path in self.here.rglob("*"):
            if path.is_file() and not path.is_symlink() and path.parts[-2] == "d":
                self.assertIn(path.read_text(), ("theirs", "ours"))

    def test_movers_that_are_killed_inside(self) -> None:
        """The copy fails in a line; afterwards another one does not."""
        name = self.hostile(KILLS)
        for number in range(10):
            for words in ((f"{name}:/tmp/t", f"out{number}"), ("tree", f"{name}:/tmp/in")):
                result = self.cp(*words)
                self.assertIn(result.status, (0, 1, 125))
                self.assertEqual(bool(result.status), bool(result.err), result)
        self.assertTrue(wait_until(lambda: self.inside(name, "echo >/tmp/quiet").status == 0))
        self.assert_status(self.cp(f"{name}:/tmp/t", "whole"))
        self.assertEqual((self.here / "whole/f").stat().st_size, 1 << 20)

    def at_each(self, who: str, command: Callable[[int], tuple[str, ...]]) -> None:
        """Kill a process at one of its calls after the other (support/killed_call.py)."""
        for number in range(1, 1000):
            tracer = [PYTHON, str(ROOT / "tests/support/killed_call.py"), who, str(number), GLOVEBOX, *command(number)]
            result = execute(tracer, env=self.env, cwd=self.here)
            if "not permitted" in result.err:
                self.skipTest("cannot: ptrace is not permitted here")
            said, _, status = self.assert_status(result).out.strip().rpartition(" ")
            if said.startswith("ended"):
                self.assertEqual(status, "0", result.err)
                break
            self.assertNotEqual(status, "0", said)

    def test_the_mover_of_this_machine_is_killed(self) -> None:
        """At each call: the copy fails, and the sandbox goes on."""
        name = self.stay(sh="mkdir /tmp/t; echo 1 >/tmp/t/1; echo 2 >/tmp/t/2; echo ready; exec sleep 1000")
        wait_until(lambda: self.ours("logs", name).out)
        self.at_each("child", lambda number: ("cp", f"{name}:/tmp/t", f"out{number}"))
        self.at_each("child", lambda number: ("cp", "tree", f"{name}:/tmp/in{number}"))
        self.assert_prints("open", self.inside(name, "echo open"))

    def test_a_client_that_is_stopped(self) -> None:
        """What it copies waits; nobody else does, and rm -f ends it."""
        name = self.stay(sh="head -c 30000000 /dev/zero >/tmp/f; echo ready; exec sleep 1000")
        wait_until(lambda: self.ours("logs", name).out)
        line = [GLOVEBOX, "cp", f"{name}:/tmp/f", "-"]
        client = self.start(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, **self.env))
        assert client.stdout
        self.assertTrue(os.read(client.stdout.fileno(), 1))
        client.send_signal(signal.SIGSTOP)
        self.assert_prints("open", self.inside(name, "echo open"))
        self.assert_prints(name, self.ours("rm", "-f", name))
        client.send_signal(signal.SIGCONT)
        client.communicate(timeout=DEADLINE)
        self.assertNotEqual(client.returncode, 0)
