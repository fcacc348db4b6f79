"""engine - `glovebox engine` of a test's own, and a small client of its socket.

The records of its sandboxes are below the folder of the test; whatever stays is removed at its end.
"""

import contextlib
import http.client
import io
import json
import os
import signal
import socket
import struct
import subprocess
import threading
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from support.case import Case
from support.run import GLOVEBOX, Result, execute, places, unique
from support.times import DEADLINE, wait_until

SERVING = "serving on unix:"
UPGRADE = {"Connection": "Upgrade", "Upgrade": "tcp"}
WAITS = "trap 'exit 0' TERM; while :; do sleep 0.02; done"  # pid 1 is ours: other signals end it, too
FRAME = 8  # bytes of its head


class Answer:
    """What the Engine answered."""

    def __init__(self, response: http.client.HTTPResponse, body: bytes) -> None:
        self.status, self.headers, self.body = response.status, response.headers, body

    def __repr__(self) -> str:
        return f"{self.status} {self.body[:500]!r}"

    @cached_property
    def json(self) -> Any:
        """Return the body, parsed."""
        return json.loads(self.body)

    @property
    def lines(self) -> list[Any]:
        """Return the body, JSON line by line."""
        return [json.loads(line) for line in self.body.splitlines()]

    @property
    def message(self) -> str:
        """Return what an error says."""
        return self.json["message"]

    @property
    def streams(self) -> tuple[bytes, bytes]:
        """Return what its frames carry, as stdout and stderr."""
        return demultiplex(self.body)


def demultiplex(data: bytes) -> tuple[bytes, bytes]:
    """Return what frames carry, as stdout and stderr; anything that is no whole frame fails."""
    found = {1: b"", 2: b""}
    while data:
        number, length = struct.unpack(">B3xI", data[:FRAME])
        assert data[1:4] == b"\0\0\0" and len(data) >= FRAME + length, data[:100]
        found[number] += data[FRAME : FRAME + length]
        data = data[FRAME + length :]
    return found[1], found[2]


class Stream:
    """A reply that goes on: a connection after its head. What came together with the head is not lost."""

    def __init__(self, client: socket.socket, request: bytes) -> None:
        self.socket = client
        client.sendall(request)
        head = b""
        while b"\r\n\r\n" not in head:
            if not (more := client.recv(1)):  # no byte of what follows
                raise AssertionError(f"no head: {head!r}")
            head += more
        first, _, rest = head.partition(b"\r\n")
        self.status = int(first.split()[1])
        self.headers = http.client.parse_headers(io.BytesIO(rest))
        self.seen = b""

    def send(self, data: bytes) -> None:
        """Send input."""
        self.socket.sendall(data)

    def end(self) -> None:
        """Send no more: the other half goes on."""
        self.socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Leave."""
        self.socket.close()

    def read(self) -> bytes:
        """Return all that comes until its end."""
        while more := self.socket.recv(1 << 16):
            self.seen += more
        return self.seen

    def streams(self) -> tuple[bytes, bytes]:
        """Return all that its frames carry, as stdout and stderr, until its end."""
        return demultiplex(self.read())

    def expect(self, text: bytes) -> None:
        """Read until something has come, framed or not; what comes is kept."""
        while text not in self.seen:
            if not (more := self.socket.recv(1 << 16)):
                raise AssertionError(f"no {text!r} in {self.seen!r}")
            self.seen += more

    def text(self) -> str:
        """Return all of a reply in chunks, to its end."""
        self.expect(b"0\r\n\r\n")
        body, whole = self.seen, b""
        while body:
            size, _, body = body.partition(b"\r\n")
            whole, body = whole + body[: int(size, 16)], body[int(size, 16) + 2 :]
        return whole.decode()


class _Connection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=DEADLINE)
        self.path = path

    def connect(self) -> None:
        self.sock = connect(self.path)


def connect(path: Path) -> socket.socket:
    """Return a connection to a socket; close it."""
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(DEADLINE)
    client.connect(str(path))
    return client


class Engine:
    """One process of `glovebox engine`. Several with the same `env` have the same sandboxes."""

    def __init__(self, folder: Path, env: dict[str, str], *flags: str, under: tuple[str, ...] = ()) -> None:
        """Start it, by a command that executes it; its socket is in `folder`."""
        self.path = folder / f"{unique('e')[:8]}.sock"
        self.env = {"PATH": os.environ["PATH"]} | places() | env
        self.process = subprocess.Popen(
            [*under, GLOVEBOX, "engine", "--listen", f"unix:{self.path}", *flags],
            env=self.env,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self.said: list[str] = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        wait_until(lambda: self._serves() or self.process.poll() is not None)
        assert self._serves(), self.said

    def _serves(self) -> bool:
        return any(SERVING in line for line in list(self.said))

    def _read(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self.said.append(line.decode(errors="replace").rstrip("\n"))

    @property
    def host(self) -> str:
        """Return what DOCKER_HOST says."""
        return f"unix://{self.path}"

    def end(self, number: int = signal.SIGTERM) -> int:
        """End it by a signal; return its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(DEADLINE)
        finally:
            self.process.kill()
            self.process.wait()
            self.reader.join(10)
            if self.process.stderr:
                self.process.stderr.close()

    # -- asking

    def request(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Answer:
        """Make one request on a connection of its own; a body that is neither bytes nor a text goes as JSON."""
        given = dict(headers or {})
        if body is not None and not isinstance(body, (bytes, str)):
            body, given = json.dumps(body), {"Content-Type": "application/json"} | given
        with contextlib.closing(_Connection(self.path)) as client:
            client.request(method, path, body, given)
            response = client.getresponse()
            return Answer(response, response.read())

    def get(self, path: str, **query: Any) -> Answer:
        """GET; members of the query that are no texts go as JSON."""
        return self.request("GET", path + queried(query))

    def post(self, path: str, body: Any = None, **query: Any) -> Answer:
        """POST."""
        return self.request("POST", path + queried(query), body)

    def delete(self, path: str, **query: Any) -> Answer:
        """DELETE."""
        return self.request("DELETE", path + queried(query))

    @contextlib.contextmanager
    def stream(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> Iterator[Stream]:
        """Make a request whose reply goes on; its head is there."""
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        given = {"Host": "docker"} | ({"Content-Type": "application/json"} if data else {}) | (headers or {})
        if method != "GET":
            given["Content-Length"] = str(len(data))
        head = "".join(f"{name}: {value}\r\n" for name, value in given.items())
        with contextlib.closing(connect(self.path)) as client:
            yield Stream(client, f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + data)

    def hijack(self, path: str, body: Any = None) -> contextlib.AbstractContextManager[Stream]:
        """POST with Upgrade, as clients attach and start execs."""
        return self.stream("POST", path, body, UPGRADE)


def queried(query: dict[str, Any]) -> str:
    """Return a query, with its question mark."""
    words = {name: value if isinstance(value, str) else json.dumps(value) for name, value in query.items()}
    return "?" + urlencode(words, quote_via=quote) if words else ""


class EngineCase(Case):
    """A test with an Engine of its own, `self.engine`, and what is often asked of it."""

    env: dict[str, str]
    given: dict[str, str] = {}  # noqa: RUF012 - more variables
    engine: Engine
    image = "host"

    def setUp(self) -> None:
        """Start it; the records are the test's own."""
        super().setUp()
        self.env = {"XDG_STATE_HOME": f"{self.folder}/state"} | self.given
        self.addCleanup(self.remove_all)
        self.engine = self.start_engine()

    def start_engine(self, *flags: str, under: tuple[str, ...] = ()) -> Engine:
        """Start one more."""
        engine = Engine(self.folder, self.env, *flags, under=under)
        self.addCleanup(engine.end)
        return engine

    def remove_all(self) -> None:
        """End and remove what stays."""
        place = self.folder / "state/glovebox/sandboxes"
        if ids := [record.name for record in place.iterdir()] if place.exists() else []:
            execute([GLOVEBOX, "rm", "-f", *ids], env=self.env)

    def ours(self, *args: str, **options: Any) -> Result:
        """Run a command of glovebox's that sees the same sandboxes."""
        return execute([GLOVEBOX, *args], env=self.env, **options)

    def assert_answer(self, answer: Answer, status: int = 200, *wanted: str) -> Answer:
        """Assert the status of an answer, and of an error what it names."""
        self.assertEqual(answer.status, status, answer)
        if status >= 400:
            self.assertEqual(answer.headers["Content-Type"], "application/json")
            for text in wanted:
                self.assertIn(text, answer.message)
        if status in (204, 304):
            self.assertEqual(answer.body, b"")
        return answer

    def create(self, *command: str, name: str = "", **body: Any) -> str:
        """Create a container and return its id; `body` are members of its body."""
        query = {"name": name} if name else {}
        given = {"Image": self.image, "Cmd": [*command] or ["sh", "-c", WAITS], **body}
        answer = self.assert_answer(self.engine.post("/containers/create", given, **query), 201)
        self.assertRegex(answer.json["Id"], r"\A[0-9a-f]{64}\Z")
        return answer.json["Id"]

    def running(self, *command: str, **options: Any) -> str:
        """Create a container, start it, and return its id; by default one that waits."""
        one = self.create(*command, **options)
        self.assert_answer(self.engine.post(f"/containers/{one}/start"), 204)
        return one

    def ended(self, *command: str, **options: Any) -> str:
        """Run a container to its end, and return its id."""
        one = self.running(*command, **options)
        self.assert_answer(self.engine.post(f"/containers/{one}/wait"))
        return one

    def described(self, one: str) -> dict[str, Any]:
        """Return what inspect says of a container."""
        return self.assert_answer(self.engine.get(f"/containers/{one}/json")).json

    def state(self, one: str) -> dict[str, Any]:
        """Return what inspect says of its state."""
        return self.described(one)["State"]

    def logs(self, one: str) -> tuple[bytes, bytes]:
        """Return what it has printed."""
        return self.assert_answer(self.engine.get(f"/containers/{one}/logs", stdout="1", stderr="1")).streams

    def make_exec(self, one: str, *command: str, **body: Any) -> str:
        """Create an exec and return its id."""
        given = {"AttachStdout": True, "AttachStderr": True, "Cmd": [*command], **body}
        return self.assert_answer(self.engine.post(f"/containers/{one}/exec", given), 201).json["Id"]

    def exec(self, one: str, *command: str, **body: Any) -> tuple[int, bytes, bytes]:
        """Run a further program; return its exit code, stdout and stderr."""
        made = self.make_exec(one, *command, **body)
        with self.engine.hijack(f"/exec/{made}/start", {"Detach": False, "Tty": False}) as stream:
            self.assertEqual(stream.status, 101)
            out, err = stream.streams()
        end = self.assert_answer(self.engine.get(f"/exec/{made}/json")).json
        self.assertIs(end["Running"], False)
        return end["ExitCode"], out, err
