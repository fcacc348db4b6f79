"""A machine without memory, descriptors or processes: a request is refused, nobody's session ends.

A supervisor with a session is put on short commons from outside, by prlimit(2) or by the pids
controller, asked for everything, and fed again: it is the same process, the session is as it was,
and everything is served.
"""

import contextlib
import functools
import itertools
import json
import os
import resource
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from support.messages import message
from support.processes import GROUPS, descriptors, groups
from support.times import wait_until
from support.warm import borrowing, close_all, take
from test_sessions import Speaker

NONSENSE = (b"{", b"[]", b"\0", b'{"op":1}', b'{"op":"nosuch"}', b"[" * 100_000, b'"' * 100_000)
MESSAGE = 127 << 10  # bytes; a little less than the largest
WAITERS = 200  # each holds a message of that size


class Exhausted(Speaker):
    """One session that remembers something, and what must be true in the end."""

    def setUp(self) -> None:
        """Start the supervisor and the session."""
        super().setUp()
        self.cell = {"op": "cell", **self.cell_request()}
        self.supervisor = self.start_warm()
        self.name = self.assert_status(self.session("new", "host")).out.strip()
        self.does(self.name, "v = 1")
        self.settled()

    @contextlib.contextmanager
    def limited(self, kind: int, value: int) -> Iterator[None]:
        """Have the supervisor under a limit, which it may raise no more than we may."""
        before = resource.prlimit(self.supervisor, kind)
        resource.prlimit(self.supervisor, kind, (value, before[1]))
        try:
            yield
        finally:
            resource.prlimit(self.supervisor, kind, before)

    def assert_as_before(self) -> None:
        """Assert that nothing was lost, and that everybody is served."""
        self.assertTrue(wait_until(lambda: self.warm("status").status == 0), "it does not answer")
        self.settled()
        now = self.status()
        self.assertEqual((now["pid"], now["restarts"]), (self.supervisor, 0))
        self.assertEqual(self.does(self.name, "v"), "1")
        self.assert_prints("1", self.run_warm(py="print(1)"))
        another = self.new()
        self.assertEqual(set(self.listed()), {self.name, another})
        self.assert_status(self.session("rm", another))

    def requests(self) -> list[dict[str, Any]]:
        """Return one request of each kind but stop, some of them of the largest size."""
        key = "x" * 100_000
        return [
            {"op": "alive"},
            {"op": "status"},
            {"op": "ready", "wait_ms": 0},
            {"op": "fit", "key": self.cell["key"], "as_caller": False},
            {"op": "cell", "key": key, "as_caller": False},
            {"op": "fit", "key": key, "as_caller": False},
            borrowing(key),
            borrowing("nosuch"),
            {"op": "drop", "name": "nosuch"},
            {"op": "checkpoints", "name": self.name},
            {"op": "sessions", "after": 0},
            {"op": "return"},
            {"op": "keep", "name": key},
        ]

    def ask(self, text: bytes, fds: tuple[int, ...] = ()) -> dict[str, Any]:
        """Return the answer to a message; an empty one when the supervisor hangs up."""
        with self.connect() as client:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                socket.send_fds(client, [text], fds)
            said, got = take(client)
            close_all(got)
            return said

    def ask_everything(self, kinds: tuple[str, ...]) -> None:
        """Ask for everything; what is refused is refused with one of these kinds."""
        for request in self.requests():
            for text in (json.dumps(request).encode(), *NONSENSE):
                error = self.ask(text).get("error")
                if error:
                    self.assertIn(error["kind"], kinds, text[:60])

    def run_at_once(self) -> None:
        """Assert that a run is served, warm or cold."""
        ran = self.run_host("--warm=auto", argv=["python3", "-c", "print(1)"])
        self.assert_prints("1", ran)


class Memory(Exhausted):
    """Nothing more can be allocated."""

    KINDS = ("limit", "invalid", "unsupported", "denied", "not_found")

    def borrow(self) -> socket.socket:
        """Borrow the session by hand, as a call does."""
        client = self.request(borrowing(self.name))
        said, fds = take(client)
        self.assertEqual(said.get("checkpoints"), [], said)
        close_all(fds)
        return client

    def give_back(self, client: socket.socket) -> dict[str, Any]:
        """Return it."""
        request = {"op": "return", "lost": False, "why": "", "frozen": False, "channel": False,
                   "checkpoints": []}  # fmt: skip
        client.send(json.dumps(request).encode())
        return take(client)[0]

    def wait_for_loan(self) -> socket.socket:
        """Wait for the session that another has, with a message that is as large as it may be."""
        request = borrowing(self.name, wait_ms=30_000)
        client = self.connect()
        client.send(json.dumps(request).ljust(MESSAGE).encode())
        return client

    def assert_serves_all(self, kind: int, value: int) -> None:
        """Ask for everything under a limit."""
        with self.limited(kind, value):
            self.ask_everything(self.KINDS)
            self.run_at_once()
            self.assertEqual(self.does(self.name, "v"), "1")
            self.ask_everything(self.KINDS)
        self.assert_as_before()

    def test_no_address_space(self) -> None:
        pages = int(Path(f"/proc/{self.supervisor}/statm").read_text().split()[0])
        self.assert_serves_all(resource.RLIMIT_AS, pages * resource.getpagesize())
        self.assert_serves_all(resource.RLIMIT_AS, 1)

    def test_no_memory_for_data(self) -> None:
        pages = int(Path(f"/proc/{self.supervisor}/statm").read_text().split()[5])
        self.assert_serves_all(resource.RLIMIT_DATA, pages * resource.getpagesize())
        self.assert_serves_all(resource.RLIMIT_DATA, 1)

    def test_who_waits_has_taken_all_of_it(self) -> None:
        loan = self.borrow()
        with self.limited(resource.RLIMIT_DATA, 1):
            waiting = [self.wait_for_loan() for _ in range(WAITERS)]
            for _ in range(3):
                for text in (b'{"op":"alive"}', b'{"op":"status"}', *NONSENSE[:4]):
                    self.assertEqual(self.ask(text)["error"]["kind"], "limit")
            refused = self.assert_refused(self.warm("status"))
            self.assertRegex(refused.err, message("clients_attend"))
            self.run_at_once()
            # what was lent comes back all the same, and the first of those who wait has it
            self.assertEqual(self.give_back(loan), {"why": ""})
            got, fds = take(waiting[0])
            self.assertEqual(got.get("checkpoints"), [], got)
            close_all(fds)
            self.assertEqual(self.give_back(waiting[0]), {"why": ""})
            for client in waiting:
                client.close()  # and one of them may have it at this moment
        self.assertTrue(wait_until(lambda: self.warm("status").status == 0))
        self.assertEqual(self.status()["pid"], self.supervisor)

    def test_what_is_refused_is_not_said_to_be_reset(self) -> None:
        loan = self.borrow()
        with self.limited(resource.RLIMIT_DATA, 1):
            waiting = [self.wait_for_loan() for _ in range(WAITERS)]
            self.assertEqual(self.ask(b"{}")["error"]["kind"], "limit")  # and all have been heard
            null = os.open("/dev/null", os.O_RDONLY)
            before = descriptors(self.supervisor)
            for _ in range(50):
                self.assertEqual(self.ask(b"{}", (null,) * 20)["error"]["kind"], "limit")
            os.close(null)
            self.assertTrue(wait_until(lambda: descriptors(self.supervisor) <= before, 10))
            for client in waiting:
                client.close()
            self.assertEqual(self.give_back(loan), {"why": ""})
        self.assert_as_before()


class Descriptors(Exhausted):
    """None is left, or one, or two ..."""

    LEFT = range(10)

    @contextlib.contextmanager
    def left(self, count: int) -> Iterator[None]:
        """Have so many descriptors left: numbers are given out from the lowest that is free."""
        used = {int(fd) for fd in os.listdir(f"/proc/{self.supervisor}/fd")}
        free = (number for number in range(len(used) + count + 1) if number not in used)
        lowest = [next(free) for _ in range(count + 1)]
        with self.limited(resource.RLIMIT_NOFILE, lowest[-1]):
            yield

    def try_everything(self) -> None:
        """Ask for what a user asks for: the living session serves, all else may be refused."""
        self.run_at_once()
        self.assertEqual(self.does(self.name, "v"), "1")
        for command in (["ls"], ["new", "host"], ["checkpoint", self.name]):
            said = self.session(*command)
            if said.status:
                self.assert_refused(said)
            elif command[0] == "new":
                self.session("rm", said.out.strip())
        said = self.warm("status")
        if said.status:
            self.assert_refused(said)

    def test_few_or_none_are_left(self) -> None:
        for count in self.LEFT:
            with self.subTest(count=count):
                with self.left(count):
                    self.try_everything()
                    time.sleep(0.6)  # sessions are looked at by the clock, four times a second
                self.assert_as_before()
        self.assertTrue(wait_until(lambda: not self.groups_in_part()), self.groups_in_part())

    def groups_in_part(self) -> set[str]:
        """Return the groups that some hierarchy of v1 still has, but not the first, memory."""
        ours = [Path(folder) for folder in groups(self.supervisor)]
        whole = {folder.name for folder in ours if "memory" in folder.parts}
        return {folder.name for folder in ours} - whole if whole else set()

    def test_no_room_for_what_comes_along_is_not_the_callers_fault(self) -> None:
        null = os.open("/dev/null", os.O_RDONLY)
        self.addCleanup(os.close, null)
        request = {"op": "keep", "name": "x", "group": "", "uid": 0, "gid": 0, "idle_ms": 0,
                   "ttl_ms": 0, "memory": 0, "network": False}  # fmt: skip
        with self.left(3):
            said = self.ask(json.dumps(request).encode(), (null,) * 6)
        self.assertEqual(said["error"]["kind"], "limit", said)
        self.assert_as_before()

    def test_those_laid_aside_are_taken_too(self) -> None:
        with self.left(0):
            said = [self.session("new", "host") for _ in range(4)]
            for _ in range(3):  # to return one takes a descriptor more than to borrow it
                self.session("checkpoint", self.name)
            refused = [one for one in said if one.status]
            self.assertTrue(refused, "descriptors without end")
            for one in refused:
                self.assert_refused(one)
            self.run_at_once()
            time.sleep(0.6)
        for one in said:
            if not one.status:
                self.assertEqual(self.does(one.out.strip(), "1"), "1")
                self.assert_status(self.session("rm", one.out.strip()))
        self.assert_as_before()


class Callers(Exhausted):
    """It is the caller who has no descriptors left: he is told so, and nothing ends by that."""

    LIMITS = range(4, 26)

    def test_few_or_none_are_left(self) -> None:
        self.assert_status(self.session("checkpoint", self.name))
        slow = "import time; time.sleep(0.2); v"  # its sockets are counted meanwhile
        commands = (["session", "exec", self.name, slow], ["session", "files", self.name],
                    ["session", "rollback", self.name], ["session", "new", "host"],
                    ["run", "--warm=require", "host", "python3", "-c", "1"])  # fmt: skip
        for command, count in itertools.product(commands, self.LIMITS):
            with self.subTest(command=command, count=count):
                limit = functools.partial(resource.setrlimit, resource.RLIMIT_NOFILE, (count, count))
                said = self.glovebox(*command, preexec_fn=limit)
                self.assertIn(said.status, (0, 125), said)
                self.assertNotIn("too large", said.err)
                if "new" in command and not said.status:
                    self.assert_status(self.session("rm", said.out.strip()))
                self.assertEqual(set(self.listed()), {self.name})
                if "rollback" in command:
                    self.assertEqual(self.does(self.name, "v"), "1", said)
        self.assert_as_before()


class Processes(Exhausted):
    """The nursery can make no process; or it does nothing at all."""

    kernel = True

    def limit_of_processes(self) -> Path:
        """Return the file that has the nursery's limit, on v1 and on v2."""
        for line in Path(f"/proc/{self.nursery(self.supervisor)}/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if "pids" in controllers.split(","):
                return Path(f"{GROUPS}/pids{path}/pids.max")
            if not controllers and (GROUPS / "cgroup.controllers").exists():
                return Path(f"{GROUPS}{path}/pids.max")
        self.skipTest("cannot: no controller for processes")

    def take_cells(self) -> None:
        """Have no cell ready, and some called for."""
        for _ in range(self.status()["ready"]):
            close_all(take(self.request(self.cell))[1])

    def test_nursery_without_processes(self) -> None:
        file = self.limit_of_processes()
        if not os.access(file, os.W_OK):
            self.skipTest("cannot: no control group of our own")
        before = file.read_text()
        file.write_text("1")
        try:
            self.take_cells()

            def refused() -> bool:
                with self.request(self.cell) as client:
                    said, fds = take(client)
                    close_all(fds)
                    return said.get("error", {}).get("kind") == "limit"

            self.assertTrue(wait_until(refused), self.status())
            self.run_at_once()
            self.assert_refused(self.session("new", "host"), message("pool_is_broken#warm"))
            self.assertEqual(self.does(self.name, "v"), "1")
            self.assertEqual(set(self.listed()), {self.name})
            time.sleep(3)  # failures go on, and none of them is one too many
            self.assertEqual(self.does(self.name, "v"), "1")
        finally:
            file.write_text(before)
        self.assert_as_before()

    def test_nursery_that_is_stopped_keeps_its_sessions(self) -> None:
        nursery = self.nursery(self.supervisor)
        os.kill(nursery, signal.SIGSTOP)
        try:
            self.take_cells()
            with self.request(self.cell) as client:
                said, fds = take(client)  # it waits, and is told when nobody hopes any more
                close_all(fds)
            self.assertEqual(said["error"]["kind"], "limit", said)
            self.assertRegex(said["error"]["text"], message("pool_is_broken#more"))
            self.run_at_once()
            self.assertEqual(self.does(self.name, "v"), "1")
            now = self.status()
            self.assertEqual((now["restarts"], now["state"]), (0, "ready"))
        finally:
            os.kill(nursery, signal.SIGCONT)
        self.assert_as_before()

    def test_nursery_that_is_stopped_is_replaced_when_the_last_session_is_gone(self) -> None:
        nursery = self.nursery(self.supervisor)
        os.kill(nursery, signal.SIGSTOP)
        self.take_cells()
        with self.request(self.cell) as client:
            self.assertEqual(take(client)[0]["error"]["kind"], "limit")
        self.assert_status(self.session("rm", self.name))
        self.assertTrue(wait_until(lambda: self.status()["restarts"] == 1), self.status())
        self.settled()
        self.assertEqual(self.status()["pid"], self.supervisor)
        self.assert_prints("1", self.run_warm(py="print(1)"))


class Many(Exhausted):
    """More sessions than one message lists."""

    def keep(self, count: int) -> list[str]:
        """Have many, all of which are one: what is kept is a handful of descriptors."""
        loan = self.request(borrowing(self.name, files=True))
        said, fds = take(loan)
        names = [f"n{(number * 7919) % 10_000:04}-{number}" for number in range(count)]
        for name in names:
            request = {"op": "keep", "name": name, "group": said["group"], "uid": said["uid"], "gid": said["gid"],
                       "idle_ms": 0, "ttl_ms": 0, "memory": said["memory"], "network": False}  # fmt: skip
            self.assertEqual(self.ask(json.dumps(request).encode(), tuple(fds)), {})
        close_all(fds)
        loan.close()
        return names

    def test_all_are_listed_in_the_order_of_their_making(self) -> None:
        names = [self.name, *self.keep(600)]
        said = self.assert_status(self.session("ls", "--json")).json["sessions"]
        self.assertEqual([one["name"] for one in said], names)
        self.assertEqual(self.status()["sessions"], len(names))

    def test_all_end_at_once(self) -> None:
        names = self.keep(300)
        with self.request({"op": "drop", "name": names[77]}) as client:
            self.assertEqual(take(client)[0], {})  # and the cell of all of them is killed
        self.assertTrue(wait_until(lambda: not self.listed()), self.status())
        now = self.status()
        self.assertEqual((now["pid"], now["restarts"]), (self.supervisor, 0))
        self.assertEqual(self.does(self.new(), "1"), "1")
