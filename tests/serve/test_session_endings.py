"""Sessions when what they stand on ends: reported as gone, and never another's."""

import contextlib
import hashlib
import http.client
import json
import os
import signal
import tempfile
from pathlib import Path
from typing import Any

from support.processes import children
from support.run import glovebox
from support.serve import JSON, Reply, ServeCase, Server, form
from support.serve_sessions import SessionCase
from support.stored import HEAD
from support.times import wait_until

BUSY = "print('began', flush=True)\nwhile True: pass"


class Below(SessionCase):
    """SIGKILL of the supervisor and of the nursery, with a session, a call and an upload."""

    @classmethod
    def setUpClass(cls) -> None:
        """Start none: each test has its own."""
        super(ServeCase, cls).setUpClass()

    def setUp(self) -> None:
        """Start one."""
        super().setUp()
        self.server = self.start_server("--max-timeout", "7200000").wait_ready()  # type: ignore[misc]

    def say_that_it_is_gone(self, session: str) -> None:
        """Assert that whatever is asked of a session is answered by 404 or 410."""
        asked = [("GET", "/files", None), ("GET", "/files.tar", None), ("POST", "/python", {"code": "x"}), ("POST", "/python/stream", {"code": "x"}),
                 ("POST", "/bash", {"cmd": "true"}), ("POST", "/interrupt", {}), ("PATCH", "", {"ttl_seconds": 60}),
                 ("POST", "/checkpoint", {"name": "a"}), ("DELETE", "", None)]  # fmt: skip
        for method, path, body in asked:
            with self.subTest(method=method, path=path):
                self.assertIn(self.server.ask(method, session + path, body).status, (404, 410))

    def begin_upload(self) -> tuple[Any, bytes]:
        """Begin an upload; return its connection and what is missing."""
        body, _ = form("half", b"y" * 300000)
        client = self.server.raw()
        self.addCleanup(client.close)
        client.sendall(HEAD + b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(body) + body[:-100000])
        incoming = self.server.files / "incoming"
        self.assertTrue(wait_until(lambda: list(incoming.iterdir())), "it has begun")
        return client, body[-100000:]

    def end_of(self, pid: int) -> None:
        """Kill a process in the middle of everything."""
        idle, busy = self.begin(), self.begin()
        self.python(idle, "x = 'mine'")
        client, missing = self.begin_upload()
        with self.server.stream(busy + "/python/stream", code=BUSY, timeout_ms=7200000) as stream:
            events = iter(stream)
            next(events)
            os.kill(pid, signal.SIGKILL)
            (kind, said) = list(events)[-1]
        self.assertEqual((kind, said.get("lost", True)), (kind, True))
        self.assertIn(kind, ("result", "error"))
        self.assertTrue(wait_until(lambda: self.server.post("/v1/sessions", {}).status == 201), "there are new ones")
        new = self.begin()
        self.assertNotIn(new, (idle, busy))
        for session in (idle, busy):
            self.say_that_it_is_gone(session)
            self.assertNotIn(session, self.listed())
        self.assertEqual(self.python(new, "6 * 7")["value"], {"text/plain": "42"})
        self.assertEqual(self.python(new, "'x' in globals()")["value"], {"text/plain": "False"})
        client.sendall(missing)
        reply = http.client.HTTPResponse(client)
        reply.begin()
        self.assertEqual(reply.status, 201)
        id_ = json.loads(reply.read())["file_id"]
        self.assertEqual(self.server.get(f"/v1/files/{id_}").body, b"y" * 300000)
        self.assertEqual(self.server.get("/metrics").status, 200)

    def test_supervisor(self) -> None:
        self.end_of(self.server.warm()["pid"])

    def test_nursery(self) -> None:
        (nursery,) = children(self.server.warm()["pid"])[:1]
        self.end_of(nursery)

    def test_the_server_itself(self) -> None:
        """Its supervisor goes with it, and the session with that: an upload is whole or not there."""
        session = "/v1/sessions/" + self.server.post("/v1/sessions", {}).json["session_id"]
        whole = self.uploaded("whole", b"x" * 100000)
        self.begin_upload()
        with contextlib.closing(self.server.connection()) as client:
            client.request("PUT", session + "/files/half", iter([b"z" * 1000]), {"Content-Length": "2000"})
            self.server.process.kill()
            self.server.end()
        self.assertTrue(wait_until(lambda: not self.server.family()), self.server.family())
        folder = self.server.folder
        self.server = Server(folder=folder)  # type: ignore[misc]
        self.addCleanup(self.server.discard, keep=True)
        self.server.wait_ready()
        self.say_that_it_is_gone(session)
        self.assertEqual([file["file_id"] for file in self.server.get("/v1/files").json["files"]], [whole])
        self.assertEqual({place: len(os.listdir(self.server.files / place)) for place in ("incoming", "scratch")}, {"incoming": 0, "scratch": 0})


class Restarts(SessionCase):
    """A server that stands on the user's supervisor, which outlives it."""

    @classmethod
    def setUpClass(cls) -> None:
        """Start the supervisor."""
        super(ServeCase, cls).setUpClass()
        cls.place = Path(tempfile.mkdtemp(prefix="serve-"))
        (cls.place / "run").mkdir(mode=0o700)
        cls.env = {"XDG_RUNTIME_DIR": str(cls.place / "run")}
        assert glovebox("warm", "start", "--image", "host", env=cls.env).status == 0
        cls.addClassCleanup(glovebox, "warm", "stop", env=cls.env)
        keys = {name: "gbx_" + name * 8 + "x" * (43 - 8 * len(name)) for name in ("alice", "bob")}
        entries = [{"name": name, "sha256": hashlib.sha256(key.encode()).hexdigest(), "created": "2026-11-24T00:00:00Z"} for name, key in keys.items()]
        cls.keys = {name: {"Authorization": f"Bearer {key}"} for name, key in keys.items()}
        file = cls.place / "keys.json"
        file.touch(mode=0o600)
        file.write_text(json.dumps({"keys": entries}))

    def start(self) -> Server:
        """Start a server, or the next, with the same files."""
        return self.start_server("--keys", str(self.place / "keys.json"), folder=self.place).wait_ready()

    def start_server(self, *flags: str, **options: Any) -> Server:
        """Start one that keeps its folder."""
        server = Server(*flags, **options)
        self.addCleanup(server.discard, keep=True)
        return server

    def ask(self, server: Server, who: str, method: str, path: str, body: Any = None) -> Reply:
        """Make a request with somebody's key."""
        return server.ask(method, path, body, self.keys[who])

    def test_its_key_has_it_and_no_other(self) -> None:
        server = self.start()
        session = "/v1/sessions/" + self.ask(server, "alice", "POST", "/v1/sessions", {}).json["session_id"]
        self.ask(server, "alice", "POST", session + "/python", {"code": "x = 6"})
        for end in (server.stop, lambda: (server.process.kill(), server.end())):
            end()
            server = self.start()
            self.assertEqual(self.ask(server, "alice", "POST", session + "/python", {"code": "x * 7"}).json["value"], {"text/plain": "42"})
            self.assertEqual(["/v1/sessions/" + s["session_id"] for s in self.ask(server, "alice", "GET", "/v1/sessions").json["sessions"]], [session])
            self.assertEqual(self.ask(server, "alice", "PATCH", session, {"ttl_seconds": 600}).status, 200)
            self.assertEqual(self.ask(server, "bob", "GET", "/v1/sessions").json, {"sessions": []})
            self.is_not_there(self.ask(server, "bob", "POST", session + "/python", {"code": "x"}), session)
        self.assertEqual(self.ask(server, "alice", "DELETE", session).status, 204)

    def test_a_call_whose_server_was_killed(self) -> None:
        """Nobody hears its result: its code is interrupted, and its session goes on."""
        server = self.start()
        session = "/v1/sessions/" + self.ask(server, "alice", "POST", "/v1/sessions", {}).json["session_id"]
        self.ask(server, "alice", "POST", session + "/python", {"code": "x = 6"})
        with contextlib.closing(server.connection()) as client:
            client.request("POST", session + "/python", json.dumps({"code": "while True: pass", "timeout_ms": 60000}), JSON | self.keys["alice"])
            self.assertTrue(wait_until(lambda: self.ask(server, "alice", "GET", "/v1/sessions").json["sessions"][0]["busy"]))
            server.process.kill()
            server.end()
        server = self.start()
        self.assertEqual(self.ask(server, "alice", "POST", session + "/python", {"code": "x * 7"}).json["value"], {"text/plain": "42"})
        self.assertEqual(self.ask(server, "alice", "DELETE", session).status, 204)
