"""/v1/execute/stream: events as they come, and clients that leave."""

import contextlib
import http.client
import json
import socket
import struct
import time
from typing import Any

from support.bystander import Bystander
from support.processes import marked
from support.serve import JSON, ServeCase, Server
from support.times import wait_until

WAITS = "import time\nprint('began', flush=True)\ntime.sleep(3600)"


class Events(ServeCase):
    """The grammar of a stream, and what is in it."""

    flags = ("--max-output", "5000", "--max-timeout", "7200000")

    def text(self, code: str, name: str = "stdout", **members: Any) -> tuple[str, dict[str, Any]]:
        """Run a program; return all of its output, and the result."""
        with self.server.stream(code=code, **{"timeout_ms": 30000, **members}) as stream:
            self.assertEqual(stream.status, 200)
            return stream.text(name), stream.result

    def test_headers(self) -> None:
        with self.server.stream(code="1") as stream:
            self.assertEqual(stream.headers["Content-Type"], "text/event-stream; charset=utf-8")
            self.assertEqual(stream.headers["Cache-Control"], "no-cache")
            self.assertEqual(stream.headers["X-Accel-Buffering"], "no")
            list(stream)

    def test_result_is_last_and_alone(self) -> None:
        with self.server.stream(code="import sys\nprint(1)\nsys.exit(3)") as stream:
            events = list(stream)
        self.assertEqual([kind for kind, _ in events], ["output"] * (len(events) - 1) + ["result"])
        result = events[-1][1]
        self.assertEqual((result["exit_code"], result["timed_out"], result["files"]), (3, False, []))
        self.assertFalse({"stdout", "stderr"} & result.keys())
        self.assertIs(type(result["duration_ms"]), int)

    def test_silent_program_has_a_result_only(self) -> None:
        with self.server.stream(code="x = 1") as stream:
            self.assertEqual([kind for kind, _ in stream], ["result"])

    def test_both_streams(self) -> None:
        code = "import sys\nprint('out')\nprint('err', file=sys.stderr)\n5"
        self.assertEqual(self.text(code)[0], "out\n5\n")
        self.assertEqual(self.text(code, "stderr")[0], "err\n")

    def test_headers_come_before_the_first_output(self) -> None:
        with self.server.stream(code="import time; time.sleep(3600)", timeout_ms=7200000) as stream:
            self.assertEqual(stream.status, 200)

    def test_output_comes_as_it_is_written(self) -> None:
        with self.server.stream(code=WAITS, timeout_ms=7200000) as stream:
            self.assertEqual(next(iter(stream))[1]["data"].rstrip("\n"), "began")

    def test_a_line_and_its_end_are_one_event(self) -> None:
        """print() writes them apart. One of many is enough: other programs may come between the two."""
        code = "import os, time\nfor i in range(40):\n    os.write(1, b'%d' % i)\n    time.sleep(0.002)\n    os.write(1, b'\\n')\n    time.sleep(0.03)"
        with self.server.stream(code=code, timeout_ms=30000) as stream:
            parts = [data["data"] for kind, data in stream if kind == "output"]
        self.assertEqual("".join(parts), "".join(f"{i}\n" for i in range(40)))
        self.assertTrue([part for part in parts if len(part) > 1 and part.endswith("\n")], parts)

    def test_what_has_no_end_comes_too(self) -> None:
        code = "import os, time\nos.write(2, b'more? ')\nos.write(1, b'out')\ntime.sleep(3600)"
        with self.server.stream(code=code, timeout_ms=7200000) as stream:
            events = iter(stream)
            self.assertEqual({next(events)[1]["data"], next(events)[1]["data"]}, {"more? ", "out"})

    def test_characters_are_whole(self) -> None:
        """However they were written; what is none is replaced, also at the end."""
        code = "import os, time\nfor b in '\U0001f600é\u2028'.encode():\n    os.write(1, bytes([b]))\n    time.sleep(0.05)\nos.write(1, b'\\xff\\x00\\xe2\\x82')\nNone"
        with self.server.stream(code=code, timeout_ms=30000) as stream:
            parts = [data["data"] for kind, data in stream if kind == "output"]
        self.assertEqual("".join(parts), "\U0001f600é\u2028\ufffd\0\ufffd")
        self.assertFalse([p for p in parts[:-2] if "\ufffd" in p], parts)

    def test_cut_without_a_mark(self) -> None:
        text, result = self.text("print('x' * 20000)")
        self.assertEqual(text, "x" * 5000)
        self.assertEqual((result["truncated"], result["exit_code"]), (True, 0))

    def test_timeout(self) -> None:
        text, result = self.text("import time\nprint('early')\nopen('kept', 'w').write('x')\ntime.sleep(60)", timeout_ms=1000)
        self.assertEqual((text, result["timed_out"], result["exit_code"]), ("early\n", True, None))
        self.assertEqual([f["path"] for f in result["files"]], ["kept"])

    def test_files_come_out(self) -> None:
        _, result = self.text("open('a.txt', 'w').write('abc'); None")
        (file,) = result["files"]
        self.assertEqual((file["path"], file["kind"]), ("a.txt", "file"))
        self.assertEqual(self.server.get(f"/v1/files/{file['file_id']}").body, b"abc")

    def test_errors_before_the_stream_are_json(self) -> None:
        table = (
            (422, b"{"), (422, b"{}"), (422, b'{"code":"1","timeout_ms":7200001}'),
            (404, b'{"code":"1","files":[{"path":"a","file_id":"x"}]}'),
        )  # fmt: skip
        for status, body in table:
            with self.subTest(body=body):
                reply = self.server.post("/v1/execute/stream", body)
                self.assertEqual((reply.status, reply.headers["Content-Type"]), (status, "application/json"))
        id_ = self.uploaded("a", b"x")
        body = {"code": "1", "files": [{"path": "../a", "file_id": id_}]}
        self.assertEqual(self.server.post("/v1/execute/stream", body).status, 422)

    def test_connection_lives_on(self) -> None:
        with contextlib.closing(self.server.connection()) as client:
            for number in range(3):
                body = json.dumps({"code": f"print({number})"})
                client.request("POST", "/v1/execute/stream", body, JSON)
                text = client.getresponse().read().decode()
                self.assertIn(f'"{number}', text)
                self.assertTrue(text.endswith("\n\n"))

    def test_much_output_to_a_slow_reader(self) -> None:
        """It is not kept in memory without a limit: what a stream may have is all there is."""
        with self.server.stream(code="print('é' * 2000000)", timeout_ms=30000) as stream:
            time.sleep(0.3)
            self.assertEqual(stream.text("stdout"), "é" * 2500)


class Leaving(ServeCase):
    """A client that has left: its program ends."""

    flags = ("--max-timeout", "7200000", "--timeout", "2h", "--max-runs", "2", "--queue", "1h")

    def assert_place_is_free(self, server: Server) -> None:
        """Both places are free again: each program of two gets one, at once."""
        began = time.monotonic()
        for _ in range(2):
            reply = server.post("/v1/execute", {"code": "1", "timeout_ms": 30000})
            self.assertEqual(reply.status, 200)
        self.assertLess(time.monotonic() - began, 30)

    def body(self, mark: str, *, floods: bool = False) -> str:
        """Return a request: a program with a child that has a mark, and that does not end by itself."""
        code = f"import subprocess\nsubprocess.Popen(['sleep', '{mark}'])\n"
        code += "while True: print('x' * 60000)" if floods else WAITS
        return json.dumps({"code": code, "timeout_ms": 7200000})

    def begin(self, mark: str, path: str = "/v1/execute", **options: Any) -> http.client.HTTPConnection:
        """Begin a program on a connection of its own, and wait until it runs."""
        client = self.server.connection()
        self.addCleanup(client.close)
        client.request("POST", path, self.body(mark, **options), JSON)
        self.assertTrue(wait_until(lambda: marked(mark), 30), "it runs")
        return client

    def assert_ends(self, mark: str) -> None:
        """Assert that the program is gone within two seconds, beside what the machine itself takes."""
        began = time.monotonic()
        with Bystander() as bystander:
            self.assertTrue(wait_until(lambda: not marked(mark), 60), "the program still runs")
            took = time.monotonic() - began
        self.assertLess(bystander.beyond(took), 2, f"a bystander took {bystander.worst_s:.2f} s")

    def test_of_a_run_and_of_a_stream(self) -> None:
        for number, path in enumerate(("/v1/execute/stream", "/v1/execute")):
            with self.subTest(path=path):
                mark = f"90000{number}.25"
                self.begin(mark, path).close()
                self.assert_ends(mark)
        self.assert_place_is_free(self.server)

    def test_by_a_reset(self) -> None:
        client = self.begin("900002.25")
        assert client.sock
        client.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        self.assert_ends("900002.25")
        self.assert_place_is_free(self.server)

    def test_while_it_waits_for_a_place(self) -> None:
        first = [self.begin(f"90000{number}.25") for number in (3, 4)]
        third = self.server.connection()
        third.request("POST", "/v1/execute", self.body("900005.25"), JSON)
        time.sleep(0.2)
        third.close()
        for client in first:
            client.close()
        self.assert_place_is_free(self.server)
        self.assertEqual(marked("900005.25"), [])

    def test_in_the_middle_of_a_flood(self) -> None:
        """A stream that nobody reads, and then nobody has."""
        client = self.begin("900006.25", "/v1/execute/stream", floods=True)
        client.getresponse().read(100)
        client.close()
        self.assert_ends("900006.25")
        self.assert_place_is_free(self.server)
