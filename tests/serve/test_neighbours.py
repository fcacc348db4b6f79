"""Clients that hold others up: each in turn, while somebody asks something small all the time."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator

from support.bystander import Bystander, write_files
from support.run import unique
from support.serve import JSON, ServeCase, form, take

HEAD = b"Host: localhost\r\nContent-Type: application/json\r\n"
MANY = "for n in range(256): open(f'out{n}', 'w').write(str(n) * 10)\nNone"


class Neighbours(ServeCase):
    """A server with one who only asks for something that is not there."""

    flags = ("--header-timeout", "5s", "--max-output", "4000000")

    @contextlib.contextmanager
    def assert_others_go_on(self) -> Iterator[None]:
        """Assert that nobody else waits for a second, beside what the machine and its disk take."""
        over = threading.Event()
        times: list[float] = []

        def ask() -> None:
            with contextlib.closing(self.server.connection()) as client:
                while not over.is_set():
                    began = time.monotonic()
                    client.request("GET", "/v1/files/00000000-0000-4000-8000-000000000000")
                    assert take(client).status == 404
                    times.append(time.monotonic() - began)
                    over.wait(0.005)

        asker = threading.Thread(target=ask)
        with Bystander(lambda: write_files(self.subfolder(unique()))) as bystander:
            asker.start()
            try:
                yield
            finally:
                over.set()
                asker.join()
        self.assertGreater(len(times), 3)
        self.assertLess(bystander.beyond(max(times)), 1, f"of {len(times)}; a bystander took {bystander.worst_s:.2f} s")

    def at_once(self, count: int, work: Callable[[], None]) -> None:
        """Do something so often at the same time."""
        threads = [threading.Thread(target=work) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def test_hundreds_of_small_outputs(self) -> None:
        def run() -> None:
            reply = self.server.post("/v1/execute", {"code": MANY, "timeout_ms": 60000})
            assert reply.status == 200 and len(reply.json["files"]) == 256, reply.body[:1000]

        with self.assert_others_go_on():
            self.at_once(2, run)

    def test_large_bodies_that_are_refused(self) -> None:
        def send() -> None:
            for path in (b"/nothing", b"/health", b"/v1/execute"):
                with contextlib.closing(self.server.raw()) as client, contextlib.suppress(OSError):
                    client.sendall(b"POST %s HTTP/1.1\r\n%sTransfer-Encoding: chunked\r\n\r\n" % (path, HEAD))
                    for _ in range(40):
                        client.sendall(b"100000\r\n" + b"x" * (1 << 20) + b"\r\n")

        with self.assert_others_go_on():
            self.at_once(4, send)

    def test_connections_that_drip(self) -> None:
        with contextlib.ExitStack() as clients:
            dripping = [clients.enter_context(contextlib.closing(self.server.raw())) for _ in range(200)]
            begun = (b"GET /health HTTP/1.1\r\nX: ", b"POST /v1/execute HTTP/1.1\r\n" + HEAD + b"Content-Length: 100000\r\n\r\n", b"")
            for number, client in enumerate(dripping):
                client.sendall(begun[number % 3])
            with self.assert_others_go_on():
                end = time.monotonic() + 3
                while time.monotonic() < end:
                    for client in dripping:
                        with contextlib.suppress(OSError):
                            client.send(b"x", socket.MSG_DONTWAIT)

    def test_large_output_and_uploads(self) -> None:
        """What is printed goes back as JSON, and what is uploaded to the disk, by the one thread."""
        code = {"code": "import sys\nsys.stdout.write('\\x00' * 3900000)", "timeout_ms": 60000}

        def run() -> None:
            with contextlib.closing(self.server.connection()) as client:
                client.request("POST", "/v1/execute", json.dumps(code), JSON)
                assert take(client).status == 200

        def upload() -> None:
            body, kind = form("x", b"y" * (8 << 20))
            assert self.server.ask("POST", "/v1/files", body, kind).status == 201

        with self.assert_others_go_on():
            self.at_once(2, run)
            self.at_once(2, upload)
