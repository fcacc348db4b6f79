"""More bytes than a request has: floods, heads behind bodies, requests behind the last one."""

import contextlib
from concurrent.futures import ThreadPoolExecutor

from support.serve import ServeCase
from test_http import HOST, post


class Floods(ServeCase):
    """A client that sends as fast as it can has its turns, and no others'."""

    flags = ("--header-timeout", "2s")

    def assert_others_go_on(self, flood: bytes) -> None:
        """Assert that the server answers others while bytes come without an end, and ends that."""
        with contextlib.closing(self.server.raw()) as client, ThreadPoolExecutor(1) as pool:

            def pour() -> None:
                with contextlib.suppress(OSError):
                    while True:
                        client.sendall(flood)

            pouring = pool.submit(pour)
            for _ in range(20):
                self.assertEqual(self.server.get("/health").status, 200)
            pouring.result()

    def test_empty_lines(self) -> None:
        self.assert_others_go_on(b"\r\n" * 8192)

    def test_chunks(self) -> None:
        head = b"POST /v1/execute HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n"
        self.assert_others_go_on(head + b"1\r\nx\r\n" * 8192)

    def test_a_head_behind_a_body_has_no_more_room(self) -> None:
        long = b"GET /health HTTP/1.1\r\n" + HOST + b"X: " + b"x" * 25000 + b"\r\n\r\n"
        replies = self.exchange(post(b"x" * 100) + long)
        self.assertEqual([reply.status for reply in replies], [422, 431])

    def test_the_end_of_a_last_reply_comes_though_more_was_sent(self) -> None:
        file = self.uploaded("large", b"x" * 3_000_000)
        with contextlib.closing(self.server.raw(8192)) as client:
            client.sendall(f"GET /v1/files/{file} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            said = client.recv(10)
            client.sendall(b"GET /health HTTP/1.1\r\n" + HOST + b"\r\n")
            while piece := client.recv(20000):
                said += piece
        self.assertEqual(len(said.partition(b"\r\n\r\n")[2]), 3_000_000)
