"""What one key makes a server hold is charged to that key: each attack of one, and what another must be served meanwhile.

Every bound on time is one that only a server that is stuck reaches.
"""

import concurrent.futures
import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from serve.test_keys import KeyCase

from support.run import GLOVEBOX, execute
from support.serve import JSON, Reply, take
from support.times import wait_until

SLEEP = "print('began', flush=True)\nimport time; time.sleep(60)"
SERVED_S = 60  # only who is never served waits for so long


class TenantCase(KeyCase):
    """A server with one key that takes all it can get, and another one."""

    flags: ClassVar[tuple[str, ...]] = ("--max-runs", "4")
    ceilings: ClassVar[dict[str, Any]] = {"greedy": None, "other": None}

    def begin(self, stack: contextlib.ExitStack, name: str, method: str, path: str, body: Any = None) -> Any:
        """Send a request, and do not read the reply."""
        client = stack.enter_context(contextlib.closing(self.server.connection(SERVED_S)))
        headers = JSON | {"Authorization": f"Bearer {self.tokens[name]}"}
        client.request(method, path, None if body is None else json.dumps(body), headers)
        return client

    def begin_run(self, stack: contextlib.ExitStack, name: str, code: str = SLEEP) -> Any:
        """Send a program whose output is streamed."""
        return self.begin(stack, name, "POST", "/v1/execute/stream", {"code": code, "timeout_ms": 60000})

    def assert_served(self, name: str = "other") -> None:
        """Assert that a key can run, upload and keep a session."""
        self.assertEqual(self.runs(name, "print(6 * 7)").json.get("stdout"), "42\n")
        self.assertEqual(self.uploads(name, b"x").status, 201)
        made = self.asks(name, "POST", "/v1/sessions", {})
        self.assertEqual(made.status, 201, made)
        self.assertEqual(self.asks(name, "DELETE", f"/v1/sessions/{made.json['session_id']}").status, 204)


class Places(TenantCase):
    """All places are taken, and more are asked for."""

    flags: ClassVar[tuple[str, ...]] = ("--max-runs", "4", "--queue", "60s")
    ceilings: ClassVar[dict[str, Any]] = {"greedy": None, "named": {"concurrency": 4}, "other": None}

    def test_a_key_without_a_number_has_half_of_them(self) -> None:
        """Left out: with "concurrency" at the number of all places, its runs do hold every one."""
        with contextlib.ExitStack() as stack:
            clients = [self.begin_run(stack, "greedy") for _ in range(8)]
            for client in clients[:2]:
                client.getresponse().readline()
            self.assert_served()

    def test_creations_are_runs_of_their_key(self) -> None:
        with contextlib.ExitStack() as stack:
            clients = [self.begin_run(stack, "named") for _ in range(4)]
            for client in clients:
                client.getresponse().readline()
            self.assertEqual(self.asks("named", "POST", "/v1/sessions", {}).status, 429)

    def test_the_next_place_is_the_next_key_s(self) -> None:
        """One key has named all places, and forty runs wait: who comes last does not wait for them."""
        left = threading.Semaphore(0)

        def run() -> Reply:
            with contextlib.ExitStack() as stack:
                reply = take(self.begin(stack, "greedy", "POST", "/v1/execute", {"code": "import time; time.sleep(0.3)", "timeout_ms": 60000}))
            left.release()
            return reply

        with concurrent.futures.ThreadPoolExecutor(40) as pool:
            runs = [pool.submit(run) for _ in range(40)]
            self.assertTrue(left.acquire(timeout=SERVED_S))
            self.assertEqual(self.runs("other").status, 200)
            waiting = sum(not future.done() for future in runs)
            self.assertEqual({future.result().status for future in runs}, {200})
        self.assertGreater(waiting, 20)

    def test_what_is_done_to_sessions_leaves_places_for_others(self) -> None:
        """A checkpoint waits for the call of its session; so do its key's others, and nobody else's."""
        session = self.asks("greedy", "POST", "/v1/sessions", {}).json["session_id"]
        mine = self.asks("other", "POST", "/v1/sessions", {}).json["session_id"]
        with contextlib.ExitStack() as stack:
            call = self.begin(stack, "greedy", "POST", f"/v1/sessions/{session}/python/stream", {"code": SLEEP, "timeout_ms": 60000})
            call.getresponse().readline()
            for number in range(12):
                self.begin(stack, "greedy", "POST", f"/v1/sessions/{session}/checkpoint", {"name": str(number)})
                self.begin(stack, "greedy", "GET", f"/v1/sessions/{session}/files.tar")
            self.assertEqual(self.asks("other", "POST", f"/v1/sessions/{mine}/checkpoint", {"name": "a"}).status, 200)
            self.assertEqual(self.asks("other", "GET", f"/v1/sessions/{mine}/files.tar").status, 200)
            self.assert_served()
        self.asks("other", "DELETE", f"/v1/sessions/{mine}")
        self.asks("greedy", "DELETE", f"/v1/sessions/{session}")


class Removed(TenantCase):
    """A key is taken out of the file, and the server reads that."""

    flags: ClassVar[tuple[str, ...]] = ("--max-runs", "8")
    ceilings: ClassVar[dict[str, Any]] = {"stays": {"concurrency": 8}, "goes": {"concurrency": 4}}

    def sessions(self) -> int:
        """Count those that the supervisor keeps."""
        return self.server.warm()["sessions"]

    def upload_half(self, stack: contextlib.ExitStack, boundary: bytes) -> socket.socket:
        """Begin an upload; with a boundary of more than 70 letters the form is refused."""
        client = stack.enter_context(contextlib.closing(self.server.raw()))
        client.settimeout(SERVED_S)
        head = f"POST /v1/files HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.tokens['goes']}\r\n".encode()
        kind = b"Content-Type: multipart/form-data; boundary=%s\r\nContent-Length: 100000\r\n\r\n" % boundary
        client.sendall(head + kind + b"--%s\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nx" % boundary)
        return client

    def test_it_loses_what_runs_for_it(self) -> None:
        """Runs, streams, calls, what waits, half an upload, sessions, and those of MCP: all but what another key has."""
        kept = self.asks("stays", "POST", "/v1/sessions", {}).json["session_id"]
        session = self.asks("goes", "POST", "/v1/sessions", {}).json["session_id"]
        self.asks("goes", "POST", "/v1/sessions", {})
        mcp = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "execute_python", "arguments": {"code": SLEEP}}}
        with contextlib.ExitStack() as stack:
            streams = [
                self.begin_run(stack, "goes"),
                self.begin(stack, "goes", "POST", f"/v1/sessions/{session}/python/stream", {"code": SLEEP, "timeout_ms": 60000}),
            ]
            replies = [client.getresponse() for client in streams]
            for reply in replies:
                self.assertIn(b"event", reply.readline())
            waits = [
                self.begin(stack, "goes", "POST", "/v1/execute", {"code": SLEEP, "timeout_ms": 60000}),
                self.begin(stack, "goes", "POST", f"/v1/sessions/{session}/checkpoint", {"name": "a"}),
            ]
            headers = JSON | {"Authorization": f"Bearer {self.tokens['goes']}", "Accept": "application/json, text/event-stream"}
            called = stack.enter_context(contextlib.closing(self.server.connection(SERVED_S)))
            called.request("POST", "/mcp", json.dumps(mcp), headers)
            uploads = [self.upload_half(stack, boundary) for boundary in (b"x" * 71, b"boundary")]
            self.assertTrue(wait_until(lambda: self.server.warm()["running"] >= 6), "all of them run")
            execute([GLOVEBOX, "serve", "key", "rm", "goes", "--keys", str(self.place / "keys")])
            self.reload()
            for reply in replies:
                self.assertNotIn(b"event: result", reply.read())
            self.assertEqual([take(client).status for client in waits], [401, 401])
            self.assertEqual([upload.recv(1000) for upload in uploads], [b"", b""])
            self.assertEqual(take(called).status, 401)
            self.assertTrue(wait_until(lambda: self.sessions() == 1), "its sessions are gone")
            self.assertEqual(self.asks("stays", "POST", f"/v1/sessions/{kept}/python", {"code": "1"}).status, 200)
            self.assertEqual(self.asks("goes", "GET", "/v1/files").status, 401)
            self.assertTrue(wait_until(lambda: self.server.warm()["running"] == 1), "nothing of it runs")
            self.assert_served("stays")


class Disk(TenantCase):
    """What one key has on the disk is within its storage: files, copies of sessions' files, what runs leave."""

    ceilings: ClassVar[dict[str, Any]] = {"greedy": {"storage": "1m", "files": 20}, "other": None, "large": {"storage": "400m"}}
    flags: ClassVar[tuple[str, ...]] = ("--max-runs", "4", "--max-files", "500m")

    def held(self) -> int:
        """Return the bytes that the server has on the disk, open files without a name included."""
        place = self.server.files
        named = {(stat.st_dev, stat.st_ino): stat.st_blocks * 512 for stat in (path.stat() for path in place.rglob("*") if path.is_file())}
        for fd in Path(f"/proc/{self.server.process.pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                if str(place) in str(fd.readlink()):
                    stat = fd.stat()
                    named[(stat.st_dev, stat.st_ino)] = stat.st_blocks * 512
        return sum(named.values())

    def session_with(self, name: str, code: str) -> str:
        """Begin a session, and have it write files."""
        session = self.asks(name, "POST", "/v1/sessions", {}).json["session_id"]
        reply = self.asks(name, "POST", f"/v1/sessions/{session}/python", {"code": code, "timeout_ms": 60000})
        self.assertEqual(reply.status, 200, reply)
        return str(session)

    def test_files_of_a_byte(self) -> None:
        """Its number of files is a quota, and each takes a block of its storage."""
        code = "for n in range(200): open(f'{n}', 'w').write('x')\nNone"
        files = self.runs("greedy", code).json["files"]
        kept = [file for file in files if file["file_id"]]
        self.assertEqual(len(kept), 20)
        self.assertEqual(self.uploads("greedy", b"x").status, 413)
        self.assert_served()
        for file in kept:
            self.assertEqual(self.asks("greedy", "DELETE", f"/v1/files/{file['file_id']}").status, 204)

    def test_archives_that_nobody_reads(self) -> None:
        """A hole costs the session nothing, and is written out: with storage for it the archive is served."""
        code = "open('hole', 'wb').truncate(100 << 20); open('small', 'wb').write(b'x' * 100000); None"
        before = self.held()
        session = self.session_with("greedy", code)
        theirs = self.session_with("large", code)
        with contextlib.ExitStack() as stack:
            clients = [self.begin(stack, "greedy", "GET", f"/v1/sessions/{session}/{what}") for what in ["files.tar", "files/hole"] * 5]
            statuses = {client.getresponse().status for client in clients}
            self.assertLessEqual(statuses, {413, 429})
            self.assertLess(self.held() - before, 4 << 20)
            self.assertEqual(self.asks("greedy", "GET", f"/v1/sessions/{session}/files/small").body, b"x" * 100000)
            clients = [self.begin(stack, "large", "GET", f"/v1/sessions/{theirs}/files.tar") for _ in range(8)]
            statuses = {client.getresponse().status for client in clients}
            self.assertIn(200, statuses)
            self.assertLessEqual(statuses, {200, 413, 429})
            self.assertLess(self.held() - before, 420 << 20)
            self.assert_served()
        for name, id_ in (("greedy", session), ("large", theirs)):
            self.asks(name, "DELETE", f"/v1/sessions/{id_}")
        self.assertTrue(wait_until(lambda: self.held() - before < 1 << 20), "what is not sent any more is gone")

    def test_files_that_are_deleted_while_they_are_sent(self) -> None:
        """A content without a name takes the disk as before."""
        with contextlib.ExitStack() as stack:
            for _ in range(20):
                reply = self.uploads("large", b"x" * (60 << 20))
                if reply.status != 201:
                    break
                path = f"/v1/files/{reply.json['file_id']}"
                client = self.begin(stack, "large", "GET", path)
                self.assertEqual(client.getresponse().status, 200)
                self.asks("large", "DELETE", path)
            self.assertEqual(reply.status, 429, reply)
            self.assertIn("Retry-After", reply.headers)
            self.assertLess(self.held(), 420 << 20)
            self.assert_served()
        self.assertTrue(wait_until(lambda: self.held() < 60 << 20), "they are gone when nobody reads them")
        self.assertEqual(self.uploads("large", b"x" * (60 << 20)).status, 201)

    def test_what_a_run_leaves(self) -> None:
        """It is not copied if its key has no room for it, and what has room is taken."""
        code = "open('a', 'wb').truncate(200 << 20); open('b', 'wb').write(b'y' * 1000); None"
        most = self.held()
        over = threading.Event()

        def look() -> None:
            nonlocal most
            while not over.is_set():
                most = max(most, self.held())

        before = most
        looker = threading.Thread(target=look)
        looker.start()
        try:
            reply = self.runs("greedy", code).json
        finally:
            over.set()
            looker.join()
        self.assertEqual([file["path"] for file in reply["files"]], ["b"], reply)
        self.assertTrue(reply["files_truncated"])
        self.assertLess(most - before, 4 << 20)
        self.asks("greedy", "DELETE", f"/v1/files/{reply['files'][0]['file_id']}")


class Told(KeyCase):
    """What a client hears of a failure names nothing of the machine."""

    ceilings: ClassVar[dict[str, Any]] = {"one": None}

    @contextlib.contextmanager
    def moved(self, path: Path, *, is_file: bool) -> Iterator[None]:
        """Have it away, or a file in its place."""
        away = path.with_name("away")
        path.rename(away)
        try:
            if is_file:
                path.write_text("")
            yield
        finally:
            path.unlink(missing_ok=True)
            away.rename(path)

    def test_the_runtime_directory_is_away(self) -> None:
        """Of each face; the log says where it was looked for."""
        session = self.asks("one", "POST", "/v1/sessions", {}).json["session_id"]
        mcp = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "execute_python", "arguments": {"code": "1"}}}
        headers = JSON | {"Accept": "application/json, text/event-stream"}
        asked: list[tuple[str, str, Any]] = [
            ("POST", "/v1/execute", {"code": "1"}),
            ("POST", "/v1/execute/stream", {"code": "1"}),
            ("POST", "/v1/sessions", {}),
            ("GET", "/v1/sessions", None),
            ("POST", f"/v1/sessions/{session}/python", {"code": "1"}),
            ("POST", f"/v1/sessions/{session}/freeze", None),
            ("PATCH", f"/v1/sessions/{session}", {"ttl_seconds": 100}),
            ("GET", f"/v1/sessions/{session}/files", None),
            ("DELETE", f"/v1/sessions/{session}", None),
            ("POST", "/mcp", mcp),
            ("GET", "/v1/executions", None),
            ("GET", "/health", None),
            ("GET", "/ready", None),
        ]
        (place,) = self.server.temporary.glob("glovebox-agent-*")
        inner = place / "glovebox"
        for gone in (place, inner, inner / "warm.sock"):
            for is_file in (False, True):
                with self.moved(gone, is_file=is_file):
                    replies = [(path, self.asks("one", method, path, body, **headers)) for method, path, body in asked]
                for path, reply in replies:
                    with self.subTest(gone=gone.name, is_file=is_file, path=path, reply=reply):
                        self.assertNotIn(str(self.server.folder), reply.body.decode())
                        self.assertNotIn("glovebox-agent", reply.body.decode())
                self.assertEqual(self.runs("one").status, 200)
