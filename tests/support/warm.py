"""warm - a warm supervisor of a test's own, seen from outside and spoken to by hand.

It listens in the test's folder (XDG_RUNTIME_DIR), so tests do not meet, and it is gone when
the test ends, however that ends. support/supervisor.py shows its processes.
"""

import contextlib
import json
import os
import queue
import signal
import socket
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from support.case import Case
from support.messages import sentence
from support.processes import arguments, groups, is_alive, pids
from support.run import GLOVEBOX, Result, execute
from support.supervisor import cells, nursery
from support.times import DEADLINE, wait_until

FROM_A_CELL = sentence("explain#warm cell").partition(" ")[2].strip()  # how --explain says that
OTHER = sentence("requests_refuse_key#user")
OTHER_IMAGE = sentence("requests_refuse_key#image", "host:latest")


class Warm(Case):
    """A test with a directory for the socket of a warm supervisor, and what to do with it."""

    program = GLOVEBOX

    def setUp(self) -> None:
        """Make the directory; make sure that no supervisor stays."""
        super().setUp()
        self.place = self.folder / "run"
        self.place.mkdir(mode=0o700)
        self.addCleanup(self.end_supervisors)

    # -- the commands

    def glovebox(self, *args: str | Path, **options: Any) -> Result:
        """Run the program, by way of this test's supervisor."""
        return execute([self.program, *map(str, args)], env=self.env(), **options)

    def warm(self, *args: str, **options: Any) -> Result:
        """Run `glovebox warm`. It holds none of our pipes, otherwise this would not return."""
        return self.glovebox("warm", *args, **options)

    def start_warm(self, *flags: str, pool: int = 2, image: str = "host", **options: Any) -> int:
        """Start a supervisor and return its pid."""
        started = self.warm("start", "--image", image, "--pool", str(pool), *flags, **options)
        self.assert_status(started)
        self.assertEqual((started.out, started.err), ("", ""))
        return self.status()["pid"]

    def status(self) -> dict[str, Any]:
        """Return what `warm status --json` prints."""
        return self.assert_status(self.warm("status", "--json")).json

    def settled(self) -> dict[str, Any]:
        """Return the status as soon as the pool is full and nothing is under way."""

        def full() -> dict[str, Any] | None:
            now = self.status()
            idle = now["state"] == "ready" and not now["under_way"] and not now["waiting"]
            return now if idle and now["ready"] >= now["pool"] else None

        now = wait_until(full)
        self.assertTrue(now, self.status())
        return now

    def run_host(self, *flags: str | Path, argv: Sequence[str], **options: Any) -> Result:
        """Run a command in the image `host`, by way of this test's supervisor."""
        return self.glovebox("run", *flags, "host", *argv, **options)

    def run_warm(
        self, *flags: str | Path, py: str, args: Sequence[str] = (), **options: Any
    ) -> Result:
        """Run a Python text in a warm cell, or fail."""
        return self.run_host("--warm=require", *flags, argv=["python3", "-c", py, *args], **options)

    def explained(self, *flags: str | Path, argv: Sequence[str] = ("python3", "-c", "1")) -> str:
        """Return how --explain says that a run would start."""
        said = self.assert_status(self.run_host("--explain", *flags, argv=argv)).out
        lines = (line.partition(" ") for line in said.splitlines())
        return next(rest.strip() for word, _, rest in lines if word == "start")

    def env(self) -> dict[str, str]:
        """Return the variable that says where the supervisor is."""
        return {"XDG_RUNTIME_DIR": str(self.place)}

    # -- the processes

    def nursery(self, supervisor: int) -> int:
        """Return the nursery's pid: the Python, not its pid 1."""
        return nursery(supervisor)[1]

    def parked(self, supervisor: int) -> list[int]:
        """Return pid 1 of each cell that waits or runs."""
        return cells(supervisor)

    def assert_ended(self, *pids: int) -> None:
        """Assert that processes end, by and by."""
        left = wait_until(lambda: not [p for p in pids if is_alive(p)])
        self.assertTrue(left, f"alive: {[p for p in pids if is_alive(p)]}")

    def assert_no_groups(self, supervisor: int) -> None:
        """Assert that no control group of a supervisor's cells stays; a later start may sweep."""

        def swept() -> bool:
            if groups(supervisor):
                self.run_host("--warm=never", argv=["/bin/true"])
            return not groups(supervisor)

        self.assertTrue(wait_until(swept), groups(supervisor))

    def end_supervisors(self) -> None:
        """Stop the supervisor of the directory; kill it if it does not stop."""
        with contextlib.suppress(Exception):
            self.warm("stop", timeout=10)
        wait_until(lambda: not self.daemons(), 2)
        for pid in self.daemons():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not self.daemons(), 10)

    def daemons(self) -> list[int]:
        """Return the processes of glovebox that were started with this directory."""
        return [pid for pid in pids() if is_alive(pid) and self._is_ours(pid)]

    def _is_ours(self, pid: int) -> bool:
        try:
            variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            return False
        words = arguments(pid).split(b"\0")
        return f"XDG_RUNTIME_DIR={self.place}".encode() in variables and b"warm" in words

    # -- the protocol

    def connect(self) -> socket.socket:
        """Return a connection to the supervisor, closed when the test ends."""
        client = connect(self.place)
        self.addCleanup(client.close)
        return client

    def request(self, request: object) -> socket.socket:
        """Send a request and return the connection on which the answer comes."""
        client = self.connect()
        client.send(json.dumps(request).encode())
        return client

    def cell_request(self) -> dict[str, str]:
        """Return the request that `glovebox run host python3` makes of a supervisor."""
        seen: list[bytes] = []
        with self.fake(b'{"refused":"to see what is asked"}', seen) as place:
            command = [GLOVEBOX, "run", "host", "python3", "-c", "1"]
            self.assert_status(execute(command, env={"XDG_RUNTIME_DIR": str(place)}))
        return json.loads(seen[0])

    @contextlib.contextmanager
    def fake(self, answer: bytes, seen: list[bytes]) -> Iterator[Path]:
        """Listen as a supervisor that gives one client this answer; b"" hangs up."""
        place = self.folder / "fake"
        (place / "glovebox").mkdir(mode=0o700, parents=True, exist_ok=True)
        address = place / "glovebox/warm.sock"
        address.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            with _short(place / "glovebox") as short:
                listener.bind(f"{short}/warm.sock")
            listener.listen()
            listener.settimeout(DEADLINE)

            def serve() -> None:
                client, _ = listener.accept()
                with client:
                    seen.append(client.recv(1 << 17))
                    if answer:
                        client.send(answer)

            thread = threading.Thread(target=serve)
            thread.start()
            yield place
            thread.join()


@contextlib.contextmanager
def silent(place: Path) -> Iterator["queue.Queue[socket.socket]"]:
    """Listen as the supervisor whose XDG_RUNTIME_DIR this is, which lives and answers nothing.

    Its first client is in the queue: to close that connection is an answer. Others are hung up on, as is
    enough for who asks whether it lives (client/ask.h).
    """
    clients: queue.Queue[socket.socket] = queue.Queue()
    folder = place / "glovebox"
    folder.mkdir(mode=0o700, exist_ok=True)

    def serve(listener: socket.socket) -> None:
        with contextlib.suppress(OSError):  # it is shut down
            clients.put(listener.accept()[0])
            while True:
                listener.accept()[0].close()

    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        with _short(folder) as short:
            listener.bind(f"{short}/warm.sock")
        listener.listen()
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        try:
            yield clients
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
            (folder / "warm.sock").unlink()


def borrowing(name: str, **changes: object) -> dict[str, object]:
    """Return the request to borrow a session at once, for a checkpoint unless something else is said."""
    return {"op": "borrow", "name": name, "wait_ms": 0, "files": False, "freeze": False, "outlives": False,
            "limit_ms": 0} | changes  # fmt: skip


def take(client: socket.socket, seconds: float = DEADLINE) -> tuple[dict[str, Any], list[int]]:
    """Return an answer and its descriptors; an empty one when the supervisor hangs up."""
    client.settimeout(seconds)
    try:
        text, fds, _, _ = socket.recv_fds(client, 1 << 17, 16)
    except ConnectionResetError:
        text, fds = b"", []
    return json.loads(text or b"{}"), fds


def connect(place: Path) -> socket.socket:
    """Return a connection to the supervisor whose XDG_RUNTIME_DIR this is."""
    client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with _short(place / "glovebox") as short:
        client.connect(f"{short}/warm.sock")
    return client


@contextlib.contextmanager
def _short(folder: Path) -> Iterator[str]:
    """Make a short name for a folder that fits into the 108 bytes of a socket's address."""
    fd = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{fd}"
    finally:
        os.close(fd)


def close_all(fds: Sequence[int]) -> None:
    """Close the descriptors of an answer."""
    for fd in fds:
        os.close(fd)
