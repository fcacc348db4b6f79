"""haproxy - two servers behind HAProxy (tools/deploy/haproxy.cfg), and clients that do not pause."""

import contextlib
import http.client
import json
import os
import shutil
import socket
import subprocess
import threading
import time
import unittest
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.case import Case
from support.run import ROOT
from support.serve import JSON, Reply, Server, add_key, take
from support.times import DEADLINE, wait_until

CONFIGURATION = ROOT / "tools/deploy/haproxy.cfg"
EACH = 2  # clients whose key leads to a node
BROKEN = 0  # a connection that ended before there was a reply, or in the middle of it


def free_port() -> int:
    """Return a port that nobody has now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@dataclass
class Client:
    """Somebody with a key, and a session on the node to which that leads."""

    token: str
    port: int
    session: str = ""
    # When it was asked, and what came: a status, or BROKEN; of programs, and of calls of the session.
    seen: dict[str, list[tuple[float, int]]] = field(default_factory=lambda: {"run": [], "call": []})

    @property
    def node(self) -> str:
        """Return the label in the session's name."""
        return self.session.split("-")[2]

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] = JSON) -> Reply:
        """Make one request on a connection of its own."""
        raw = body if isinstance(body, bytes) else None if body is None else json.dumps(body)
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)
        with contextlib.closing(client):
            client.request(method, path, raw, headers | {"Authorization": f"Bearer {self.token}"})
            return take(client)

    def _note(self, kind: str, path: str, code: str) -> None:
        began = time.monotonic()
        try:
            reply = self.ask("POST", path, {"code": code, "timeout_ms": 30000})
            status = reply.status
            if status == 200 and reply.json["stdout"] != "42\n":
                raise AssertionError(f"something else's answer: {reply}")
            if status in (429, 503) and reply.headers["Server"] and not reply.headers["Retry-After"]:
                raise AssertionError(f"a refusal of a node that does not say when: {reply}")
        except (OSError, http.client.HTTPException):
            status = BROKEN
        self.seen[kind].append((began, status))

    def work(self, over: threading.Event) -> None:
        """Run programs, and call the session, until it is over."""
        while not over.is_set():
            self._note("run", "/v1/execute", "print(6 * 7)")
            self._note("call", f"/v1/sessions/{self.session}/python", "print(6 * 7)")


def nodes(where: dict[str, str]) -> str:
    """Return what goes before the configuration where nodes move: port 1 is where none is."""
    lines = [f"    setenv GLOVEBOX_{label} 127.0.0.1:1" for label in "AB"]
    lines += [f"    setenv GLOVEBOX_{label.upper()} {address}" for label, address in where.items()]
    return "\n".join(["global", *lines, ""])


@unittest.skipUnless(shutil.which("haproxy"), "cannot: there is no haproxy")
class ProxyCase(Case):
    """Two nodes, a proxy, and clients of whom each node has some."""

    def setUp(self) -> None:
        """Start everything."""
        super().setUp()
        self.keys = self.folder / "keys.json"
        tokens = [add_key(self.keys, f"client{number}") for number in range(32)]  # so many that each node has some
        self.nodes = {label: self.start_node(label) for label in "ab"}
        self.port = free_port()
        self.start_proxy()
        self.clients = self.choose(tokens)

    def start_node(self, label: str, port: int = 0, folder: Path | None = None) -> Server:
        """Start a node, or start it again."""
        server = Server("--node", label, "--keys", str(self.keys), listen=f"127.0.0.1:{port}", folder=folder)
        self.addCleanup(server.discard, keep=folder is not None)
        return server.wait_ready()

    def start_proxy(self) -> None:
        """Start it with the configuration as it is."""
        self.admin = self.folder / "admin.sock"
        env = os.environ | {"GLOVEBOX_BIND": f"127.0.0.1:{self.port}", "GLOVEBOX_ADMIN": str(self.admin)}
        env |= {f"GLOVEBOX_{label.upper()}": f"127.0.0.1:{node.port}" for label, node in self.nodes.items()}
        proxy = subprocess.Popen(["haproxy", "-db", "-q", "-f", CONFIGURATION], env=env)
        self.addCleanup(proxy.wait)
        self.addCleanup(proxy.kill)
        self.assertTrue(wait_until(lambda: self.states() == {"a": "UP", "b": "UP"}), self.states())

    def states(self) -> dict[str, str]:
        """Return what the proxy believes of each node."""
        return self.read_stat("status")

    def read_stat(self, column: str) -> dict[str, str]:
        """Return what it says of each node; nothing while it cannot be asked."""
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(self.admin))
                client.sendall(b"show stat\n")
                rows = client.makefile(encoding="ascii").read().splitlines()
        except OSError:
            return {}
        names, *rest = (row.lstrip("# ").split(",") for row in rows if row)
        found = [dict(zip(names, row)) for row in rest]
        return {row["svname"]: row[column] for row in found if row["svname"] in self.nodes}

    def choose(self, tokens: list[str]) -> list[Client]:
        """Return clients with sessions, the same number for each node."""
        chosen: list[Client] = []
        for token in tokens:
            client = Client(token, self.port)
            reply = client.ask("POST", "/v1/sessions", {})
            self.assertEqual(reply.status, 201, reply)
            client.session = reply.json["session_id"]
            if [other.node for other in chosen].count(client.node) < EACH:
                chosen.append(client)
        self.assertEqual(Counter(client.node for client in chosen), {"a": EACH, "b": EACH}, "keys are spread")
        return chosen

    @contextlib.contextmanager
    def load(self) -> Any:
        """Let all clients work, from before the block until after it."""
        over = threading.Event()
        threads = [threading.Thread(target=client.work, args=(over,)) for client in self.clients]
        for thread in threads:
            thread.start()
        try:
            self.everybody_runs()
            yield
            self.everybody_runs()
        finally:
            over.set()
            for thread in threads:
                thread.join()

    def everybody_runs(self) -> None:
        """Wait until each client has run three more programs."""
        now = time.monotonic()

        def done() -> bool:
            return all(sum(at > now and status == 200 for at, status in client.seen["run"]) >= 3 for client in self.clients)

        self.assertTrue(wait_until(done), "programs run")

    def statuses_since(self, when: float, *nodes: str) -> set[int]:
        """Return what clients of these nodes saw of what they asked later than that."""
        asked = [row for client in self.clients if client.node in nodes for rows in client.seen.values() for row in rows]
        return {status for began, status in asked if began > when}

    def statuses(self, kind: str, *nodes: str) -> "Counter[int]":
        """Return how often clients of these nodes saw what."""
        return Counter(status for client in self.clients if client.node in nodes for _, status in client.seen[kind])
