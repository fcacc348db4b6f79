"""--audit: a line for each execution, and no execution without its line."""

import contextlib
import hashlib
import json
import os
import re
import resource
import signal
from pathlib import Path
from typing import Any

from support.host_python import make_python
from support.mcp_http import McpHttp
from support.messages import sentence
from support.run import glovebox
from support.serve import ServeCase, Server, add_key
from support.times import wait_until

NO_LINE = sentence("account_refuse")


def lines(path: Path, event: str = "execution") -> list[dict[str, Any]]:
    """Return the lines of one event; each line is one of JSON."""
    text = path.read_text("ascii")
    assert not text or text.endswith("\n"), text
    found = [json.loads(line) for line in text.splitlines()]
    return [line for line in found if line["event"] == event]


class AuditCase(ServeCase):
    """A server of each test with an audit in its folder."""

    audit: Path

    def start_audited(self, *flags: str) -> Server:
        """Start it."""
        self.audit = self.folder / "audit"
        return self.start_server("--audit", str(self.audit), *flags).wait_ready()

    def run_on(self, server: Server, code: str = "print(1)", **headers: str) -> int:
        """Run something; return the status."""
        return server.post("/v1/execute", {"code": code, "timeout_ms": 30000}, **headers).status


class Lines(AuditCase):
    """What stands in them."""

    def test_one_for_each_execution(self) -> None:
        server = self.start_audited("--memory", "300m", "--pids-limit", "40")
        self.assertEqual(self.audit.stat().st_mode & 0o777, 0o600)
        code = "import sys; print('\u20ac'); sys.exit(3)"
        self.assertEqual(self.run_on(server, code, X_Request_ID="mine"), 200)
        (line,) = lines(self.audit)
        self.assertRegex(line.pop("time"), r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z")
        self.assertGreater(line.pop("memory_peak_bytes"), 0)
        self.assertGreaterEqual(line.pop("cpu_ms"), 0)
        self.assertGreaterEqual(line.pop("duration_ms"), 0)
        self.assertEqual(line, {
            "event": "execution", "request_id": "mine", "key": "local", "key_id": "local", "operation": "execute",
            "code_sha256": hashlib.sha256(code.encode()).hexdigest(), "image": "host:latest", "image_digest": "host",
            "limits": {"memory_bytes": 300 << 20, "pids": 40, "cpus_milli": 1000, "cpu_time_ms": line["limits"]["cpu_time_ms"],
                       "wall_time_ms": 30000, "output_bytes": 1000000},
            "verdict": "exited", "exit_code": 3,
        })  # fmt: skip

    def test_only_what_ran_has_one(self) -> None:
        server = self.start_audited()
        server.get("/v1/files")
        self.assertEqual(server.post("/v1/execute", {"code": 1}).status, 422)
        self.assertEqual(server.post("/v1/execute", {"code": "1", "timeout_ms": 10**9}).status, 422)
        self.assertEqual(lines(self.audit), [])
        (opened,) = lines(self.audit, "opened")
        self.assertEqual((opened["pid"], opened["image_digest"]), (server.process.pid, "host"))

    def test_streams_timeouts_and_those_who_leave(self) -> None:
        server = self.start_audited()
        with server.stream(code="print(1)") as stream:
            list(stream)
        server.post("/v1/execute", {"code": "import time; time.sleep(3600)", "timeout_ms": 200})
        with server.stream(code="import time; print(1, flush=True); time.sleep(3600)", timeout_ms=60000) as stream:
            next(iter(stream))
            stream._response.close()  # noqa: SLF001
        self.assertTrue(wait_until(lambda: len(lines(self.audit)) == 3))
        said = [(line["operation"], line["verdict"]) for line in lines(self.audit)]
        self.assertEqual(said, [("execute_stream", "exited"), ("execute", "wall_time"), ("execute_stream", "cancelled")])

    def test_whose_it_was(self) -> None:
        keys = self.folder / "keys.json"
        token = add_key(keys, "alice")
        server = self.start_audited("--keys", str(keys))
        self.assertEqual(self.run_on(server, Authorization=f"Bearer {token}"), 200)
        (line,) = lines(self.audit)
        self.assertEqual((line["key"], line["key_id"]), ("alice", hashlib.sha256(token.encode()).hexdigest()))
        self.assertNotIn(token, self.audit.read_text())

    def test_it_is_added_to(self) -> None:
        first = self.start_audited()
        self.run_on(first)
        first.stop()
        second = self.start_audited()
        self.run_on(second)
        self.assertEqual((len(lines(self.audit)), len(lines(self.audit, "opened"))), (2, 2))


class Image(AuditCase):
    """Which image something ran in."""

    def test_digest_of_an_image(self) -> None:
        make_python(self.folder / "python.tar")
        store = {"GLOVEBOX_IMAGES": str(self.folder / "images")}
        self.assert_status(glovebox("image", "import", self.folder / "python.tar", "mine", env=store))
        (id_,) = [row["id"] for row in json.loads(glovebox("image", "ls", "--json", env=store).out) if row["reference"].startswith("mine:")]
        below = ["env", f"GLOVEBOX_IMAGES={store['GLOVEBOX_IMAGES']}"]
        self.audit = self.folder / "audit"
        server = self.start_server("--image", "mine", "--trust-image", "--audit", str(self.audit), below=below).wait_ready()
        self.assertEqual(self.run_on(server), 200)
        path = "/v1/sessions/" + server.post("/v1/sessions", {}).json["session_id"]
        self.assertEqual(server.post(f"{path}/python", {"code": "1"}).status, 200)
        said = {(line["image"], line["image_digest"]) for line in [*lines(self.audit), *lines(self.audit, "opened")]}
        self.assertEqual(said, {("mine:latest", id_)})
        self.assertRegex(id_, r"\A(sha256:)?[0-9a-f]{12,}\Z")


class Sessions(AuditCase):
    """A session and each call in it have lines, too."""

    def test_lines(self) -> None:
        server = self.start_audited("--memory", "300m")
        name = server.post("/v1/sessions", {"limits": {"memory": "200m"}}, X_Request_ID="begin").json["session_id"]
        path = f"/v1/sessions/{name}"
        server.post(f"{path}/python", {"code": "raise SystemExit(3)", "timeout_ms": 20000}, X_Request_ID="python")
        server.post(f"{path}/bash", {"cmd": "sleep 100", "timeout_ms": 300}, X_Request_ID="bash")
        with server.stream(f"{path}/python/stream", code="import os; os._exit(5)") as stream:
            list(stream)
        server.post(f"{path}/python", {"code": "it is gone"})
        begun, python, bash, last = lines(self.audit)
        self.assertEqual({line["session"] for line in (begun, python, bash, last)}, {name})
        self.assertEqual([(line["operation"], line["verdict"]) for line in (begun, python, bash, last)], [
            ("session_create", None), ("session_python", "exited"), ("session_bash", "wall_time"), ("session_python", "signalled"),
        ])  # fmt: skip
        self.assertEqual((begun["code_sha256"], begun["limits"]["memory_bytes"], "error" in begun), (None, 200 << 20, False))
        self.assertEqual((python["code_sha256"], python["exit_code"]), (hashlib.sha256(b"raise SystemExit(3)").hexdigest(), 3))
        self.assertEqual(python["limits"], {"wall_time_ms": 20000, "output_bytes": 1000000})
        self.assertEqual(python.keys() & {"cpu_ms", "memory_peak_bytes"}, set())
        self.assertEqual(bash["code_sha256"], hashlib.sha256(b"sleep 100").hexdigest())

    def test_one_that_leaves(self) -> None:
        server = self.start_audited()
        path = "/v1/sessions/" + server.post("/v1/sessions", {}).json["session_id"]
        with server.stream(f"{path}/python/stream", code="print(1, flush=True)\nwhile True: pass", timeout_ms=60000) as stream:
            next(iter(stream))
            stream._response.close()  # noqa: SLF001
        self.assertTrue(wait_until(lambda: len(lines(self.audit)) == 2))
        self.assertEqual(lines(self.audit)[1]["verdict"], "cancelled")

    def test_what_cannot_be_written_down_is_not_run(self) -> None:
        server = self.start_audited()
        path = "/v1/sessions/" + server.post("/v1/sessions", {}).json["session_id"]
        self.audit.unlink()
        self.audit.mkdir()
        for where, body in ((f"{path}/python", {"code": "open('ran', 'w')"}), (f"{path}/python/stream", {"code": "open('ran', 'w')"}),
                            (f"{path}/bash", {"cmd": "touch ran"}), ("/v1/sessions", {})):  # fmt: skip
            with self.subTest(where=where):
                reply = server.post(where, body)
                self.assertEqual(reply.status, 503, reply)
                self.assertIn(NO_LINE, reply.detail)
        self.assertEqual(server.get(f"{path}/files").json["files"], [])
        self.assertEqual(len(server.get("/v1/sessions").json["sessions"]), 1)
        self.audit.rmdir()
        self.assertEqual(server.post(f"{path}/bash", {"cmd": "true"}).status, 200)

    def test_results_without_a_line_are_withheld(self) -> None:
        server = self.start_audited()
        path = "/v1/sessions/" + server.post("/v1/sessions", {}).json["session_id"]
        most = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
        for where, body in ((f"{path}/python", {"code": "42"}), ("/v1/sessions", {})):
            with self.subTest(where=where):
                resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (self.audit.stat().st_size + 10, most[1]))
                reply = server.post(where, body)
                self.assertEqual((reply.status, b"42" in reply.body), (503, False), reply)
                resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, most)
                self.assertEqual(self.run_on(server), 200)
        self.assertTrue(wait_until(lambda: len(server.get("/v1/sessions").json["sessions"]) == 1), "nobody has the name of the other")

    def test_a_stream_without_a_line_ends_with_an_error(self) -> None:
        server = self.start_audited()
        path = "/v1/sessions/" + server.post("/v1/sessions", {}).json["session_id"]
        most = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (self.audit.stat().st_size + 10, most[1]))
        with server.stream(f"{path}/python/stream", code="6 * 7") as stream:
            self.assertEqual(list(stream), [("error", {"message": NO_LINE})])


class NoLine(AuditCase):
    """What cannot be written down is not run."""

    def spawned(self, server: Server) -> bytes:
        """Return how many programs have begun."""
        found = re.search(rb"\nglovebox_spawn_seconds_count (\d+)\n", server.get("/metrics").body)
        assert found
        return found[1]

    def refused(self, server: Server) -> None:
        """Assert that nothing is run."""
        before = self.spawned(server)
        reply = server.post("/v1/execute", {"code": "1"})
        self.assertEqual(reply.status, 503, reply)
        self.assertIn(NO_LINE, reply.detail)
        self.assertNotIn(str(self.audit), reply.detail)
        self.assertTrue(reply.headers["Retry-After"])
        with contextlib.closing(server.connection()) as client:
            client.request("POST", "/v1/execute/stream", json.dumps({"code": "1"}), {"Content-Type": "application/json"})
            self.assertEqual(client.getresponse().status, 503)
        self.assertEqual(self.spawned(server), before)

    def test_a_server_without_its_file_does_not_start(self) -> None:
        for path in ("/dev/full", str(self.folder), "/nowhere/audit"):
            with self.subTest(path=path):
                server = self.start_server("--audit", path)
                self.assertEqual(server.end(), 125)
                self.assertTrue(any(path in line for line in server.said), server.said)

    def test_rotation(self) -> None:
        server = self.start_audited()
        self.run_on(server, X_Request_ID="first")
        old = self.audit.rename(self.folder / "audit.1")
        self.run_on(server, X_Request_ID="second")
        server.process.send_signal(signal.SIGHUP)
        self.assertTrue(wait_until(self.audit.exists))
        self.run_on(server, X_Request_ID="third")
        self.assertEqual([line["request_id"] for line in lines(old)], ["first", "second"])
        self.assertEqual([line["request_id"] for line in lines(self.audit)], ["third"])

    def test_a_file_that_was_removed_is_made_anew(self) -> None:
        server = self.start_audited()
        self.audit.unlink()
        self.run_on(server, X_Request_ID="after")
        self.assertEqual([line["request_id"] for line in lines(self.audit)], ["after"])

    def test_a_file_that_cannot_be_made_anew(self) -> None:
        server = self.start_audited()
        self.audit.unlink()
        self.audit.mkdir()
        self.refused(server)
        self.assertTrue(wait_until(lambda: any(str(self.audit) in line for line in server.said)), server.said)
        self.assertIn(b'reason="audit"} 1\n', server.get("/metrics").body)
        self.assertEqual(server.get("/health").status, 200)
        self.audit.rmdir()
        self.assertEqual(self.run_on(server), 200)
        self.assertEqual(len(lines(self.audit)), 1)

    def test_calls_of_mcp_are_no_exception(self) -> None:
        server = self.start_audited()
        client = McpHttp(server)
        handle = client.run("1")["session"]
        most = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (self.audit.stat().st_size + 10, most[1]))
        for code in ("ran = 42; ran", "nor = ran"):
            result = client.use("execute_python", code=code, session=handle)
            self.assertEqual((result["isError"], result["content"]), (True, [{"type": "text", "text": NO_LINE}]))
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, most)
        self.assertEqual(client.run("ran, 'nor' in globals()", session=handle)["value"], "(42, False)")

    def test_a_line_that_does_not_fit(self) -> None:
        """The result is withheld, nothing runs from then on, and the record says what it lacks."""
        server = self.start_audited()
        most = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (self.audit.stat().st_size + 10, most[1]))
        reply = server.post("/v1/execute", {"code": "print(42)"})
        self.assertEqual((reply.status, b"42" in reply.body), (503, False))
        self.refused(server)
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, most)
        self.assertEqual(self.run_on(server, X_Request_ID="again"), 200)
        torn = [line for line in self.audit.read_text().splitlines() if not line.endswith("}")]
        self.assertEqual([len(line) for line in torn], [10])
        whole = [json.loads(line) for line in self.audit.read_text().splitlines() if line not in torn]
        self.assertEqual([line["event"] for line in whole], ["opened", "resumed", "execution"])
        self.assertEqual((whole[1]["lost"], whole[2]["request_id"]), (1, "again"))

    def test_fifos_that_nobody_reads(self) -> None:
        os.mkfifo(self.folder / "fifo")
        server = self.start_server("--audit", str(self.folder / "fifo"))
        self.assertEqual(server.end(), 125)
