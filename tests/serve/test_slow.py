"""Connections that take their time: headers, bodies and replies that drip, or stand still."""

import contextlib
import json
import os
import socket
import time
from pathlib import Path

import test_http
from support.serve import ServeCase, form
from support.times import wait_until


class Slow(ServeCase):
    """Clients that take their time."""

    flags = ("--header-timeout", "2s", "--stall-timeout", "2s")

    def assert_ended(self, client: socket.socket) -> None:
        """Assert that the server closes a connection, whatever it says before."""
        with contextlib.suppress(ConnectionResetError):
            while client.recv(1000):
                pass

    def test_a_byte_now_and_then_is_no_progress(self) -> None:
        with contextlib.closing(self.server.raw()) as client:
            client.sendall(b"GET /health HTTP/1.1\r\nX: ")
            client.settimeout(0.05)
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                for _ in range(1200):
                    client.sendall(b"X")
                    with contextlib.suppress(TimeoutError):
                        if not client.recv(1000):
                            return
                self.fail("the connection is still open")

    def test_the_next_request_on_a_connection_has_as_long(self) -> None:
        runs = test_http.post(json.dumps({"code": "import time; time.sleep(0.8)", "timeout_ms": 30000}).encode()) * 3
        self.assertEqual([reply.status for reply in self.exchange(runs)], [200, 200, 200])

    def test_connections_that_say_nothing(self) -> None:
        with contextlib.closing(self.server.raw()) as client:
            self.assert_ended(client)

    def test_body_that_stands_still(self) -> None:
        with contextlib.closing(self.server.raw()) as client:
            client.sendall(test_http.post(test_http.RUN)[:-1])
            self.assert_ended(client)

    def assert_drips_end(self, head: bytes) -> None:
        """Assert that a body of a byte now and then does not keep its connection for a minute."""
        with contextlib.closing(self.server.raw()) as client:
            client.sendall(head)
            client.settimeout(0.05)
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                for _ in range(1200):
                    client.sendall(b"x")
                    with contextlib.suppress(TimeoutError):
                        if not client.recv(1000):
                            return
                self.fail("the connection is still open")

    def test_a_body_that_drips(self) -> None:
        """Whether it is wanted, or was refused by its size, its path, or where it comes from."""
        self.assert_drips_end(b"POST /v1/execute HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
        self.assert_drips_end(b"POST /v1/nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n")
        self.assert_drips_end(b"POST /v1/execute HTTP/1.1\r\nHost: evil.example\r\nTransfer-Encoding: chunked\r\n\r\nfffff\r\n")

    def test_a_reply_that_is_read_in_drops(self) -> None:
        """A reader who takes a little now and then does not keep his connection, nor its descriptor."""
        session = self.server.post("/v1/sessions", {}).json["session_id"]
        self.assertEqual(self.server.ask("PUT", f"/v1/sessions/{session}/files/x", b"x" * (16 << 20)).status, 201)
        code = {"code": "print('\\0' * 100000, flush=True)\n" * 9 + "import time; time.sleep(1000)", "timeout_ms": 60000}
        requests = {
            "file": b"GET /v1/sessions/%s/files/x HTTP/1.1\r\nHost: localhost\r\n\r\n" % session.encode(),
            "pages": b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100,
            "stream": test_http.post(json.dumps(code).encode(), path=b"/v1/execute/stream"),
        }
        for what, request in requests.items():
            with self.subTest(what), contextlib.closing(self.server.raw(4096)) as client:
                client.sendall(request)
                self.assertTrue(client.recv(1))
                client.settimeout(0.02)

                def is_over(client: socket.socket = client) -> bool:
                    with contextlib.suppress(OSError):
                        client.recv(20)
                    return not self.is_connected(client)

                self.assertTrue(wait_until(is_over, 45), "the server keeps the connection")

    def is_connected(self, client: socket.socket) -> bool:
        """Tell whether the server has a descriptor of a connection."""
        ours = f":{client.getsockname()[1]:04X}"
        lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()]
        names = {f"socket:[{line[9]}]" for line in lines if line[2].endswith(ours)}
        for fd in Path(f"/proc/{self.server.process.pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                if os.readlink(fd) in names:
                    return True
        return False

    def test_a_large_body_that_goes_on(self) -> None:
        """One that is slower than the time for headers, but not as slow as that."""
        body, kind = form("x", b"y" * 40000)
        head = f"POST /v1/files HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: {kind['Content-Type']}\r\nContent-Length: {len(body)}\r\n\r\n"
        with contextlib.closing(self.server.raw()) as client:
            client.sendall(head.encode())
            for at in range(0, len(body), 2000):
                client.sendall(body[at : at + 2000])
                time.sleep(0.15)
            self.assertIn(b" 201 ", client.recv(1000))

    def test_run_may_take_longer(self) -> None:
        """Who waits for a reply is not slow."""
        code = {"code": "import time; time.sleep(3); print(1)", "timeout_ms": 30000}
        [reply] = self.exchange(test_http.post(json.dumps(code).encode()))
        self.assertEqual(reply.json["stdout"], "1\n")


class Pauses(ServeCase):
    """A body may stand still for longer than its headers may take."""

    flags = ("--header-timeout", "1s", "--stall-timeout", "6s")

    def test_a_body_that_goes_on_after_a_pause(self) -> None:
        request = test_http.post(test_http.RUN)
        with contextlib.closing(self.server.raw()) as client:
            client.sendall(request[:-5])
            client.settimeout(3)
            with self.assertRaises(TimeoutError):
                client.recv(1000)
            client.settimeout(60)
            client.sendall(request[-5:])
            self.assertIn(b" 200 ", client.recv(1000))

    def test_a_pause_without_an_end(self) -> None:
        began = time.monotonic()
        with contextlib.closing(self.server.raw()) as client:
            client.sendall(test_http.post(test_http.RUN)[:-5])
            with contextlib.suppress(ConnectionResetError):
                self.assertEqual(client.recv(1000), b"")
        self.assertGreater(time.monotonic() - began, 4)
