"""What is on its way: bodies and replies count, and are refused or put into a file beyond their share."""

import contextlib
import json

from support.messages import sentence
from support.serve import JSON, ServeCase, take
from support.times import wait_until

LARGE = 15 << 20
HEAD = "POST {path} HTTP/1.1\r\nHost: localhost\r\n{more}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
PRINTS = {"code": "import sys\nfor f in sys.stdout, sys.stderr: f.write(chr(1) * 1000000)", "timeout_ms": 30000}


class Bodies(ServeCase):
    """A server in which two large bodies have room."""

    flags = ("--max-in-flight", "32m")

    def head(self, path: str = "/v1/execute", more: str = "Expect: 100-continue\r\n", length: int = LARGE) -> bytes:
        """Return the headers of a body."""
        return HEAD.format(path=path, more=more, length=length).encode()

    def test_a_third_one_is_refused_at_its_headers(self) -> None:
        with contextlib.ExitStack() as clients:
            for _ in range(2):
                client = clients.enter_context(contextlib.closing(self.server.raw()))
                client.sendall(self.head())
                self.assertIn(b" 100 ", client.recv(1000))
            for path in ("/v1/execute", "/v1/execute/stream", "/v1/sessions"):
                with self.subTest(path):
                    [reply] = self.exchange(self.head(path))
                    self.assertEqual((reply.status, reply.detail), (429, sentence("gate_turn_away")))
                    self.assertEqual((reply.headers["Retry-After"], reply.headers["Connection"]), ("2", "close"))
            self.assertEqual(self.execute("print(1)")["stdout"], "1\n")
        self.assertEqual(self.execute("print(1)", stdin="x" * LARGE)["stdout"], "1\n")

    def test_one_in_chunks_is_refused_when_it_becomes_too_much(self) -> None:
        with contextlib.closing(self.server.raw()) as first, contextlib.closing(self.server.raw()) as second:
            for client, length in ((first, LARGE), (second, LARGE)):
                client.sendall(self.head(length=length))
                self.assertIn(b" 100 ", client.recv(1000))
            chunked = b"POST /v1/execute HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
            [reply] = self.exchange(chunked, b"280000\r\n" + b"x" * 0x280000 + b"\r\n", b"0\r\n\r\n")
            self.assertEqual(reply.status, 429)

    def test_what_was_charged_is_given_back(self) -> None:
        """By each kind of end, so often that the room would be used up."""
        for _ in range(4):
            self.assertEqual(self.server.post("/v1/execute", b"x" * LARGE).status, 422)
            self.assertEqual(self.execute("1", stdin="x" * LARGE)["exit_code"], 0)
            with contextlib.closing(self.server.raw()) as client:
                client.sendall(self.head(more="") + b"x" * 1000)
            with self.server.stream(code="print(1)", stdin="x" * LARGE, timeout_ms=30000) as events:
                self.assertEqual(events.text("stdout"), "1\n")


class Replies(ServeCase):
    """Long replies are the same wherever they lie."""

    def test_a_long_reply(self) -> None:
        reply = self.server.post("/v1/execute", PRINTS)
        self.assertEqual((reply.status, reply.json["stdout"], reply.json["stderr"]), (200, "\1" * 1000000, "\1" * 1000000))
        self.assertEqual(int(reply.headers["Content-Length"]), len(reply.body))

    def test_several_on_one_connection(self) -> None:
        with contextlib.closing(self.server.connection()) as client:
            for _ in range(3):
                client.request("POST", "/v1/execute", json.dumps(PRINTS), JSON)
                self.assertEqual(len(take(client).json["stdout"]), 1000000)
                client.request("HEAD", "/v1/files")
                take(client)


class Streams(ServeCase):
    """A server in which the events of two programs have room."""

    flags = ("--max-in-flight", "32m")

    def test_one_that_is_not_read_is_cut(self) -> None:
        """Its program ends with it, long before its time."""
        code = PRINTS["code"] + "\nsys.stdout.flush()\nsys.stderr.flush()\nimport time; time.sleep(3000)"
        body = json.dumps({"code": code, "timeout_ms": 60000}).encode()
        with contextlib.ExitStack() as clients:
            for _ in range(5):
                client = clients.enter_context(contextlib.closing(self.server.raw(4096)))
                client.sendall(HEAD.format(path="/v1/execute/stream", more="", length=len(body)).encode() + body)
                self.assertTrue(client.recv(1))

            def is_cut() -> bool:
                return any(run["verdict"] == "cancelled" for run in self.server.get("/v1/executions").json["recent"])

            self.assertTrue(wait_until(is_cut, 50))
