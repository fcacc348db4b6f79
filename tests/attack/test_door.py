"""Attacks on a sandbox that stays, while others use its door: races, and whatever can be used up."""

import contextlib
import os
import signal
import socket
import subprocess
from pathlib import Path

from staying import Staying
from support.attack import SCRIPTS
from support.processes import children
from support.run import GLOVEBOX, TESTING, Result
from support.times import DEADLINE, wait_until
from test_init import NOTHING

RACE = "door_race"
SECRET = "CALLERS_SECRET"
# Signals each process right after its birth: pids are given one after the other.
NEXT = """
import os, sys, time
number, end = int(sys.argv[1]), time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    last = os.fork() or os._exit(0)
    os.waitpid(last, 0)
    for _ in range(2000):
        for pid in range(last + 1, last + 5):
            try:
                os.kill(pid, number)
                last = pid
            except OSError:
                pass
"""
FILL = """
import os, time
print("ready", flush=True)
while True:
    try:
        if not os.fork():
            time.sleep(1000)
    except OSError:
        time.sleep(0.01)
"""


class Door(Staying):
    """A sandbox that stays and has something hostile in it."""

    def begin(self, *args: str, **options: object) -> "subprocess.Popen[bytes]":
        """Start a command of glovebox's."""
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        env = dict(os.environ, **self.env)
        return self.start([self.program, *args], env=env, **(streams | options))

    def monitor(self, name: str) -> int:
        """Return the pid of a sandbox's monitor."""
        return self.state(name)["Pid"]

    def assert_open(self, name: str) -> None:
        """Assert that a further program is started."""
        self.assert_prints("open", self.inside(name, "echo open"))

    def assert_ends(self, name: str) -> None:
        """Assert that a sandbox ends at once when it is told to, and leaves nothing."""
        monitor = self.monitor(name)
        self.assert_prints(name, self.ours("rm", "-f", name))
        self.assertEqual((children(monitor), self.records), ([], []))


class Race(Door):
    """What is copied from pid 1 is foreign to nobody until its execve."""

    kernel = ("test_a_copy_gives_nothing_away", "test_a_copy_gives_away_without_its_defence")
    as_user = kernel

    def meet(self, omit: str) -> str:
        """Return what a program says that has stopped some copies."""
        self.program = TESTING if omit else GLOVEBOX
        self.env |= {SECRET: "x", "GLOVEBOX_OMIT": omit}
        name = self.stay("-v", f"{SCRIPTS}:/attack:ro", "-e", "GLOVEBOX_ATTACK=sandbox")
        attack = self.begin("exec", name, "python3", f"/attack/{RACE}.py", SECRET, str(DEADLINE / 2))
        wait_until(lambda: self.inside(name, "true").status or attack.poll() is not None)
        out, err = attack.communicate(timeout=DEADLINE)
        self.assertIn(attack.returncode, (0, 1), err)
        self.assert_open(name)
        return out.decode()

    def stay(self, *flags: str, **what: object) -> str:
        """Leave a sandbox behind by the program of this test."""
        result = self.assert_status(self.ours("run", "-d", *flags, "host", "sleep", "1000"))
        return result.out.strip()

    def test_a_copy_gives_nothing_away(self) -> None:
        self.assertEqual(self.meet(""), "HELD\n")

    def test_a_copy_gives_away_without_its_defence(self) -> None:
        said = self.meet("hidepid,undumpable")
        self.assertIn("ESCAPED", said)
        self.assertIn("SECRET", said)

    def test_copies_that_are_killed(self) -> None:
        """Whoever asked for one is told of its end, and pid 1 goes on."""
        name = self.stay()
        killer = self.begin("exec", name, "python3", "-c", NEXT, str(int(signal.SIGKILL)), "2")
        killed = 0
        while killer.poll() is None:
            result = self.ours("exec", name, "/bin/true")
            self.assertIn(result.status, (0, 137), result.err)
            self.assertEqual(result.err, "")
            killed += result.status == 137
        self.assertGreater(killed, 0)
        self.assert_open(name)

    def test_copies_that_stay_stopped(self) -> None:
        """Who waits for one can leave; nobody else waits, and it ends with the sandbox."""
        name = self.stay()
        stopper = self.begin("exec", name, "python3", "-c", NEXT, str(int(signal.SIGSTOP)), "1")
        waiting = []
        while stopper.poll() is None:
            waiting.append(self.begin("exec", name, "/bin/true"))
            with contextlib.suppress(subprocess.TimeoutExpired):
                waiting[-1].wait(0.1)
        waiting = [client for client in waiting if client.poll() is None]
        self.assertTrue(waiting, "none was stopped")
        self.assert_open(name)
        for _ in range(2):
            waiting[0].send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                waiting[0].wait(0.3)
        self.assertEqual(waiting[0].wait(DEADLINE), 130)
        self.assertEqual(self.ours("rm", "-f", name).status, 0)
        for client in waiting[1:]:
            self.assertIn(client.wait(DEADLINE), (0, 125))  # 0: it was only slow


class Init(Door):
    """Pid 1, seen from the host: the program's confinement is its own."""

    kernel = as_user = True

    def pid_1(self, omit: str = "") -> int:
        """Return pid 1 of one that stays."""
        self.program = TESTING if omit else GLOVEBOX
        self.env |= {"GLOVEBOX_OMIT": omit}
        name = self.assert_status(self.ours("run", "-d", "host", "sleep", "1000")).out.strip()
        self.assert_open(name)
        return children(self.monitor(name))[0]

    def locked(self, pid: int) -> dict[str, str]:
        """Return what says that a process is locked down."""
        lines = open(f"/proc/{pid}/status", encoding="ascii").read().splitlines()
        return {name: value.strip() for name, _, value in (line.partition(":") for line in lines) if name in NOTHING}

    def held(self, pid: int) -> list[str]:
        """List what it has open, but for what it opened to watch its children."""
        if os.geteuid():
            self.skipTest("cannot: only root may look at a process that is not dumpable")
        links = [os.readlink(link) for link in Path(f"/proc/{pid}/fd").iterdir()]
        return [link for link in links if "signalfd" not in link]

    def test_pid_1_is_locked_down(self) -> None:
        self.assertEqual(self.locked(self.pid_1()), NOTHING)

    def test_pid_1_holds_one_descriptor(self) -> None:
        """The control socket. With one of the monitor's, `run -d` would wait for its end."""
        self.assertEqual(len(self.held(self.pid_1())), 1)

    def test_pid_1_is_open_without_its_layers(self) -> None:
        pid = self.pid_1("init-caps,init-no-new-privs,init-seccomp")
        open_ = self.locked(pid)
        self.assertNotEqual(int(open_["CapEff"], 16), 0)
        self.assertEqual((open_["NoNewPrivs"], open_["Seccomp"]), ("0", "0"))


class Full(Door):
    """Nothing is left of what a further program needs: one line says so, and the sandbox can be ended."""

    def refused(self, result: Result, *words: str) -> None:
        """Assert that exec was refused in a line."""
        self.assert_fails(result, 125, *words)

    def test_processes(self) -> None:
        name = self.stay("--pids-limit", "30", py=FILL)
        wait_until(lambda: self.inside(name, "true").status)
        for flags in ((), ("-d",), ("-t",)):
            self.refused(self.inside(name, "true", *flags), "--pids-limit")
        self.assert_ends(name)

    def test_processes_and_stop(self) -> None:
        name = self.stay("--pids-limit", "30", py=FILL)
        self.assert_prints(name, self.ours("stop", "-t", "0", name))
        self.assertEqual(self.field(name, "State.Status"), "exited")

    def test_programs(self) -> None:
        name = self.stay("--pids-limit", "1000")
        for _ in range(255):
            self.assert_status(self.ours("exec", "-d", name, "/bin/sleep", "1000"))
        self.refused(self.inside(name, "true"), "256")
        self.assert_ends(name)

    def test_terminals(self) -> None:
        take = 'import os, time\nwhile True:\n    try: os.open("/dev/ptmx", os.O_RDWR)\n    except OSError: break\n'
        name = self.stay("--ulimit", "nofile=4096", py=f'{take}print("ready", flush=True)\ntime.sleep(1000)')
        wait_until(lambda: self.ours("logs", name).out)
        self.assert_open(name)
        result = self.inside(name, "tty", "-t")
        if result.status:  # there are fewer than one program may open
            self.refused(result, "/dev/ptmx")
        self.assert_ends(name)

    def test_few_open_files(self) -> None:
        """They are a program's, not those of pid 1, which receives the descriptors of the next one."""
        name = self.stay("--ulimit", "nofile=8", sh="ulimit -n; exec sleep 1000")
        self.assertTrue(wait_until(lambda: self.ours("logs", name).out == "8\n"))
        self.assert_prints("8", self.inside(name, "ulimit -n"))

    def test_clients(self) -> None:
        """Who comes when there are too many is told so."""
        name = self.stay()
        crowd = []
        place = os.open(self.records[0], os.O_RDONLY)
        self.addCleanup(os.close, place)
        for _ in range(512):
            crowd.append(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
            self.addCleanup(crowd[-1].close)
            crowd[-1].connect(f"/proc/self/fd/{place}/socket")
        self.refused(self.inside(name, "true"))
        crowd.pop().close()
        self.assertTrue(wait_until(lambda: self.inside(name, "true").status == 0))
        self.assert_ends(name)
