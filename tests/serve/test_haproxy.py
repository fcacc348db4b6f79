"""Two servers behind HAProxy (tools/deploy/haproxy.cfg): who is sent where, and what is seen when one of them goes."""

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
from support.serve import JSON, Reply, Server, add_key, form, take
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
    # When, and what: a status, or BROKEN; of programs, and of calls of the session.
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
        try:
            reply = self.ask("POST", path, {"code": code, "timeout_ms": 30000})
            status = reply.status
            if status == 200 and reply.json["stdout"] != "42\n":
                raise AssertionError(f"something else's answer: {reply}")
            if status in (429, 503) and reply.headers["Server"] and not reply.headers["Retry-After"]:
                raise AssertionError(f"a refusal of a node that does not say when: {reply}")
        except (OSError, http.client.HTTPException):
            status = BROKEN
        self.seen[kind].append((time.monotonic(), status))

    def work(self, over: threading.Event) -> None:
        """Run programs, and call the session, until it is over."""
        while not over.is_set():
            self._note("run", "/v1/execute", "print(6 * 7)")
            self._note("call", f"/v1/sessions/{self.session}/python", "print(6 * 7)")


@unittest.skipUnless(shutil.which("haproxy"), "cannot: there is no haproxy")
class Proxy(Case):
    """Two nodes, a proxy, and clients of whom each node has some."""

    def setUp(self) -> None:
        """Start everything."""
        super().setUp()
        self.keys = self.folder / "keys.json"
        tokens = [add_key(self.keys, f"client{number}") for number in range(12)]
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
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(self.admin))
                client.sendall(b"show stat\n")
                rows = client.makefile(encoding="ascii").read().splitlines()
        except OSError:
            return {}
        names, *rest = (row.lstrip("# ").split(",") for row in rows if row)
        found = [dict(zip(names, row)) for row in rest]
        return {row["svname"]: row["status"] for row in found if row["svname"] in self.nodes}

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

    def statuses(self, kind: str, *nodes: str) -> "Counter[int]":
        """Return how often clients of these nodes saw what."""
        return Counter(status for client in self.clients if client.node in nodes for _, status in client.seen[kind])

    def test_affinity(self) -> None:
        """A key's files are where its programs run; a session is reached whatever the key says."""
        for client in self.clients:
            for number in range(3):
                body, kind = form("x", b"%d" % number)
                id_ = client.ask("POST", "/v1/files", body, kind).json["file_id"]
                asked = {"code": "print(open('x').read())", "timeout_ms": 30000, "files": [{"path": "x", "file_id": id_}]}
                self.assertEqual(client.ask("POST", "/v1/execute", asked).json["stdout"], f"{number}\n")
        for client in self.clients:
            other = self.nodes[{"a": "b", "b": "a"}[client.node]]
            direct = Client(client.token, other.port)
            path = f"/v1/sessions/{client.session}/python"
            self.assertEqual(direct.ask("POST", path, {"code": "1"}).status, 404, "the other node does not know it")
            self.assertEqual(client.ask("POST", path, {"code": "6 * 7"}).json["value"], {"text/plain": "42"})

    def test_a_node_is_killed(self) -> None:
        """Who waits for that node gets one 502; its sessions are gone, those of the other are not."""
        with self.load():
            self.nodes["a"].process.kill()
            self.nodes["a"].end()
            self.assertTrue(wait_until(lambda: self.states()["a"] == "DOWN"), self.states())
        runs, calls = self.statuses("run", "a"), self.statuses("call", "a")
        self.assertLessEqual(set(runs), {200, 502, 503, BROKEN})
        self.assertLessEqual(set(calls), {200, 404, 502, 503, BROKEN})
        self.assertLessEqual(sum(seen[status] for seen in (runs, calls) for status in (502, BROKEN)), EACH, "one for each that waited")
        self.assertGreater(calls[404], 0, "its sessions are told so")
        for kind in ("run", "call"):
            self.assertEqual(set(self.statuses(kind, "b")), {200}, "nobody else notices")
        self.come_back()

    def come_back(self) -> None:
        """Start it again: files are there, sessions are not mixed up."""
        old = self.nodes["a"]
        self.assertTrue(wait_until(lambda: not old.family()), old.family())
        self.nodes["a"] = self.start_node("a", old.port, old.folder)
        self.assertTrue(wait_until(lambda: self.states()["a"] == "UP"), self.states())
        for client in self.clients:
            status = 404 if client.node == "a" else 200
            path = f"/v1/sessions/{client.session}/python"
            self.assertEqual(client.ask("POST", path, {"code": "1"}).status, status)

    def test_a_node_is_drained(self) -> None:
        """SIGTERM: nobody is cut off, and no program is lost; who meets it as it goes is asked to come again."""
        with self.load():
            self.assertEqual(self.nodes["a"].stop(), 0)
            self.assertTrue(wait_until(lambda: self.states()["a"] == "DOWN"), self.states())
        self.assertLessEqual(set(self.statuses("run", "a")), {200, 503})
        self.assertLessEqual(set(self.statuses("call", "a")), {200, 404, 503})
        for kind in ("run", "call"):
            self.assertEqual(set(self.statuses(kind, "b")), {200}, "nobody else notices")
