"""/mcp on `glovebox serve`: who cancels, who leaves, whose a session is, and what a key may have."""

import hashlib
import json
from http.client import HTTPConnection
from typing import Any, ClassVar

from support.mcp import HANDSHAKES, MODERN
from support.mcp_http import McpHttp, McpHttpCase, take
from support.messages import message
from support.serve import Server, ServeCase, add_key
from support.times import wait_until

SLEEPS = "import time\nprint('begun', flush=True)\nkept = 1\nfor _ in range(100000): time.sleep(0.01)"
STUBBORN = """import time
print('begun', flush=True)
while True:
    try:
        time.sleep(3600)
    except BaseException:
        pass"""


def wait_for(client: HTTPConnection, words: str) -> None:
    """Read a stream until an event has these words."""
    response = client.getresponse()
    assert response.headers["Content-Type"] == "text/event-stream", response.read()
    while words.encode() not in (line := response.readline()):
        assert line, "it has ended"


class LeaveCase(McpHttpCase):
    """Calls that run when their client says no more."""

    def begun(self, client: McpHttp, handle: str, code: str = SLEEPS) -> dict[str, Any]:
        """Return a call that tells when it runs."""
        return client.tool("execute_python", {"progressToken": 1}, code=code, session=handle)

    def is_busy(self, handle: str) -> bool:
        """Whether something runs in a session."""
        (one,) = [one for one in self.server.get("/v1/sessions").json["sessions"] if one["session_id"] == handle]
        return one["busy"]


class Cancelled(LeaveCase):
    """Cancelling really ends what runs."""

    def test_closing_the_stream_is_cancelling(self) -> None:
        handle = self.mcp.run("1")["session"]
        with self.mcp.under_way(self.begun(self.mcp, handle)) as client:
            wait_for(client, "begun")
        self.assertEqual(self.mcp.run("kept", session=handle)["value"], "1")

    def test_closing_before_there_is_a_stream(self) -> None:
        handle = self.mcp.run("1")["session"]
        message = self.mcp.tool("execute_python", code=SLEEPS, session=handle)
        with self.mcp.under_way(message):
            self.assertTrue(wait_until(lambda: self.is_busy(handle)))
        self.assertTrue(wait_until(lambda: not self.is_busy(handle)))
        self.assertEqual(self.mcp.run("1", session=handle)["new_session"], False)

    def test_what_cannot_be_interrupted_is_killed(self) -> None:
        handle = self.mcp.run("1")["session"]
        with self.mcp.under_way(self.begun(self.mcp, handle, STUBBORN)) as client:
            wait_for(client, "begun")
        there = lambda: [one["session_id"] for one in self.server.get("/v1/sessions").json["sessions"]]  # noqa: E731
        self.assertTrue(wait_until(lambda: handle not in there()))
        self.assertRegex(self.mcp.use("execute_python", code="1", session=handle)["content"][0]["text"], message("mcp_session_absent"))

    def test_who_leaves_a_queue_is_gone(self) -> None:
        server = self.start_server("--max-runs", "1", "--queue", "100s").wait_ready()
        mcp = McpHttp(server)
        handle = mcp.run("1")["session"]
        with mcp.under_way(self.begun(mcp, handle)) as first:
            wait_for(first, "begun")
            with mcp.under_way(mcp.tool("execute_python", code="open('second', 'w')", session=handle)):
                pass
            with mcp.under_way(mcp.tool("execute_python", code="1")):
                pass
        found = mcp.run("import os; os.listdir()", session=handle)
        self.assertEqual(found["value"], "[]")

    def test_a_notification_cancels_where_there_is_a_handshake(self) -> None:
        for version in HANDSHAKES:
            with self.subTest(version=version):
                one, other = McpHttp(self.server, version).begin(), McpHttp(self.server, version).begin()
                handle = self.mcp.run("1")["session"]
                message = self.begun(one, handle)
                with one.under_way(message) as client:
                    wait_for(client, "begun")
                    nobody = McpHttp(self.server, version)
                    for stranger in (other, self.mcp, nobody):
                        self.assertEqual(stranger.cancel(message).status, 202)
                    self.assertEqual(one.cancel(message | {"id": str(message["id"])}).status, 202)
                    self.assertTrue(self.is_busy(handle))
                    self.assertEqual(one.cancel(message).status, 202)
                    self.assertTrue(wait_until(lambda: not self.is_busy(handle)))  # noqa: B023
                self.assertEqual(self.mcp.run("kept", session=handle)["value"], "1")

    def test_what_is_cancelled_is_not_answered(self) -> None:
        one = McpHttp(self.server, "2025-11-25").begin()
        handle = self.mcp.run("1")["session"]
        message = one.tool("execute_python", code=SLEEPS, session=handle)
        with one.under_way(message) as client:
            self.assertTrue(wait_until(lambda: self.is_busy(handle)))
            self.assertEqual(one.cancel(message).status, 202)
            reply = take(client)
        self.assertEqual((reply.status, reply.body), (202, b""))

    def test_a_disconnect_cancels_nothing_where_there_is_a_handshake(self) -> None:
        one = McpHttp(self.server, "2025-06-18").begin()
        handle = self.mcp.run("1")["session"]
        code = "import time\nprint('begun', flush=True)\ntime.sleep(4)\ndone = True"
        with one.under_way(self.begun(one, handle, code)) as client:
            wait_for(client, "begun")
        self.assertTrue(wait_until(lambda: not self.is_busy(handle)))
        self.assertEqual(self.mcp.run("done", session=handle)["value"], "True")

    def test_what_goes_on_for_nobody_does_not_hold_up_the_end(self) -> None:
        server = self.start_server("--drain", "0s").wait_ready()
        one = McpHttp(server, "2025-11-25").begin()
        handle = McpHttp(server).run("1")["session"]
        with one.under_way(self.begun(one, handle)) as client:
            wait_for(client, "begun")
        self.assertEqual(server.stop(), 0)


class Keys(ServeCase):
    """Each has its own, and no more than it may have."""

    alice: ClassVar[McpHttp]
    bob: ClassVar[McpHttp]
    tokens: ClassVar[dict[str, str]]

    @classmethod
    def setUpClass(cls) -> None:
        """Start a server with two keys, and an audit."""
        super(ServeCase, cls).setUpClass()
        folder = cls.enterClassContext(_folder())
        cls.audit = folder / "audit"
        cls.tokens = {name: add_key(folder / "keys", name, "--operator") for name in ("alice", "bob")}
        document = json.loads((folder / "keys").read_text())
        document["keys"][1]["ceiling"] = {"concurrency": 1, "sessions": 1, "limits": {"timeout": "5s", "memory": "200m"}}
        (folder / "keys").write_text(json.dumps(document))
        cls.server = Server("--keys", str(folder / "keys"), "--audit", str(cls.audit))
        cls.addClassCleanup(cls.server.discard)
        cls.server.wait_ready()
        cls.alice, cls.bob = (McpHttp(cls.server, MODERN, token) for token in cls.tokens.values())

    def text(self, result: dict[str, Any]) -> str:
        """Return what a result says, which must be an error."""
        self.assertTrue(result["isError"], result)
        return result["content"][0]["text"]

    def test_nobody_without_a_key(self) -> None:
        for token in ("", "gbx_" + "x" * 43):
            client = McpHttp(self.server, MODERN, token)
            reply = client.post(client.message("server/discover"))
            self.assertEqual((reply.status, reply.headers["WWW-Authenticate"]), (401, "Bearer"))

    def test_anothers_session_looks_as_if_it_never_was(self) -> None:
        handle = self.alice.run("x = 1\nopen('f', 'w')")["session"]
        ended = self.bob.run("1")["session"]
        self.bob.use("reset_session", session=ended)
        for tool, given in (("execute_python", {"code": "x"}), ("list_files", {}), ("read_file", {"path": "f"}), ("write_file", {"path": "f", "content": ""}), ("reset_session", {})):
            anothers = self.text(self.bob.use(tool, session=handle, **given)).replace(handle, "H")
            gone = self.text(self.bob.use(tool, session=ended, **given)).replace(ended, "H")
            self.assertEqual(anothers, gone)
        answers = []
        for one in (handle, ended):
            message = self.bob.message("resources/read", uri=f"glovebox:///{one}/f")
            answers.append(self.bob.post(message).json["error"] | {"data": None})
            answers[-1]["message"] = answers[-1]["message"].replace(one, "H")
        self.assertEqual(answers[0], answers[1])
        self.assertEqual(self.alice.run("x", session=handle)["value"], "1")
        self.assertEqual(self.bob.ask("resources/list")["resources"], [])

    def test_anothers_name_of_a_client(self) -> None:
        one = McpHttp(self.server, "2025-11-25", self.tokens["alice"]).begin()
        other = McpHttp(self.server, "2025-11-25", self.tokens["bob"])
        other.name = one.name
        self.assertEqual(other.post(other.message("ping")).status, 404)

    def test_ceilings(self) -> None:
        """What a key may have stands in the schema, and holds."""
        (tool,) = [tool for tool in self.bob.ask("tools/list")["tools"] if tool["name"] == "execute_python"]
        self.assertEqual(tool["inputSchema"]["properties"]["timeout"]["maximum"], 5)
        self.assertRegex(self.text(self.bob.use("execute_python", code="1", timeout=6)), message("mcp_argument_seconds", "timeout", 5))
        lost = self.bob.use("execute_python", code="b = bytearray(400 << 20)")["structuredContent"]
        self.assertEqual((lost["status"], lost["session_lost"]), ("memory", True))

    def test_sessions_are_counted(self) -> None:
        handle = self.bob.run("1")["session"]
        self.assertRegex(self.text(self.bob.use("execute_python", code="1")), "at most 1 sessions at once: try again in [0-9]+ s")
        self.assertEqual(self.server.ask("POST", "/v1/sessions", {}, self.bob.common).status, 429)
        self.assertEqual(self.bob.run("2", session=handle)["value"], "2")
        self.bob.use("reset_session", session=handle)
        self.bob.use("reset_session", session=self.bob.run("1")["session"])

    def test_runs_are_counted(self) -> None:
        handle = self.bob.run("1")["session"]
        message = self.bob.tool("execute_python", {"progressToken": 1}, code=SLEEPS, session=handle)
        with self.bob.under_way(message) as client:
            wait_for(client, "begun")
            self.assertRegex(self.text(self.bob.use("execute_python", code="1", session=handle)), "at most 1 runs at once: try again in [0-9]+ s")
        self.assertTrue(wait_until(lambda: not self.bob.use("execute_python", code="1", session=handle)["isError"]))
        self.bob.use("reset_session", session=handle)

    def lines(self, code: str) -> list[dict[str, Any]]:
        """Return those of the audit about some code."""
        digest = hashlib.sha256(code.encode()).hexdigest()
        return [line for line in map(json.loads, self.audit.read_text().splitlines()) if line.get("code_sha256") == digest]

    def test_runs_are_written_down(self) -> None:
        handle = self.alice.run("'first'")["session"]
        self.alice.run("import sys; sys.exit(3)", session=handle)
        self.alice.run("while True: pass  # ours", timeout=0.5, session=handle)
        self.alice.use("list_files", session=handle)
        (line,) = self.lines("import sys; sys.exit(3)")
        self.assertEqual((line["operation"], line["key"], line["verdict"], line["exit_code"]), ("mcp", "alice", "exited", 3))
        self.assertEqual([line["verdict"] for line in self.lines("while True: pass  # ours")], ["wall_time"])
        self.assertEqual(self.lines("while True: pass  # ours")[0]["limits"]["wall_time_ms"], 500)
        self.assertEqual(len(self.lines("'first'")), 1)
        text = self.server.get("/metrics", Authorization=self.alice.common["Authorization"]).body.decode()
        counted = [line for line in text.splitlines() if 'operation="mcp"' in line and "_count" in line]
        self.assertTrue(counted)
        self.assertTrue(any(float(line.split()[-1]) >= 3 for line in counted), counted)

    def test_what_was_cancelled_is_written_down(self) -> None:
        handle = self.alice.run("1")["session"]
        code = SLEEPS + "  # cancelled"
        with self.alice.under_way(self.alice.tool("execute_python", {"progressToken": 1}, code=code, session=handle)) as client:
            wait_for(client, "begun")
        self.assertTrue(wait_until(lambda: self.lines(code)))
        self.assertEqual([line["verdict"] for line in self.lines(code)], ["cancelled"])


def _folder() -> Any:
    import tempfile  # noqa: PLC0415
    from contextlib import contextmanager  # noqa: PLC0415
    from pathlib import Path  # noqa: PLC0415

    @contextmanager
    def folder() -> Any:
        with tempfile.TemporaryDirectory(prefix="keys-") as name:
            yield Path(name)

    return folder()
