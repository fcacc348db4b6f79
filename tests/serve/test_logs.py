"""What is written down: ids of requests, the log, the audit."""

import contextlib
import json
import re

from support.serve import ServeCase, Server, add_key, take
from support.times import wait_until

HOST = b"Host: localhost\r\n"
SANE = re.compile(r"[A-Za-z0-9._-]{1,64}")


class RequestIds(ServeCase):
    """X-Request-ID."""

    def test_a_sane_one_is_echoed(self) -> None:
        for said in ("a", "x" * 64, "req-1.2_Z"):
            self.assertEqual(self.server.get("/health", **{"X-Request-ID": said}).headers["X-Request-ID"], said)

    def test_any_other_is_replaced(self) -> None:
        seen = set()
        for said in ("", "x" * 65, "a b", "a\tb", "<script>", "\xff", "a,b", "%0d%0a", "../x", 'a"b'):
            with self.subTest(said=said):
                given = self.server.get("/health", **{"X-Request-ID": said}).headers["X-Request-ID"]
                self.assertRegex(given, r"\A[0-9a-f]{32}\Z")
                seen.add(given)
        self.assertEqual(len(seen), 10)

    def test_every_reply_has_one(self) -> None:
        asks = (
            b"GET /health HTTP/1.1\r\n", b"GET /nothing HTTP/1.1\r\n", b"PUT /health HTTP/1.1\r\n", b"OPTIONS /v1/execute HTTP/1.1\r\n",
            b"HEAD /health HTTP/1.1\r\n", b"POST /v1/execute HTTP/1.1\r\nContent-Length: 99999999\r\n",
            b"GET /v1/files/%00 HTTP/1.1\r\n", b"GET /health HTTP/1.1\r\nHost: evil.example\r\n",
        )  # fmt: skip
        for ask in asks:
            with self.subTest(ask=ask):
                host = b"" if b"Host" in ask else HOST
                with contextlib.closing(self.server.raw()) as client:
                    client.sendall(ask + host + b"X-Request-ID: mine\r\nConnection: close\r\n\r\n")
                    head = client.makefile("rb").read().partition(b"\r\n\r\n")[0]
                self.assertEqual(re.findall(rb"(?i)\r\nx-request-id: ([^\r]*)", head), [b"mine"])

    def test_streams_and_files_have_one(self) -> None:
        with self.server.stream(code="1") as stream:
            self.assertRegex(stream.headers["X-Request-ID"], SANE)
            list(stream)
        file_id = self.uploaded("x", b"y")
        self.assertEqual(self.server.get(f"/v1/files/{file_id}", **{"X-Request-ID": "q"}).headers["X-Request-ID"], "q")


HOSTILE = b"/\x1b[2J\xff\xe2\x80\xae'\"%0a\\" + b"x" * 3000
JOURNAL = ("sh", "-c", 'JOURNAL_STREAM=$(stat -Lc %d:%i /proc/self/fd/2) exec "$@"', "sh")
# Its first line is read, and then no more.
MUTE = ("sh", "-c", 'mkfifo "$0"; exec 4<>"$0"; (read -r line <&4; echo "$line" >&2)& exec "$@" 2>"$0"')
PLAIN = re.compile(
    r"(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z )?(\S+) (\S+) (\d+) (\d+\.\d{3})ms (\d+)B key=(\S+) id=(\S+)( incomplete)?"
)


def ask_hostile(server: Server) -> None:
    """Ask for a path that no terminal should see."""
    with contextlib.closing(server.raw()) as client:
        client.sendall(b"G\x7fT " + HOSTILE + b" HTTP/1.1\r\n" + HOST + b"X-Request-ID: hostile\r\nConnection: close\r\n\r\n")
        client.makefile("rb").read()


class LogCase(ServeCase):
    """A server, and its lines about single requests."""

    def lines(self, request_id: str, server: Server | None = None) -> list[str]:
        """Return the lines of one request, when there is one."""
        server = server or self.server
        self.assertTrue(wait_until(lambda: any(request_id in line for line in server.said)), server.said)
        return [line for line in server.said if request_id in line]

    def line(self, request_id: str, server: Server | None = None) -> str:
        """Return its only line."""
        (line,) = self.lines(request_id, server)
        return line


class PlainLog(LogCase):
    """--log-format plain."""

    def test_a_line_per_request(self) -> None:
        reply = self.server.post("/v1/execute", {"code": "print(1)"}, X_Request_ID="run-1")
        method, path, status, ms, size, key, _, cut = PLAIN.fullmatch(self.line("run-1")).groups()
        self.assertEqual((method, path, status, key, cut), ("POST", "/v1/execute", "200", "local", None))
        self.assertEqual(int(size), len(reply.body))
        self.assertGreater(float(ms), 0)

    def test_queries_are_not_written_down(self) -> None:
        """They may hold a token."""
        self.server.get("/health?token=secret", **{"X-Request-ID": "query"})
        self.assertNotIn("secret", self.line("query"))

    def test_heads_have_no_body(self) -> None:
        self.server.ask("HEAD", "/health", headers={"X-Request-ID": "head"})
        self.assertEqual(PLAIN.fullmatch(self.line("head"))[5], "0")

    def test_streams_and_those_who_leave(self) -> None:
        ask = json.dumps({"code": "import time; print(1, flush=True); time.sleep(3600)", "timeout_ms": 60000}).encode()
        with contextlib.closing(self.server.raw()) as client:
            client.sendall(
                b"POST /v1/execute/stream HTTP/1.1\r\n" + HOST + b"X-Request-ID: leaver\r\nContent-Type: application/json\r\n"
                b"Content-Length: %d\r\n\r\n%s" % (len(ask), ask)
            )
            client.recv(10)
        found = PLAIN.fullmatch(self.line("leaver"))
        self.assertEqual((found[3], found[8]), ("200", " incomplete"))

    def test_hostile_bytes_are_escaped(self) -> None:
        ask_hostile(self.server)
        line = self.line("hostile")
        self.assertRegex(line, PLAIN)
        self.assertTrue(line.isascii() and line.isprintable(), line)
        self.assertIn("\\x1b[2J\\xff\\u202e", line)
        self.assertLess(len(line), 4096)

    def test_a_blank_adds_no_field(self) -> None:
        with contextlib.closing(self.server.raw()) as client:
            client.sendall(b"GET /a 200 key=root HTTP/1.1\r\n" + HOST + b"X-Request-ID: blank\r\nConnection: close\r\n\r\n")
            client.makefile("rb").read()
        self.assertFalse([line for line in self.server.said if "key=root" in line.split()])

    def test_none_when_they_are_not_wanted(self) -> None:
        server = self.start_server("--access-log", "off").wait_ready()
        server.get("/health", **{"X-Request-ID": "unwanted"})
        server.stop()
        self.assertFalse([line for line in server.said if "unwanted" in line])

    def test_the_journal_gets_priorities_and_no_time(self) -> None:
        server = self.start_server(below=JOURNAL).wait_ready()
        server.get("/health", **{"X-Request-ID": "journal"})
        self.assertRegex(self.line("journal", server), r"\A<6>GET /health 200 ")
        self.assertIn(f"<6>glovebox: serving on {server.address}", server.said)

    def test_a_log_that_nobody_reads_stops_nobody(self) -> None:
        server = self.start_server(below=(*MUTE, str(self.folder / "fifo"))).wait_ready()
        with contextlib.closing(server.connection()) as client:
            for _ in range(2000):
                client.request("GET", "/nothing/" + "x" * 100)
                self.assertEqual(take(client).status, 404)
        self.assertIn(b"\nglovebox_log_lost_total ", server.get("/metrics").body)
        self.assertNotIn(b"\nglovebox_log_lost_total 0\n", server.get("/metrics").body)


class JsonLog(LogCase):
    """--log-format json."""

    flags = ("--log-format", "json")

    def test_every_line_is_json(self) -> None:
        self.server.post("/v1/execute", {"code": "print(1)"}, X_Request_ID="run-1")
        said = json.loads(self.line("run-1"))
        self.assertEqual(
            {k: v for k, v in said.items() if k not in ("time", "duration_ms", "bytes")},
            {"level": "info", "message": "request", "method": "POST", "path": "/v1/execute", "status": 200,
             "complete": True, "key": "local", "request_id": "run-1"},
        )  # fmt: skip
        self.assertRegex(said["time"], r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z")
        self.assertGreater(said["duration_ms"], 0)
        for line in list(self.server.said):
            self.assertLessEqual({"time", "level", "message"}, json.loads(line).keys())

    def test_hostile_bytes_are_escaped(self) -> None:
        ask_hostile(self.server)
        line = self.line("hostile")
        self.assertTrue(line.isascii() and line.isprintable(), line)
        self.assertTrue(json.loads(line)["path"].startswith("/\x1b[2J\ufffd\u202e'\"%0a\\"))

    def test_no_key_no_name(self) -> None:
        keys = self.folder / "keys.json"
        token = add_key(keys, "alice")
        server = self.start_server("--log-format", "json", "--keys", str(keys)).wait_ready()
        server.get("/v1/files", **{"X-Request-ID": "nobody"})
        server.get("/v1/files", **{"X-Request-ID": "somebody", "Authorization": f"Bearer {token}"})
        nobody, somebody = (json.loads(self.line(name, server)) for name in ("nobody", "somebody"))
        self.assertEqual((nobody["status"], nobody["key"]), (401, None))
        self.assertEqual((somebody["status"], somebody["key"]), (200, "alice"))
        self.assertFalse([line for line in server.said if token in line])
