"""Replies that are packed, for those who ask for it: what, when, and what a cache is told."""

import contextlib
import gzip
import json
from typing import Any

from support.serve import JSON, Reply, ServeCase

LARGE = {"code": "print('0123456789' * 1000)", "timeout_ms": 30000}


class Packed(ServeCase):
    """Texts of a kilobyte and more."""

    def asks(self, path: str, accepted: str = "gzip, deflate, br", method: str = "GET", body: Any = None, **more: str) -> Reply:
        """Make a request that says what it takes."""
        return self.server.ask(method, path, body, {"Accept-Encoding": accepted} | (JSON if body is not None else {}) | more)

    def assert_packed(self, reply: Reply) -> bytes:
        """Assert that a reply is, and return what is in it."""
        self.assertEqual((reply.headers["Content-Encoding"], reply.headers["Vary"]), ("gzip", "Accept-Encoding"), reply.headers)
        self.assertEqual(int(reply.headers["Content-Length"]), len(reply.body))
        return gzip.decompress(reply.body)

    def test_what_a_program_printed(self) -> None:
        reply = self.asks("/v1/execute", method="POST", body=LARGE)
        self.assertLess(len(reply.body), 1000)
        self.assertEqual(reply.headers["Content-Type"], "application/json")
        self.assertEqual(json.loads(self.assert_packed(reply))["stdout"], "0123456789" * 1000 + "\n")

    def test_pages(self) -> None:
        for path in ("/", "/docs", "/openapi.json", "/metrics"):
            with self.subTest(path=path):
                plain = self.server.get(path)
                self.assertEqual((plain.headers["Content-Encoding"], plain.headers["Vary"]), (None, "Accept-Encoding"))
                packed = self.assert_packed(self.asks(path))
                if path != "/metrics":
                    self.assertEqual(packed, plain.body)

    def test_who_does_not_ask(self) -> None:
        for accepted in ("", "identity", "br", "gzip;q=0", "gzip;q=0.0, *", "*;q=0"):
            with self.subTest(accepted=accepted):
                reply = self.asks("/docs", accepted)
                self.assertEqual((reply.headers["Content-Encoding"], reply.headers["Vary"]), (None, "Accept-Encoding"))
                self.assertTrue(reply.body.startswith(b"<!"))
        for accepted in ("*", "br;q=1, gzip;q=0.1", "x-gzip"):
            self.assert_packed(self.asks("/docs", accepted))

    def test_what_is_small(self) -> None:
        for path in ("/health", "/v1/files", "/nothing"):
            reply = self.asks(path)
            self.assertEqual((reply.headers["Content-Encoding"], reply.headers["Vary"]), (None, None))
            self.assertIsInstance(reply.json, dict)

    def test_what_is_very_large(self) -> None:
        """Nobody waits while another's megabytes are packed."""
        server = self.start_server("--max-output", "4000000").wait_ready()
        code = {"code": "print('0123456789' * 300000)", "timeout_ms": 30000}
        reply = server.ask("POST", "/v1/execute", code, {"Accept-Encoding": "gzip"})
        self.assertEqual((reply.headers["Content-Encoding"], len(reply.json["stdout"])), (None, 3000001))

    def test_files_are_what_they_are(self) -> None:
        id_ = self.uploaded("x.json", b"[" + b"1," * 5000 + b"1]")
        reply = self.asks(f"/v1/files/{id_}")
        self.assertEqual((reply.headers["Content-Encoding"], reply.headers["Vary"], len(reply.body)), (None, None, 10003))

    def test_events_come_when_they_happen(self) -> None:
        with contextlib.closing(self.server.connection()) as client:
            code = "import time\nprint('first' * 1000, flush=True)\ntime.sleep(20)"
            client.request("POST", "/v1/execute/stream", json.dumps({"code": code, "timeout_ms": 30000}), JSON | {"Accept-Encoding": "gzip"})
            response = client.getresponse()
            self.assertEqual((response.headers["Content-Encoding"], response.readline()), (None, b"event: output\n"))

    def test_tags(self) -> None:
        """Other bytes have another tag, which both forms answer to."""
        plain = self.server.get("/docs").headers["ETag"]
        packed = self.asks("/docs").headers["ETag"]
        self.assertEqual(packed, f"W/{plain}")
        for tag in (plain, packed, f'"x", {packed}'):
            for accepted in ("gzip", ""):
                reply = self.asks("/docs", accepted, **{"If-None-Match": tag})
                self.assertEqual((reply.status, reply.body, reply.headers["Vary"]), (304, b"", "Accept-Encoding"))
        self.assertEqual(self.asks("/docs", **{"If-None-Match": '"x"'}).status, 200)

    def test_head(self) -> None:
        whole, head = self.asks("/docs"), self.asks("/docs", method="HEAD")
        self.assertEqual(head.body, b"")
        for name in ("Content-Length", "Content-Encoding", "ETag", "Vary"):
            self.assertEqual(head.headers[name], whole.headers[name], name)

    def test_a_reply_that_is_told_again(self) -> None:
        """Whoever repeats a request may take another form of the same reply."""
        first = self.asks("/v1/execute", method="POST", body=LARGE, **{"Idempotency-Key": "same"})
        again = self.asks("/v1/execute", "identity", method="POST", body=LARGE, **{"Idempotency-Key": "same"})
        self.assertEqual(self.assert_packed(first), again.body)


class Elsewhere(ServeCase):
    """Pages of another origin."""

    flags = ("--cors", "https://chat.example.org")

    def test_both_are_said(self) -> None:
        reply = self.server.get("/docs", Origin="https://chat.example.org", **{"Accept-Encoding": "gzip"})
        self.assertEqual(set(reply.headers.get_all("Vary")), {"Origin", "Accept-Encoding"})
