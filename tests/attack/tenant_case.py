"""tenant_case - a server with two keys, of which one is hostile, and what the other is served."""

import contextlib
import http.client
import json
import socket
import statistics
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from support.processes import descriptors
from support.run import GLOVEBOX, IS_SANITIZED, places
from support.serve import JSON, Server, ServeCase, add_key, form, take
from support.times import wait_until

SERVED = 5  # times each deed


def bearer(token: str) -> dict[str, str]:
    """Return the header of a key."""
    return {"Authorization": f"Bearer {token}"}


def remove_all(server: Server, token: str) -> bool:
    """Remove the sessions and files of a key; say whether nothing of it runs and nothing was left."""
    key = bearer(token)
    left = len(server.get("/v1/executions", **key).json["running"])
    for kind, name in (("sessions", "session_id"), ("files", "file_id")):
        for one in server.get(f"/v1/{kind}", **key).json[kind]:
            server.ask("DELETE", f"/v1/{kind}/{one[name]}", None, key)
            left += 1
    return not left


class Hostile:
    """A client that means harm: its key, and the connections that it holds."""

    def __init__(self, server: Server, token: str, stack: contextlib.ExitStack) -> None:
        self.server, self.token, self.stack = server, token, stack
        self.waiting: list[socket.socket] = []  # for replies to the attack

    def unanswered(self) -> int:
        """Return how many of these nothing has come to."""
        for client in self.waiting:
            client.setblocking(False)
        answered = 0
        for client in self.waiting:
            with contextlib.suppress(BlockingIOError):
                client.recv(1, socket.MSG_PEEK)
                answered += 1
        return len(self.waiting) - answered

    def connect(self, receive: int = 0) -> socket.socket:
        """Return a connection, which closes with the attack; `receive` is its buffer."""
        client = self.server.raw(receive)
        self.stack.enter_context(contextlib.closing(client))
        return client

    def head(self, method: str, path: str, *lines: str, length: int | None = None, key: bool = True) -> bytes:
        """Return the headers of a request; without a length its body comes in chunks."""
        said = [f"{method} {path} HTTP/1.1", "Host: localhost", *lines]
        if key:
            said.append(f"Authorization: Bearer {self.token}")
        said.append("Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}")
        return "\r\n".join([*said, "", ""]).encode()

    def session(self) -> str:
        """Begin a session."""
        return self.server.ask("POST", "/v1/sessions", {}, bearer(self.token)).json["session_id"]

    def send(self, client: socket.socket, *parts: bytes) -> None:
        """Send all of it, or what the server takes of it."""
        with contextlib.suppress(OSError):
            for part in parts:
                client.sendall(part)

    def await_idle(self) -> None:
        """Wait until nothing runs for this key, or it may ask no more (429): it holds what it may."""
        idle = wait_until(lambda: not self.server.get("/v1/executions", **bearer(self.token)).json.get("running"))
        assert idle, "what was begun does not end"

    def uploaded(self, content: bytes) -> str:
        """Upload a file."""
        return self.server.upload("x", content, **bearer(self.token)).json["file_id"]


@dataclass(frozen=True)
class Tenant:
    """One attack, the server that it meets, and what the other key is served meanwhile."""

    name: str
    threat: str
    attack: Callable[[Hostile], None]
    layer: str  # the mechanism that stops it, as docs/serve-operate.md's table of charges names it
    flags: tuple[str, ...] = ()  # of the server
    ceiling: str = ""  # of the hostile key, JSON
    served: tuple[str, ...] = ("run",)  # deeds of Deeds
    leaves: bool = False  # the attack has closed its connections: no descriptor may stay
    waits: int = 0  # so many requests of the attack wait still when the other key was served once
    memory_mib: int = 0  # the most that the server's memory may grow; 0: not looked at


class Deeds:
    """What the other key asks for: each returns whether it was served."""

    def __init__(self, server: Server, token: str) -> None:
        self.server, self.token = server, token

    def run(self, client: http.client.HTTPConnection) -> bool:
        """Run a program."""
        client.request("POST", "/v1/execute", json.dumps({"code": "6 * 7", "timeout_ms": 60000}), JSON | bearer(self.token))
        return take(client).status == 200

    def upload(self, client: http.client.HTTPConnection) -> bool:
        """Upload a file of a MiB, and have it deleted."""
        body, kind = form("x", b"x" * (1 << 20))
        client.request("POST", "/v1/files", body, kind | bearer(self.token))
        reply = take(client)
        if reply.status != 201:
            return False
        client.request("DELETE", f"/v1/files/{reply.json['file_id']}", headers=bearer(self.token))
        return take(client).status == 204

    def listing(self, client: http.client.HTTPConnection) -> bool:
        """Ask for the list of files: no more than the server's own thread."""
        client.request("GET", "/v1/files", headers=bearer(self.token))
        return take(client).status == 200


class TenantCase(ServeCase):
    """Each test has a server of its own, with the keys hostile and other."""

    kernel: ClassVar[bool] = False

    @classmethod
    def setUpClass(cls) -> None:
        """There is no server that tests share."""
        super(ServeCase, cls).setUpClass()

    def keys(self, ceiling: str = "") -> Path:
        """Make both keys; the hostile one has a ceiling."""
        keys = self.folder / "keys.json"
        self.other = add_key(keys, "other")
        command = [GLOVEBOX, "serve", "key", "add", "hostile", "--keys", keys]
        command += ["--ceiling", self.file("ceiling.json", ceiling)] if ceiling else []
        said = subprocess.run(command, env=places() | {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin"}, capture_output=True, text=True, check=True)
        (self.hostile,) = [word for word in said.stdout.split() if word.startswith("gbx_")]
        return keys

    def assert_served(self, *deeds: str) -> float:
        """Assert that the other key is served, each time on a connection of its own; return the median time."""
        times = []
        for deed in deeds:
            for _ in range(SERVED):
                began = time.monotonic()
                self.assertTrue(wait_until(lambda deed=deed: self._is_served(deed)), f"the other key is not served: {deed}")
                times.append(time.monotonic() - began)
        return statistics.median(times)

    def _is_served(self, deed: str) -> bool:
        with contextlib.closing(self.server.connection()) as client, contextlib.suppress(OSError, http.client.HTTPException):
            return getattr(Deeds(self.server, self.other), deed)(client)
        return False

    def memory_mib(self) -> float:
        """Return what the server has in memory now."""
        status = Path(f"/proc/{self.server.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    def perform(self, row: Tenant) -> None:
        """Attack, and see that the other key is served, and what else the row says."""
        self.server = self.start_server("--keys", str(self.keys(row.ceiling)), *row.flags)  # type: ignore[misc]
        self.assertTrue(wait_until(lambda: self.server.ask("GET", "/ready").status == 200))
        before = self.assert_served(*row.served)
        held, memory = descriptors(self.server.process.pid), self.memory_mib()
        with contextlib.ExitStack() as stack:
            hostile = Hostile(self.server, self.hostile, stack)
            row.attack(hostile)
            if row.waits:
                self.assertTrue(self._is_served(row.served[0]))
                self.assertGreaterEqual(hostile.unanswered(), row.waits)
            during = self.assert_served(*row.served)
            grown = self.memory_mib() - memory
            if row.leaves:
                few = wait_until(lambda: descriptors(self.server.process.pid) <= held + 2)
                self.assertTrue(few, f"{descriptors(self.server.process.pid)} descriptors, {held} before")
        print(f"\n{row.name}: median {before * 1000:.1f} ms, attacked {during * 1000:.1f} ms, memory +{grown:.0f} MiB")
        if row.memory_mib and not IS_SANITIZED:
            self.assertLess(grown, row.memory_mib)
