"""The protocol itself: methods, lengths, connections that stop in the middle, and where requests come from."""

import contextlib
import http.client
import json
import socket
import time

from support.processes import ticks
from support.serve import JSON, Reply, ServeCase, form
from support.times import DEADLINE, wait_until

HOST = b"Host: localhost\r\n"
RUN = json.dumps({"code": "print(6 * 7)", "timeout_ms": 30000}).encode()


def post(body: bytes, *lines: bytes, path: bytes = b"/v1/execute") -> bytes:
    """Return a request to run something, with more lines of headers."""
    head = b"POST %s HTTP/1.1\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n" % (path, HOST, len(body))
    return head + b"".join(line + b"\r\n" for line in lines) + b"\r\n" + body


class Methods(ServeCase):
    """Which there are, and what is said of the others."""

    def test_unknown_paths(self) -> None:
        for path in ("/v1/nothing", "/v1/execute/x", "/v1/files/a/b", "//health", "/health/x", "/%68ealth/y", "/health/", "/redoc"):
            for method in ("GET", "POST", "OPTIONS"):
                with self.subTest(path=path, method=method):
                    reply = self.server.ask(method, path)
                    self.assertEqual((reply.status, reply.json), (404, {"detail": "Not Found"}))

    def test_wrong_methods(self) -> None:
        table = {"/health": {"GET", "HEAD", "OPTIONS"}, "/v1": {"GET", "HEAD", "OPTIONS"}, "/v1/execute": {"POST", "OPTIONS"},
                 "/v1/files": {"POST", "GET", "HEAD", "OPTIONS"}, "/v1/files/x": {"GET", "HEAD", "DELETE", "OPTIONS"}}  # fmt: skip
        for path, allowed in table.items():
            for method in {"GET", "POST", "PUT", "DELETE", "PATCH", "TRACE"} - allowed:
                with self.subTest(path=path, method=method):
                    reply = self.server.ask(method, path)
                    self.assertEqual((reply.status, reply.json), (405, {"detail": "Method Not Allowed"}))
                    self.assertEqual(set(reply.headers["Allow"].split(", ")), allowed)

    def test_options(self) -> None:
        reply = self.server.ask("OPTIONS", "/v1/execute")
        self.assertEqual((reply.status, reply.body, reply.headers["Allow"]), (204, b"", "POST, OPTIONS"))

    def test_head(self) -> None:
        whole, head = self.server.get("/health"), self.server.ask("HEAD", "/health")
        self.assertEqual((head.status, head.body), (200, b""))
        self.assertEqual(head.headers["Content-Length"], whole.headers["Content-Length"])

    def test_head_of_an_error_has_no_body(self) -> None:
        with contextlib.closing(self.server.raw()) as client:
            client.sendall(b"HEAD /nothing HTTP/1.1\r\n" + HOST + b"\r\nGET /health HTTP/1.1\r\nConnection: close\r\n" + HOST + b"\r\n")
            head, _, rest = client.makefile("rb").read().partition(b"\r\n\r\n")
        self.assertTrue(head.startswith(b"HTTP/1.1 404 ") and rest.startswith(b"HTTP/1.1 200 "), (head, rest))

    def test_no_reply_is_taken_for_another_type(self) -> None:
        for method, path in (("GET", "/health"), ("GET", "/nothing"), ("PUT", "/health"), ("OPTIONS", "/health"), ("POST", "/v1/execute")):
            self.assertEqual(self.server.ask(method, path).headers["X-Content-Type-Options"], "nosniff", path)

    def test_health(self) -> None:
        said = self.server.get("/health").json
        self.assertEqual((said["status"], said["message"]), ("ok", None))
        self.assertGreaterEqual(tuple(map(int, said["version"].split("."))), (0, 4, 0))
        self.assertEqual(said, self.server.get("/ready").json)
        self.assertTrue({"executor_backend", "network_isolation", "glovebox_version"} <= said.keys())

    def test_trailing_slash_is_another_path(self) -> None:
        """FastAPI leads to the path without it; here it is not there."""
        self.assertEqual(self.server.get("/health/").status, 404)

    def test_query_is_ignored(self) -> None:
        self.assertEqual(self.server.get("/health?x=%00&y").status, 200)


class Bodies(ServeCase):
    """Lengths, and what is done with a body that is not wanted."""

    def test_a_body_that_is_not_json_is_told_its_type(self) -> None:
        for kind in ("application/x-www-form-urlencoded", "text/plain"):
            reply = self.server.post("/v1/execute", b"code=1", Content_Type=kind)
            self.assertEqual((reply.status, reply.detail[0]["msg"]), (422, "Content-Type should be application/json"))

    def alive(self, replies: list[Reply]) -> None:
        """Assert that the last reply is that of a program that ran."""
        self.assertEqual((replies[-1].status, replies[-1].json["stdout"]), (200, "42\n"))

    def test_connection_survives_an_error_with_a_body(self) -> None:
        close = b"Connection: close"
        for first in (post(b"x" * 100000), post(RUN, path=b"/nothing"), post(RUN, path=b"/health")):
            with self.subTest(first=first[:30]):
                replies = self.exchange(first + post(RUN, close))
                self.assertIn(replies[0].status, (404, 405, 422))
                if len(replies) == 1:  # or it has been closed: then it says so
                    self.assertEqual(replies[0].headers["Connection"], "close")
                else:
                    self.alive(replies)

    def test_pipelining(self) -> None:
        codes = [json.dumps({"code": f"import time; time.sleep({0.2 - n / 20}); print({n})", "timeout_ms": 30000}) for n in range(4)]
        replies = self.exchange(*[post(code.encode()) for code in codes], post(RUN, b"Connection: close"))
        self.assertEqual([reply.json["stdout"] for reply in replies], ["0\n", "1\n", "2\n", "3\n", "42\n"])

    def test_two_lengths(self) -> None:
        smuggled = post(RUN)
        body = b"0\r\n\r\n" + smuggled
        for lines in (
            (b"Transfer-Encoding: chunked",),
            (b"Content-Length: 5",),
            (b"transfer-encoding: Chunked", b"Content-Length: 0"),
        ):
            with self.subTest(lines=lines):
                replies = self.exchange(post(body, *lines))
                self.assertEqual([reply.status for reply in replies], [400])
        for lines in ((b"Transfer-Encoding: gzip, chunked",), (b"Transfer-Encoding : chunked",), (b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked")):
            with self.subTest(lines=lines):
                head = b"POST /v1/execute HTTP/1.1\r\n" + HOST + b"\r\n".join(lines) + b"\r\n\r\n"
                replies = self.exchange(head + body)
                self.assertTrue(all(reply.status >= 400 for reply in replies), replies)

    def test_lengths_that_are_none(self) -> None:
        for length in (b"-1", b"x", b"0x10", b"99999999999999999999999", b"1,1", b"", b"+5"):
            with self.subTest(length=length):
                replies = self.exchange(b"POST /v1/execute HTTP/1.1\r\n" + HOST + b"Content-Length: " + length + b"\r\n\r\n" + RUN)
                self.assertTrue(all(reply.status >= 400 for reply in replies), replies)

    def test_chunked_bodies(self) -> None:
        head = b"POST /v1/execute HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
        chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in RUN)
        self.alive(self.exchange(head + b"Connection: close\r\n\r\n" + chunks + b"0\r\n\r\n"))
        for bad in (b"x\r\n", b"-1\r\n", b"fffffffffffffffff\r\nx", b"1\r\nab\r\n"):
            with self.subTest(bad=bad):
                self.assertTrue(all(reply.status >= 400 for reply in self.exchange(head + b"\r\n" + bad)))

    def test_more_than_is_taken(self) -> None:
        limit = 16 << 20
        replies = self.exchange(b"POST /v1/execute HTTP/1.1\r\n" + HOST + b"Content-Length: %d\r\n\r\n" % (limit + 1))
        self.assertEqual([reply.status for reply in replies], [413])
        head = b"POST /v1/execute HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        chunk = b"100000\r\n" + b"x" * (1 << 20) + b"\r\n"
        replies = self.exchange(head, *[chunk] * 17, b"0\r\n\r\n")
        self.assertTrue(not replies or replies[0].status == 413, replies)
        self.assertEqual(self.execute("print(1)")["stdout"], "1\n")

    def test_continue(self) -> None:
        """It is said before the body comes, and not to one who is refused."""
        with contextlib.closing(self.server.raw()) as client:
            head, _, body = post(RUN, b"Expect: 100-continue", b"Connection: close").partition(b"\r\n\r\n")
            client.sendall(head + b"\r\n\r\n")
            self.assertTrue(client.recv(1000).startswith(b"HTTP/1.1 100 "))
            client.sendall(body)
            self.assertIn(b"42", client.makefile("rb").read())
        with contextlib.closing(self.server.raw()) as client:
            client.sendall(b"POST /nothing HTTP/1.1\r\n" + HOST + b"Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n")
            self.assertTrue(client.recv(1000).startswith(b"HTTP/1.1 404 "))

    def test_wrong_content_types(self) -> None:
        for kind in ("text/plain", "application/x-www-form-urlencoded", "application/jsonp", "x"):
            with self.subTest(kind=kind):
                self.assertEqual(self.server.ask("POST", "/v1/execute", RUN, {"Content-Type": kind}).status, 422)
        for kind in ("application/json; charset=utf-8", "Application/JSON"):
            with self.subTest(kind=kind):
                self.assertEqual(self.server.ask("POST", "/v1/execute", RUN, {"Content-Type": kind}).status, 200)

    def test_member_that_is_there_twice(self) -> None:
        """Whoever looks at requests before us may take the other one."""
        item = b'{"path":"a","path":"b","file_id":"x"}'
        for body in (b'{"code":"print(1)","code":"print(2)"}', b'{"code":"print(1)","files":[' + item + b"]}"):
            reply = self.server.post("/v1/execute", body)
            self.assertEqual((reply.status, reply.detail[0]["type"]), (422, "duplicate"), body)

    def test_reply_comes_although_the_body_is_not_wanted(self) -> None:
        """A connection that is closed with bytes unread is reset, and takes the reply with it."""
        for path, status in ((b"/nothing", 404), (b"/health", 405)):
            with self.subTest(path=path):
                replies = self.exchange(post(b"x" * 900000, path=path), post(RUN, b"Connection: close"))
                self.assertEqual([reply.status for reply in replies], [status, 200])

    def test_endless_body_is_cut(self) -> None:
        head = b"POST /nothing HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n"
        chunk = b"100000\r\n" + b"x" * (1 << 20) + b"\r\n"
        self.assertEqual(self.exchange(head, *[chunk] * 3), [])


class Nonsense(ServeCase):
    """Requests that are none: the library may wait for more although the client has ended."""

    flags = ("--header-timeout", "2s")

    def test_requests_that_are_none(self) -> None:
        table = (
            b"\r\n\r\n\r\n", b"GET\r\n\r\n", b"GET /health\r\n\r\n", b"GET /health HTTP/9.9\r\n\r\n", b"\0" * 100 + b"\r\n\r\n",
            b"GET /health HTTP/1.1\r\n\r\n", b"GET /health HTTP/1.1\r\nHost: a b\r\n\r\n", b"\x16\x03\x01\x02\0\x01\0\x01\xfc" * 10,
            b"GET /health HTTP/1.1\r\n" + HOST + b"X\r\n\r\n", b"GET /health HTTP/1.1\r\n" + HOST + b": x\r\n\r\n",
            b"GET /health HTTP/1.1\r\n" + HOST + b"A: \x01\r\n\r\n", b"GET /health HTTP/1.1\r\n" + HOST + b"A: x\rB: y\r\n\r\n",
            b"GET /health HTTP/1.1\r\nHost : localhost\r\n\r\n", b"GET /health HTTP/1.1\r\n" + HOST + b"A B: x\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            b"GET http://evil.example/health HTTP/1.1\r\nHost: evil.example\r\n\r\n", b"GET /\xff%zz HTTP/1.1\r\n" + HOST + b"\r\n",
            b"GET /v1/files/%00 HTTP/1.1\r\n" + HOST + b"\r\n", b"GET /v1/files/% HTTP/1.1\r\n" + HOST + b"\r\n",
        )  # fmt: skip
        for request in table:
            with self.subTest(request=request[:60]), contextlib.closing(self.server.raw()) as client:
                client.sendall(request)
                client.shutdown(socket.SHUT_WR)
                with contextlib.suppress(ConnectionResetError):
                    said = client.makefile("rb").read()
                    self.assertTrue(not said or said.startswith((b"HTTP/1.1 4", b"HTTP/1.0 4", b"HTTP/1.1 505")), said)
        self.assertEqual(self.server.get("/health").status, 200)


class Broken(ServeCase):
    """Requests that could be understood in two ways, and clients that stop."""

    def test_headers_that_go_on_elsewhere(self) -> None:
        """What follows is a header for one reader, and a request for another."""
        for line in (b"A: \0", b"A\0: x", b"A: x\0B: y", b"A: x\r\n y", b"A: x\r\n\ty", b": x", b"X: y\r\n: x", b" X: y"):
            for before, behind in ((b"B: y\r\n", b""), (b"", b"\r\nB: y"), (b"", b"\r\nContent-Length: 5")):
                with self.subTest(line=line, behind=behind):
                    head = b"GET /health HTTP/1.1\r\n" + HOST + before + line + behind + b"\r\n\r\n"
                    replies = self.exchange(head + b"GET /health HTTP/1.1\r\nConnection: close\r\n" + HOST + b"\r\n")
                    self.assertEqual([reply.status for reply in replies], [400])

    def test_headers_that_come_in_pieces(self) -> None:
        """They are moved while they are read, and are whole in the end."""
        lines = b"".join(b"X-%d: %s\r\n" % (n, b"y" * n * 4) for n in range(70))
        request = b"GET /health HTTP/1.1\r\n" + HOST + lines + b"X:y\r\nZ:  \ty\r\nEmpty:\r\n\r\n"
        with contextlib.closing(self.server.connection()) as client:
            client.connect()
            for size in (1, 7, 500, 10000, 1):
                step = max(size, len(request) // 200)
                for at in range(0, len(request), step):
                    client.sock.sendall(request[at : at + step])
                response = http.client.HTTPResponse(client.sock)
                response.begin()
                self.assertEqual((response.status, response.read()[:9]), (200, b'{"status"'))

    def test_headers_that_are_there_twice(self) -> None:
        table = (
            (HOST, b"host: localhost\r\n"), (b"Origin: http://localhost\r\n", b"Origin: http://evil.example\r\n"),
            (b"Authorization: Bearer a\r\n", b"Authorization: Bearer b\r\n"), (b"Content-Length: 0\r\n",) * 2,
            (b"Content-Type: application/json\r\n", b"Content-type: text/plain\r\n"), (b"Transfer-Encoding: chunked\r\n",) * 2,
        )  # fmt: skip
        for first, second in table:
            with self.subTest(first=first):
                others = first + second if first == HOST else HOST + first + second
                replies = self.exchange(b"GET /health HTTP/1.1\r\n" + others + b"\r\nGET /health HTTP/1.1\r\n\r\n")
                self.assertEqual([reply.status for reply in replies], [400])
                self.assertEqual(replies[0].headers["Connection"], "close")

    def test_oversized_headers(self) -> None:
        for head in (b"A: " + b"x" * 100000, b"\r\n".join(b"A%d: x" % n for n in range(10000))):
            replies = self.exchange(b"GET /health HTTP/1.1\r\n" + HOST + head + b"\r\n\r\n")
            self.assertTrue(all(reply.status in (431, 413, 400) for reply in replies), replies)
        replies = self.exchange(b"GET /" + b"x" * 100000 + b" HTTP/1.1\r\n" + HOST + b"\r\n")
        self.assertTrue(all(reply.status in (414, 431) for reply in replies), replies)
        self.assertEqual(self.server.get("/health", X="y" * 8000).status, 200)

    def test_half_open_connections(self) -> None:
        """Two hundred that say half of something keep nobody from being served."""
        halves = (b"", b"GET", b"GET /health HTTP/1.1\r\n", post(RUN)[:-5], post(RUN)[:60])
        with contextlib.ExitStack() as clients:
            for number in range(200):
                client = clients.enter_context(contextlib.closing(self.server.raw()))
                client.sendall(halves[number % len(halves)])
            self.assertEqual(self.execute("print(1)")["stdout"], "1\n")
        self.assertEqual(self.execute("print(1)")["stdout"], "1\n")

    def test_clients_that_leave_in_a_body(self) -> None:
        body, kind = form("x", b"y" * 300000)
        head = b"POST /v1/files HTTP/1.1\r\n" + HOST + f"Content-Type: {kind['Content-Type']}\r\n".encode()
        for request in (head + b"Content-Length: %d\r\n\r\n" % len(body) + body[:200000], post(RUN)[:-1]):
            with contextlib.closing(self.server.raw()) as client:
                client.sendall(request)
        self.assertEqual(self.server.get("/v1/files").json, {"files": []})


class Stuck(ServeCase):
    """A line of chunks that has no end: the library of Debian 12 keeps it, and asks to be run again for ever."""

    flags = ("--stall-timeout", "1000s", "--header-timeout", "1000s")
    LINE = b"POST /v1/%s HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2;a="

    def is_calm(self) -> bool:
        """Say whether the server has used no CPU time for a while."""
        before = ticks(self.server.process.pid)
        time.sleep(0.3)
        return ticks(self.server.process.pid) - before <= 2

    def test_connection_is_closed(self) -> None:
        for route in (b"execute", b"nowhere"):
            with self.subTest(route=route), contextlib.closing(self.server.raw()) as client:
                client.settimeout(DEADLINE)
                with contextlib.suppress(ConnectionError):
                    client.sendall(self.LINE % route + b"x" * 60000)
                    while client.recv(65536):
                        pass
        self.assertTrue(wait_until(self.is_calm))

    def test_client_that_leaves(self) -> None:
        with contextlib.closing(self.server.raw()) as client, contextlib.suppress(ConnectionError):
            client.sendall(self.LINE % b"execute" + b"x" * 60000)
        self.assertTrue(wait_until(self.is_calm))
        self.assertEqual(self.execute("print(1)")["stdout"], "1\n")

    def test_long_body_that_comes_slowly_is_taken(self) -> None:
        code = json.dumps({"code": "#" + "x" * 200000 + "\nprint(6 * 7)"}).encode()
        with contextlib.closing(self.server.raw()) as client:
            client.settimeout(DEADLINE)
            client.sendall(self.LINE[:-4] % b"execute")
            for at in range(0, len(code), 7000):
                piece = code[at : at + 7000]
                client.sendall(b"%x;a=b\r\n" % len(piece) + piece + b"\r\n")
            client.sendall(b"0\r\n\r\n")
            reply = http.client.HTTPResponse(client)
            reply.begin()
            self.assertIn(b'"stdout":"42\\n"', reply.read().replace(b": ", b":"))


class Origins(ServeCase):
    """Web pages are clients, too."""

    flags = ("--cors", "https://chat.example.org", "--allow-host", "box.example.org")

    def test_foreign_hosts(self) -> None:
        for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", "[::2]"):
            for method, path in (("GET", "/health"), ("POST", "/v1/execute"), ("GET", "/v1/files"), ("OPTIONS", "/nothing")):
                with self.subTest(host=host, path=path):
                    self.assertEqual(self.server.ask(method, path, headers={"Host": host}).status, 403)
        for host in ("localhost", "localhost:1", "LOCALHOST", "127.0.0.1", "[::1]:8000", "box.example.org"):
            self.assertEqual(self.server.get("/health", Host=host).status, 200, host)
        for host in ("a b", "a/b", "", "[::1", "x:99999"):
            self.assertEqual(self.server.get("/health", Host=host).status, 400, host)

    def test_foreign_pages_change_nothing(self) -> None:
        body, kind = form("x", b"y")
        for origin in ("https://evil.example", "null", "http://localhost:1", "http://chat.example.org", "https://chat.example.org.evil", "x"):
            with self.subTest(origin=origin):
                from_there = {"Origin": origin}
                self.assertEqual(self.server.ask("POST", "/v1/execute", RUN, JSON | from_there).status, 403)
                self.assertEqual(self.server.ask("POST", "/v1/execute", RUN, {"Content-Type": "text/plain"} | from_there).status, 403)
                self.assertEqual(self.server.ask("POST", "/v1/files", body, kind | from_there).status, 403)
                self.assertEqual(self.server.delete("/v1/files/x", Origin=origin).status, 403)
                reply = self.server.get("/health", Origin=origin)
                self.assertEqual((reply.status, reply.headers["Access-Control-Allow-Origin"]), (200, None))
        self.assertEqual(self.server.get("/v1/files").json, {"files": []})

    def test_own_pages_and_those_that_are_allowed(self) -> None:
        own = f"http://127.0.0.1:{self.server.port}"
        self.assertEqual(self.server.post("/v1/execute", RUN, Origin=own).status, 200)
        reply = self.server.post("/v1/execute", RUN, Origin="https://chat.example.org")
        self.assertEqual((reply.status, reply.headers["Access-Control-Allow-Origin"]), (200, "https://chat.example.org"))
        self.assertEqual(reply.headers["Vary"], "Origin")

    def test_preflight(self) -> None:
        asks = {"Origin": "https://chat.example.org", "Access-Control-Request-Method": "POST"}
        reply = self.server.ask("OPTIONS", "/v1/execute", headers=asks)
        self.assertEqual((reply.status, reply.headers["Access-Control-Allow-Origin"]), (204, asks["Origin"]))
        self.assertIn("POST", reply.headers["Access-Control-Allow-Methods"])
        self.assertIn("Content-Type", reply.headers["Access-Control-Allow-Headers"])
        reply = self.server.ask("OPTIONS", "/v1/execute", headers=asks | {"Origin": "https://evil.example"})
        self.assertIsNone(reply.headers["Access-Control-Allow-Origin"])


class UnixSocket(ServeCase):
    """A server on a socket in the file system."""

    def test_it_serves_and_leaves_nothing(self) -> None:
        server = self.start_server(listen="unix:FOLDER/socket").wait_ready()
        self.assertEqual(server.post("/v1/execute", RUN).json["stdout"], "42\n")
        self.assertEqual((server.folder / "socket").stat().st_mode & 0o777, 0o600)
        self.assertEqual(server.get("/health", Host="anything.example").status, 200)
