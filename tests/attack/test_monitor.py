"""Attacks on the monitor of a sandbox that stays: its log, its connections, its records, and its own end."""

import array
import contextlib
import json
import os
import random
import resource
import select
import signal
import socket
import subprocess
import time
from pathlib import Path

from staying import Staying
from support.processes import children
from support.run import GLOVEBOX, TESTING, execute, parallel
from support.times import DEADLINE, wait_until

LIMIT = 1 << 20
TORN = "a" * 64


class Printing(Staying):
    """What a program prints without end, or where nobody reads."""

    def test_a_log_is_bounded(self) -> None:
        for script in ("yes", "cat /dev/zero", "while :; do printf a; done"):
            with self.subTest(script=script):
                name = self.stay("--output-limit", "1m", sh=script)
                [record] = self.records
                wait_until(lambda record=record: (record / "log.old").exists())
                self.assertLessEqual(sum(path.stat().st_size for path in record.glob("log*")), LIMIT)
                self.assertLessEqual(len(self.assert_status(self.ours("logs", name)).stdout), LIMIT)
                self.assert_status(self.ours("logs", "--tail", "1", name))
                self.assert_prints("open", self.inside(name, "echo open"))
                self.assert_prints(name, self.ours("rm", "-f", name))

    def test_a_log_is_larger_with_a_larger_limit(self) -> None:
        """So it is the limit that bounds it."""
        self.stay("--output-limit", "16m", sh="head -c 4000000 /dev/zero; exec sleep 1000")
        [record] = self.records
        self.assertTrue(wait_until(lambda: sum(path.stat().st_size for path in record.glob("log*")) > 3 * LIMIT))

    def test_a_piece_that_is_cut_hides_nothing(self) -> None:
        """As a full disk cuts it: what comes later is in the log all the same."""
        wait = "until [ -e /v/{0} ]; do sleep 0.02; done"
        steps = (wait.format("a"), "head -c 60000 /dev/zero", "touch /v/b", wait.format("c"), "echo after", "sleep 1000")
        there = self.subfolder("v")
        name = self.stay("-v", f"{there}:/v", sh="echo before; " + "; ".join(steps))
        wait_until(lambda: self.ours("logs", name).out)
        [record] = self.records
        monitor = self.state(name)["Pid"]
        _, hard = resource.prlimit(monitor, resource.RLIMIT_FSIZE)
        resource.prlimit(monitor, resource.RLIMIT_FSIZE, ((record / "log").stat().st_size + 1000, hard))
        (there / "a").touch()
        self.assertTrue(wait_until((there / "b").exists))
        resource.prlimit(monitor, resource.RLIMIT_FSIZE, (hard, hard))
        (there / "c").touch()
        self.assertTrue(wait_until(lambda: self.ours("logs", name).stdout.endswith(b"after\n")))
        self.assertTrue(self.ours("logs", name).stdout.startswith(b"before\n"))

    def test_a_slow_reader_gets_all(self) -> None:
        """Its program ends long before."""
        name = self.stay()
        for script in ("head -c 200000 /dev/zero; exit 5", "sleep 1000 & head -c 200000 /dev/zero; exit 5"):
            with self.subTest(script=script):
                line = [GLOVEBOX, "exec", name, "sh", "-c", script]
                client = self.start(line, stdout=subprocess.PIPE, env=dict(os.environ, **self.env))
                assert client.stdout
                time.sleep(0.2)
                came = 0
                while piece := os.read(client.stdout.fileno(), 4096):
                    came += len(piece)
                    time.sleep(0.0005)
                self.assertEqual((came, client.wait()), (200000, 5))

    def test_whoever_prints_on_holds_nobody_up(self) -> None:
        name = self.stay()
        for flags in ((), ("-t",)):
            result = self.inside(name, "for i in 1 2 3 4; do cat /dev/zero & done; exit 3", *flags)
            self.assert_status(result, 3)


class Knocking(Staying):
    """Messages of others than our client."""

    def noise(self, chance: random.Random) -> bytes:
        """Return a message that means little."""
        values = [None, True, -1, 1 << 64, "", "exec", "signal", "/", "A" * 5000, [], {}, [{"text": "x"}], [{"text": 1}]]
        keys = ("op", "argv", "env", "workdir", "interactive", "tty", "mute", "rows", "columns", "number", "group", "keep", "log_bytes", "exec", "x")
        if chance.random() < 0.2:
            return chance.choice([b"", chance.randbytes(300), b"[" * 50000, chance.randbytes(1 << 17), bytes(200000)])
        message = {key: chance.choice(values) for key in chance.sample(keys, chance.randrange(len(keys)))}
        message["op"] = chance.choice(["exec", "resize", "attach", "signal", "programs"])
        message["number"] = 0
        return json.dumps(message).encode()

    def ends(self, name: str) -> int:
        """Return how many sockets and pipes the monitor holds."""
        folder = Path(f"/proc/{self.state(name)['Pid']}/fd")
        links = []
        for link in folder.iterdir():
            with contextlib.suppress(OSError):
                links.append(os.readlink(link))
        return sum(link.startswith(("socket:", "pipe:")) for link in links)

    def test_the_monitor_goes_on(self) -> None:
        name = self.stay()
        before = self.ends(name)
        place = os.open(self.records[0], os.O_RDONLY)
        self.addCleanup(os.close, place)
        chance = random.Random(1)
        for _ in range(400):
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client, contextlib.suppress(OSError):
                client.connect(f"/proc/self/fd/{place}/socket")
                fds = array.array("i", [place] * chance.choice([0, 0, 1, 33, 250]))
                more = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)] if fds else []
                client.sendmsg([self.noise(chance)], more)
                client.sendmsg([self.noise(chance)], more)
        self.assert_prints("open", self.inside(name, "echo open"))
        self.assertTrue(wait_until(lambda: self.ends(name) <= before), "descriptors stay")

    def test_a_monitor_that_is_stopped(self) -> None:
        """What does not need it does not wait, and what ends it ends it."""
        name = self.stay()
        os.kill(self.state(name)["Pid"], signal.SIGSTOP)
        for command in ("ps", "inspect", "logs"):
            self.assert_status(self.ours(command, *([] if command == "ps" else [name]), timeout=8))
        self.assert_status(self.ours("rm", name), 125)
        self.assert_prints(name, self.ours("rm", "-f", name))


class Records(Staying):
    """What a monitor leaves that is killed at any moment, and names."""

    def test_killed_at_any_moment(self) -> None:
        """Its name is free again, nothing runs, and nothing is left that cannot be removed."""
        chance = random.Random(int.from_bytes(os.urandom(4)))
        for _ in range(25):
            line = [GLOVEBOX, "run", "-d", "--name", "killed", "host", "sleep", "1000"]
            process = self.start(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, **self.env))
            time.sleep(chance.random() * 0.012)
            with contextlib.suppress(ProcessLookupError):
                os.kill([*children(process.pid), process.pid][0], signal.SIGKILL)
            process.communicate()
            self.assert_status(self.ours("rm", "-f", "killed"))
            self.assert_status(self.detached("--name", "killed", argv=["true"]))
            self.assert_status(self.ours("rm", "-f", "killed"))
        for record in self.records:  # young: it might be written at this moment
            os.utime(record, (0, 0))
        self.assert_status(self.ours("container", "prune"))
        self.assertEqual(self.records, [])

    def test_a_record_that_is_not_written(self) -> None:
        """It takes no name, is not shown, and goes when it is old."""
        self.assert_status(self.ours("rm", "-f", self.stay()))
        place = Path(self.env["XDG_STATE_HOME"]) / "glovebox/sandboxes"
        for text in (None, b"", b"{", b"[]", b"\0" * 100, b'{"id": 7}'):
            (place / TORN).mkdir()
            if text is not None:
                (place / TORN / "record").write_bytes(text)
            self.assert_status(self.ours("ps", "-a"))
            self.assert_status(self.ours("rm", TORN), 125)
            self.assert_status(self.ours("container", "prune"))
            self.assertTrue((place / TORN).exists(), "it may be written at this moment")
            os.utime(place / TORN, (0, 0))
            self.assert_status(self.ours("container", "prune"))
            self.assertFalse((place / TORN).exists())

    def test_a_record_that_means_nothing(self) -> None:
        """Whatever is in it, each command has one answer."""
        self.assert_status(self.ours("rm", "-f", self.stay()))
        place = Path(self.env["XDG_STATE_HOME"]) / "glovebox/sandboxes" / TORN
        odd = {"id": TORN, "name": "../../x\x1b[31m", "command": [1, {}], "created_ms": 1 << 70, "words": 7, "env": {}}
        states = (None, "{", "7", '{"state": 7}', '{"state": "exited", "exit_code": "x", "result": 7, "started_ms": -1}')
        for state in states:
            place.mkdir()
            (place / "record").write_text(json.dumps(odd))
            if state is not None:
                (place / "state").write_text(state)
            for command in ("ps -a", "ps -a --json", "inspect @", "logs @", "wait @", "exec @ x", "stop @", "start @"):
                result = self.ours(*command.replace("@", TORN).split())
                self.assertIn(result.status, (0, 1, 125), (state, command, result))
                self.assertNotIn(b"\x1b", result.stdout + result.stderr)
            self.assert_status(self.ours("rm", "-f", TORN))

    def test_a_name_that_is_the_id_of_another(self) -> None:
        victim = self.stay()
        whole = self.described(victim)["Id"]
        self.assert_status(self.detached("--name", whole, argv=["sleep", "1000"]))
        self.assert_prints(whole, self.ours("rm", "-f", whole))
        self.assert_status(self.ours("inspect", victim), 125)
        self.assertEqual(len(self.records), 1)


class Locked(Staying):
    """Two clients at once: what one has read of a record is no longer true when it acts."""

    def overtaken(self, command: str, program: str = GLOVEBOX, omit: str = "") -> tuple[int, str, bool]:
        """Have a client that saw a sandbox ended act on it while it runs; return how it ended, and whether that is reached."""
        name = self.stay()
        self.assert_status(self.ours("kill", name))
        self.end_of(name)
        state = next(record for record in self.records if record.name == self.field(name, "Id")) / "state"
        ended = state.read_bytes()
        self.assert_status(self.ours("start", name))
        monitor = self.monitor(name)
        runs = state.read_bytes()
        state.write_bytes(ended)  # as the client has read it before
        result = execute([program, *command.split(), name], env=self.env | {"GLOVEBOX_OMIT": omit})
        if state.exists():
            state.write_bytes(runs)
        self.assertFalse(select.select([monitor], [], [], 0)[0], "its monitor has ended")
        return result.status, result.err, self.inside(name, "echo open").out == "open\n"

    def monitor(self, name: str) -> int:
        """Return a descriptor of the monitor of a sandbox, which is ended with the test."""
        monitor = os.pidfd_open(self.state(name)["Pid"])
        self.addCleanup(os.close, monitor)
        self.addCleanup(signal.pidfd_send_signal, monitor, signal.SIGKILL)
        return monitor

    def test_it_is_refused(self) -> None:
        for command, says in (("start", "runs already"), ("rm", "is running"), ("update --pids-limit 40", "just being started")):
            with self.subTest(command=command):
                status, err, reached = self.overtaken(command)
                self.assertEqual((bool(status), reached), (True, True), err)
                self.assertIn(says, err)

    def test_a_sandbox_is_lost_without_the_layer(self) -> None:
        """It runs on, and no client can reach it."""
        for command in ("start", "rm"):
            with self.subTest(command=command):
                self.assertFalse(self.overtaken(command, TESTING, "record-lock")[2])


class Killed(Staying):
    """A monitor that is killed takes its sandbox along."""

    kernel = as_user = True

    def pid_1_of_a_killed_monitor(self, omit: str = "") -> int:
        """Kill a monitor; return a descriptor of the pid 1 that it had."""
        self.program = TESTING if omit else GLOVEBOX
        self.env["GLOVEBOX_OMIT"] = omit
        name = self.stay()
        monitor = self.state(name)["Pid"]
        pid_1 = os.pidfd_open(children(monitor)[0])
        self.addCleanup(os.close, pid_1)
        os.kill(monitor, signal.SIGKILL)
        self.assertTrue(wait_until(lambda: self.state(name)["Status"] == "dead"))
        return pid_1

    def test_nothing_goes_on(self) -> None:
        pid_1 = self.pid_1_of_a_killed_monitor()
        self.assertTrue(select.select([pid_1], [], [], DEADLINE)[0])

    def test_its_sandbox_goes_on_without_the_layers(self) -> None:
        """Each of them alone ends it."""
        for layer in ("parent-death", "control-end"):
            self.assertTrue(select.select([self.pid_1_of_a_killed_monitor(layer)], [], [], DEADLINE)[0], layer)
        pid_1 = self.pid_1_of_a_killed_monitor("parent-death,control-end")
        self.assertFalse(select.select([pid_1], [], [], 0.3)[0])
        signal.pidfd_send_signal(pid_1, signal.SIGKILL)


class Short(Staying):
    """A program that has ended before its monitor looks for the first time."""

    def test_its_id_is_told(self) -> None:
        told = parallel(lambda _: self.detached(argv=["true"]), range(120), 12)
        for result in told:
            self.assertRegex(self.assert_status(result).out, "^[0-9a-f]{64}\\n$")
        self.assertEqual({record.name for record in self.records}, {result.out.strip() for result in told})
