"""SIGKILL of monitor, client and engine: at random moments (make soak: often), and at each of their system calls."""

import contextlib
import itertools
import json
import os
import random
import signal
import socket
import subprocess
import threading
import time
import unittest
from collections.abc import Callable
from pathlib import Path

from integration.staying import WAITS, Staying
from support.case import Case
from support.machine import adopt_orphans, groups, own_groups
from support.processes import arguments, children
from support.run import GLOVEBOX, IS_ROOT, PYTHON, ROOT, TESTING, execute, unique
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


class Killing(Staying):
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

    def box(self, *flags: str, runs: tuple[str, ...] = ("sh", "-c", f"echo said; {WAITS}")) -> str:
        """Leave a sandbox behind that has printed something; return its id."""
        self.name = unique("each")
        result = self.ours("run", "-d", "--name", self.name, *flags, "host", *runs)
        wait_until(lambda: self.ours("logs", self.name).out)
        return self.assert_status(result).out.strip()

    def killed(self, who: str, number: int, *command: str) -> str:
        """Perform a command in which a process is killed; return what became of that."""
        tracer = [PYTHON, str(ROOT / "tests/support/killed_call.py"), who, str(number), self.program, *command]
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


class Each(Killing):
    """While something is asked of a sandbox."""

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

    def limits(self, program: str, omit: str = "") -> set[int]:
        """Kill the client of a second update of what has ended, at each of its calls; return the limits of the first that are found."""
        one = self.box(runs=("sh", "-c", "echo said"))
        self.end_of(one)
        self.program, self.env["GLOVEBOX_OMIT"] = program, omit
        found = set()
        for number in range(1, 1000):
            self.assert_status(self.ours("update", "--pids-limit", "40", one))
            said = self.killed("self", number, "update", "--memory", "200m", one)
            found.add(int(self.field(one, "HostConfig.PidsLimit")))
            if said.startswith("ended"):
                return found
        raise AssertionError(said)

    def test_an_update_is_whole(self) -> None:
        self.assertEqual(self.limits(GLOVEBOX), {40})

    def test_an_update_is_lost_without_the_layer(self) -> None:
        """Where the file itself is written, a client that is killed leaves the limits that the sandbox had at first."""
        self.assertGreater(max(self.limits(TESTING, "replaced-files")), 40)

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


# Prints, and says its port to everybody who connects to one of these.
SERVES = """
import selectors, socket
waits = selectors.DefaultSelector()
for port in (8000, 8001):
    waits.register(socket.create_server(("127.0.0.1", port)), selectors.EVENT_READ)
print("said", flush=True)
while True:
    for key, _ in waits.select():
        client, _ = key.fileobj.accept()
        client.sendall(b"%d" % client.getsockname()[1])
        client.close()
"""
REACHES = "import socket, sys; socket.create_connection(('host.glovebox.internal', int(sys.argv[1]))).recv(1) or exit(1)"
HOME = f"127.{random.randint(1, 254)}.{random.randint(0, 255)}.{random.randint(1, 254)}"  # nobody else's
FREE = itertools.count(20000)  # its ports

# # is the port of the first one, ! is one more; ^ are two services of this machine, of which it reaches the first.
ORDERS = (
    f"update -p {HOME}:!:8001 --publish-rm 8000 @",
    f"update -p {HOME}:#:8001 --publish-rm 8000 @",
    f"update --egress none --allow-host ^ -p {HOME}:!:8001 @",
)


class EachOrder(Killing):
    """While the network of a sandbox changes: it is the old one or the new one, and as it is listed."""

    def setUp(self) -> None:
        """Have two services on this machine."""
        super().setUp()
        self.services = []
        for _ in range(2):
            server = socket.create_server(("127.0.0.1", 0))
            self.addCleanup(server.close)
            threading.Thread(target=self.serve, args=(server,), daemon=True).start()
            self.services.append(server.getsockname()[1])

    def serve(self, server: socket.socket) -> None:
        """Say something to everybody."""
        with contextlib.suppress(OSError):
            while True:
                client, _ = server.accept()
                client.sendall(b"x")
                client.close()

    def begin(self) -> str:
        """Leave a sandbox behind that has a network, and listens for both services."""
        self.first_port, self.more_port = next(FREE), next(FREE)
        first, both = str(self.services[0]), ",".join(map(str, self.services))
        one = self.box("--egress", "none", "--allow-host", both, "-p", f"{HOME}:{self.first_port}:8000", runs=("python3", "-c", SERVES))
        self.assert_status(self.ours("update", "--egress", "none", "--allow-host", first, one))
        return one

    def at_order(self, command: str, number: int, who: str) -> str:
        """Kill somebody while the network changes."""
        one = self.begin()
        if who == "monitor":
            who = str(self.state(one)["Pid"])
        elif who == "egress":
            [who] = [str(pid) for pid in children(self.state(one)["Pid"]) if b"glovebox-egress" in arguments(pid)]
        line = command.replace("@", one).replace("#", str(self.first_port)).replace("!", str(self.more_port))
        return self.killed(who, number, *line.replace("^", ",".join(map(str, self.services))).split())

    def network(self, one: str) -> tuple[dict[int, str], list[int]]:
        """What is open, with the port inside that answers, and the services that are reached; as it is told."""
        told = {}
        for line in self.assert_status(self.ours("port", one)).out.splitlines():
            inside, outside = line.split("/tcp -> ")
            told[int(outside.rsplit(":", 1)[1])] = inside
        found = {port: said for port in (self.first_port, self.more_port) if (said := self.said_at(port))}
        self.assertEqual(found, told)
        reached = [port for port in self.services if self.ours("exec", one, "python3", "-c", REACHES, str(port)).status == 0]
        self.assertEqual({int(rule.split()[0].rsplit(":", 1)[1]) for rule in self.described(one)["Egress"]}, {*reached})
        return found, reached

    def said_at(self, port: int) -> str:
        """What the program inside says to a client; nothing where nobody listens."""
        try:
            with socket.create_connection((HOME, port), timeout=DEADLINE) as client:
                return client.recv(100).decode()
        except ConnectionRefusedError:
            return ""

    def assert_old_or_new(self, command: str) -> None:
        """The network is one of both, now, and the same at the next start."""
        self.assertEqual(self.assert_readable("said"), ["running"])
        one = self.records[0].name
        self.assert_status(self.ours("update", "--pids-limit", "100", one))  # behind what is under way
        network = self.network(one)
        first = self.services[:1]
        old = ({self.first_port: "8000"}, first)
        new = {
            ORDERS[0]: ({self.more_port: "8001"}, first),
            ORDERS[1]: ({self.first_port: "8001"}, first),
            ORDERS[2]: ({self.first_port: "8000", self.more_port: "8001"}, self.services),
        }[command]
        self.assertIn(network, (old, new))
        self.begin_again("restart", "-t", "0", one)
        self.assertEqual(self.network(one), network)

    def begin_again(self, *command: str) -> None:
        """Start one anew, and wait until it serves."""
        before = self.ours("logs", command[-1]).out.count("said")
        self.assert_status(self.ours(*command))
        self.assertTrue(wait_until(lambda: self.ours("logs", command[-1]).out.count("said") > before))

    def test_the_client(self) -> None:
        for command in ORDERS:
            self.at_each(lambda number: self.at_order(command, number, "self"), lambda: self.assert_old_or_new(command), command)  # noqa: B023

    def test_the_monitor(self) -> None:
        def check() -> None:
            if self.assert_readable("said") == ["dead"]:
                self.begin_again("start", self.records[0].name)
            self.assert_old_or_new(command)

        for command in ORDERS:
            self.at_each(lambda number: self.at_order(command, number, "monitor"), check, command)  # noqa: B023

    def test_its_process(self) -> None:
        def check() -> None:
            """No network is left, and the monitor goes on."""
            self.assertEqual(self.assert_readable("said"), ["running"])
            one = self.records[0].name
            self.assert_status(self.ours("update", "--pids-limit", "100", one))
            if self.said.startswith("killed"):
                self.assertEqual([self.said_at(port) for port in (self.first_port, self.more_port)], ["", ""])

        def perform(number: int) -> str:
            self.said = self.at_order(ORDERS[2], number, "egress")
            return self.said

        self.at_each(perform, check)


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
