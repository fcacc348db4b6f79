"""serve - `glovebox serve` of a test's own, and a client that may be a hostile one.

A server listens on a port that nobody else has, or on a socket in its own folder; its files, its
supervisor and its temporary files are below that folder. It ends by SIGTERM, and nothing may stay.
"""

import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import unittest
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from support.case import Case
from support.processes import is_alive, pids
from support.run import GLOVEBOX, IS_ROOT, IS_SANITIZED, glovebox, places
from support.times import DEADLINE, wait_until

AS_ROOT = ("--as", "root") if IS_ROOT else ()  # root's server says whose it is
SERVING = re.compile(r'(?:glovebox: |"message":")serving on ([^"]*)')
HEARTBEAT = b": still there\n"
JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True)
class Reply:
    """What a server answered."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @cached_property
    def json(self) -> Any:
        """Return the body, parsed."""
        return json.loads(self.body)

    @property
    def detail(self) -> Any:
        """Return what an error says."""
        return self.json["detail"]


class UnixConnection(http.client.HTTPConnection):
    def connect(self) -> None:
        """Connect to the path that stands where others have a host."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Server:
    """One process of `glovebox serve`, with all that belongs to it."""

    def __init__(
        self,
        *flags: str,
        listen: str = "127.0.0.1:0",
        folder: Path | None = None,
        below: Sequence[str] = (),
        env: dict[str, str] | None = None,
        pass_fds: Sequence[int] = (),
        program: str = GLOVEBOX,
    ) -> None:
        """Start it; `folder` is that of an earlier one whose files it finds.

        `below` is a program that becomes it; there, FOLDER is the folder. Without `listen` no flag
        says where.
        """
        self.folder = folder or Path(tempfile.mkdtemp(prefix="serve-"))
        self.files = self.folder / "files"
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir(exist_ok=True)
        runtime = self.folder / "run"
        runtime.mkdir(mode=0o700, exist_ok=True)
        self.env = {"PATH": os.environ["PATH"]} | places()
        self.env |= {"XDG_RUNTIME_DIR": str(runtime), "TMPDIR": str(self.temporary)}
        self.env |= env or {}
        where = ["--listen", listen.replace("FOLDER", str(self.folder))] if listen else []
        who = [] if "--as" in flags else AS_ROOT
        first = [word.replace("FOLDER", str(self.folder)) for word in below]
        command = [*first, program, "serve", "--image", "host", "--pool", "2", *where,
                   "--files", str(self.files), *who, *flags]  # fmt: skip
        self.process = subprocess.Popen(
            command, env=self.env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, pass_fds=pass_fds
        )
        self.trust = ssl.create_default_context()  # of a server with TLS: whom its clients trust
        self.said: list[str] = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        wait_until(lambda: self.address or self.process.poll() is not None)

    def _read(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self.said.append(line.decode(errors="replace").rstrip("\n"))

    @property
    def address(self) -> str:
        """Return where it serves, as it said."""
        found = (SERVING.search(line) for line in list(self.said))
        return next((match[1] for match in found if match), "")

    @property
    def port(self) -> int:
        """Return its port."""
        return int(self.address.rpartition(":")[2])

    def wait_ready(self) -> "Server":
        """Wait until it can run programs."""

        def ready() -> bool:
            if self.process.poll() is not None:
                raise AssertionError(f"it has ended: {self.said}")
            return self.get("/ready").status == 200

        if not wait_until(ready):
            raise AssertionError(f"not ready: {self.get('/ready').body!r} {self.said}")
        return self

    # -- what belongs to it

    def family(self) -> list[int]:
        """Return the processes that were started with its directories, itself among them."""
        wanted = f"TMPDIR={self.temporary}".encode()

        def is_ours(pid: int) -> bool:
            try:
                return wanted in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            except OSError:
                return False

        return [pid for pid in pids() if is_ours(pid) and is_alive(pid)]

    def warm(self) -> dict[str, Any]:
        """Return the status of its supervisor."""
        (place,) = self.temporary.glob("glovebox-agent-*")
        env = self.env | {"XDG_RUNTIME_DIR": str(place)}
        command = [GLOVEBOX, "warm", "status", "--json"]
        return json.loads(subprocess.run(command, env=env, capture_output=True, check=True).stdout)

    def peak_bytes(self) -> int:
        """Return the most memory that the process has had."""
        if IS_SANITIZED:
            raise unittest.SkipTest("cannot: AddressSanitizer takes more memory")
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024

    def stop(self) -> int:
        """End it as an operator does; return its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.end()

    def end(self) -> int:
        """Wait for its end."""
        try:
            self.process.wait(DEADLINE)
        finally:
            self.process.kill()
            self.process.wait()
            self.reader.join(10)
            if self.process.stderr:
                self.process.stderr.close()
        return self.process.returncode

    def discard(self, *, keep: bool = False) -> None:
        """Stop it if it runs, assert that nothing stays, and remove its folder."""
        status = self.stop() if self.process.poll() is None else 0
        left = wait_until(lambda: not self.family())
        there = list(self.temporary.glob("glovebox-*"))
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)
        if status or not left or there:
            raise AssertionError(f"status {status}, said {self.said}, stays {self.family()} {there}")

    # -- asking

    def connection(self, seconds: float = DEADLINE) -> http.client.HTTPConnection:
        """Return a connection that is kept alive; close it."""
        if self.address.startswith("unix:"):
            client = UnixConnection("localhost", timeout=seconds)
            client.path = self.address.removeprefix("unix:")  # type: ignore[attr-defined]
            return client
        if self.address.startswith("https:"):
            return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=seconds, context=self.trust)
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> Reply:
        """Make one request; a body that is neither bytes nor a text goes as JSON."""
        given = dict(headers or {})
        if body is not None and not isinstance(body, (bytes, str)) and not hasattr(body, "__next__"):
            body = json.dumps(body)
            given = JSON | given
        with contextlib.closing(self.connection()) as client:
            client.request(method, path, body, given)
            return take(client)

    def get(self, path: str, **headers: str) -> Reply:
        """GET."""
        return self.ask("GET", path, headers=headers)

    def post(self, path: str, body: Any, **headers: str) -> Reply:
        """POST; bytes go as JSON unless a header says otherwise."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.ask("POST", path, body, JSON | named)

    def delete(self, path: str, **headers: str) -> Reply:
        """DELETE."""
        return self.ask("DELETE", path, headers=headers)

    def upload(self, name: str, content: bytes, **headers: str) -> Reply:
        """Upload a file as browsers do."""
        body, kind = form(name, content)
        return self.ask("POST", "/v1/files", body, kind | headers)

    def raw(self, receive: int = 0) -> socket.socket:
        """Return a plain connection, for requests that no library would send; close it. `receive` is its buffer."""
        is_unix = self.address.startswith("unix:")
        client = socket.socket(socket.AF_UNIX if is_unix else socket.AF_INET)
        if receive:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        client.connect(self.address.removeprefix("unix:") if is_unix else ("127.0.0.1", self.port))
        client.settimeout(DEADLINE)
        if self.address.startswith("https:"):
            return self.trust.wrap_socket(client, server_hostname="127.0.0.1")
        return client

    @contextlib.contextmanager
    def stream(self, path: str = "/v1/execute/stream", **body: Any) -> Iterator["Stream"]:
        """Begin a stream; its headers are there."""
        with contextlib.closing(self.connection()) as client:
            client.request("POST", path, json.dumps(body), JSON)
            yield Stream(client.getresponse())


class Stream:
    """A reply of events, one by one; anything that is none fails, but for heartbeats."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        self.heartbeats = 0
        self._response = response

    def __iter__(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the name and the data of each event."""
        while first := self._response.readline():
            if first == HEARTBEAT:
                self.heartbeats += 1
                assert self._response.readline() == b"\n"
                continue
            second, third = self._response.readline(), self._response.readline()
            if not (first.startswith(b"event: ") and second.startswith(b"data: ") and third == b"\n"):
                raise AssertionError(f"no event: {first!r} {second!r} {third!r}")
            second.decode("ascii")
            yield first[7:-1].decode("ascii"), json.loads(second[6:])

    def text(self, name: str) -> str:
        """Return all output of one stream; the result stays in `self.result`."""
        events = list(self)
        (*outputs, (kind, self.result)) = events
        assert kind == "result", events
        assert {k for k, _ in outputs} <= {"output"}, events
        return "".join(data["data"] for _, data in outputs if data["stream"] == name)


class ServeCase(Case):
    """Tests that share one server, `self.server`."""

    flags: ClassVar[tuple[str, ...]] = ()
    server: ClassVar[Server]

    @classmethod
    def setUpClass(cls) -> None:
        """Start the server."""
        super().setUpClass()
        cls.server = Server(*cls.flags)
        cls.addClassCleanup(cls.server.discard)
        cls.server.wait_ready()

    def start_server(self, *flags: str, **options: Any) -> Server:
        """Start one more, which ends with the test."""
        server = Server(*flags, **options)
        self.addCleanup(server.discard)
        return server

    def execute(self, code: str, **members: Any) -> dict[str, Any]:
        """Run a program and return the reply, which must be one."""
        reply = self.server.post("/v1/execute", {"code": code, "timeout_ms": 30000, **members})
        self.assertEqual((reply.status, reply.headers["Content-Type"]), (200, "application/json"), reply)
        return reply.json

    def uploaded(self, name: str, content: bytes) -> str:
        """Upload a file and return its id."""
        reply = self.server.upload(name, content)
        self.assertEqual(reply.status, 201, reply)
        return reply.json["file_id"]

    def exchange(self, *requests: bytes) -> list[Reply]:
        """Send bytes on one connection, and return the replies until the server closes it."""
        with contextlib.closing(self.server.raw()) as client:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError, ssl.SSLEOFError):
                for request in requests:
                    client.sendall(request)
            replies = []
            with contextlib.suppress(http.client.BadStatusLine, ConnectionResetError):
                source = _Source(client)
                while True:
                    replies.append(_take_from(source))
            return replies


class _Source:
    """A connection with several replies: http.client closes its file with the last that it expects."""

    def __init__(self, client: socket.socket) -> None:
        self.file = client.makefile("rb")
        self.read, self.readline = self.file.read, self.file.readline

    def makefile(self, *_: Any, **__: Any) -> "_Source":
        """Return what is read from."""
        return self

    def close(self) -> None:
        """Stay open for the next reply."""


def _take_from(source: _Source) -> Reply:
    response = http.client.HTTPResponse(source)  # type: ignore[arg-type]
    response.begin()
    length = response.length
    if length is None or response.chunked:
        raise AssertionError("a reply without a length")
    body = source.read(length)
    return Reply(response.status, response.headers, body)


def certificate(folder: Path, name: str = "tls", names: str = "DNS:localhost,IP:127.0.0.1") -> tuple[Path, Path]:
    """Make a certificate of 127.0.0.1, signed by itself, and its key; return both files."""
    cert, key = folder / f"{name}.crt", folder / f"{name}.key"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", f"/CN={name}",
               "-addext", f"subjectAltName={names}", "-keyout", key, "-out", cert]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    return cert, key


def add_key(file: Path, name: str, *flags: str) -> str:
    """Make a key in a file of keys; return its token."""
    command = [GLOVEBOX, "serve", "key", "add", name, *flags, "--keys", file]
    said = subprocess.run(command, env={"PATH": os.environ["PATH"]} | places(), capture_output=True, text=True, check=True)
    (token,) = [word for word in said.stdout.split() if word.startswith("gbx_")]
    return token


def take(client: http.client.HTTPConnection) -> Reply:
    """Read the reply on a connection."""
    response = client.getresponse()
    return Reply(response.status, response.headers, response.read())


def form(name: str, content: bytes, field: str = "file") -> tuple[bytes, dict[str, str]]:
    """Return a form with one file, and the header that belongs to it."""
    escaped = name.replace('"', "%22").encode()
    head = b'--part\r\nContent-Disposition: form-data; name="%s"; filename="%s"\r\n' % (field.encode(), escaped)
    body = head + b"Content-Type: application/octet-stream\r\n\r\n" + content + b"\r\n--part--\r\n"
    return body, {"Content-Type": "multipart/form-data; boundary=part"}


class UsersCase(ServeCase):
    """A server that takes its cells from the supervisor that the user has already."""

    env: ClassVar[dict[str, str]]

    @classmethod
    def setUpClass(cls) -> None:
        """Start both."""
        super(ServeCase, cls).setUpClass()
        folder = Path(tempfile.mkdtemp(prefix="serve-"))
        (folder / "run").mkdir(mode=0o700)
        cls.env = {"XDG_RUNTIME_DIR": str(folder / "run")}
        assert glovebox("warm", "start", "--image", "host", env=cls.env).status == 0
        cls.server = Server(folder=folder)
        cls.addClassCleanup(cls.server.discard)
        cls.addClassCleanup(glovebox, "warm", "stop", env=cls.env)
        cls.server.wait_ready()
