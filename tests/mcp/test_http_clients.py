"""/mcp on `glovebox serve` with an Mcp-Session-Id: a client has its sessions as over stdio, until it ends."""

import json
import tempfile
import time
from pathlib import Path
from typing import Any, ClassVar

from support.mcp import HANDSHAKES, MODERN
from support.mcp_http import McpHttp, take
from support.messages import message, sentence
from support.serve import Server, ServeCase, add_key
from support.times import wait_until

INVENTED = "code-session-" + "0123456789abcdef" * 2
NEEDED = sentence("mcp_client_make_room")
SLEEPS = "import time\nprint('begun', flush=True)\nkept = 1\nfor _ in range(100000): time.sleep(0.01)"


class ClientCase(ServeCase):
    """Clients of one server."""

    def client(self, version: str = "2025-11-25", token: str = "", server: Server | None = None) -> McpHttp:
        """Return one that has shaken hands."""
        return McpHttp(server or self.server, version, token).begin()

    def handles(self, client: McpHttp) -> list[str]:
        """Return the sessions that the supervisor has for a client's key."""
        return [one["session_id"] for one in client.server.get("/v1/sessions", **client.common).json["sessions"]]

    def assert_unknown(self, client: McpHttp, word: str = "") -> None:
        """Assert that the id of a client is none."""
        reply = client.post(client.message("ping"))
        self.assertEqual(reply.status, 404, reply)
        self.assertRegex(reply.detail, message("mcp_http_refuse_client"))
        self.assertIn(word, reply.detail)

    def assert_alive(self, client: McpHttp) -> None:
        """Assert that the id of a client is one."""
        self.assertEqual(client.ask("ping"), {})

    def text(self, client: McpHttp, code: str, **given: Any) -> str:
        """Return what a result says."""
        return client.use("execute_python", code=code, **given)["content"][0]["text"]


class State(ClientCase):
    """What stays from message to message."""

    def test_state_is_kept_in_every_version_with_a_handshake(self) -> None:
        for version in HANDSHAKES:
            with self.subTest(version=version):
                client = self.client(version)
                self.assertEqual(self.text(client, "x = 41\nopen('new.txt', 'w').write('1'); None").splitlines()[0][:10], "[no output")
                self.assertEqual(self.text(client, "x + 1"), "42\n")
                self.assertEqual(self.text(client, "x + 2", session="main"), "43\n")
                self.assertIn("new.txt", client.use("list_files")["content"][0]["text"])
                self.assertEqual(client.use("read_file", path="new.txt")["content"][0]["text"], "1")
                self.assertFalse(client.use("write_file", path="a", content="b")["isError"])
                self.assertEqual(self.text(client, "open('a').read()"), "'b'\n")
                self.assertEqual(client.use("reset_session")["content"][0]["text"], "The session has ended; the next call begins a new one.\n")
                self.assertIn("NameError", self.text(client, "x"))

    def test_results_have_the_names_of_the_client(self) -> None:
        client = self.client()
        result = client.use("execute_python", code="x = 1\nopen('a', 'w').write('12'); None")
        found = result["structuredContent"]
        self.assertEqual((found["session"], found["new_session"]), ("main", True))
        (link,) = [block for block in result["content"] if block["type"] == "resource_link"]
        self.assertEqual(link["uri"], "glovebox:///main/a")
        self.assertEqual(client.ask("resources/read", uri=link["uri"])["contents"][0]["text"], "12")
        self.assertEqual(client.run("open('a').read()")["files"], [])
        self.assertEqual(client.run("'x' in globals()", session="other")["value"], "False")
        self.assertEqual(client.run("x")["value"], "1")

    def test_names_are_bounded_as_over_stdio(self) -> None:
        client = self.client()
        for name in ("a", "b", "c", "main"):
            client.run("1", session=name)
        self.assertRegex(self.text(client, "1", session="d"), message("mcp_session_find#no more may be"))
        client.use("reset_session", session="a")
        client.run("1", session="d")
        self.assertRegex(self.text(client, "1", session="../x"), message("mcp_session_find", "32"))

    def test_clients_are_apart(self) -> None:
        one, other = self.client(), self.client()
        one.run("x = 1\nopen('f', 'w')")
        self.assertEqual(other.run("'x' in globals(), __import__('os').listdir()")["value"], "(False, [])")
        self.assertIn("not found", json.dumps(other.answer(other.message("resources/read", uri="glovebox:///main/f"))).lower())

    def test_without_the_header_nothing_changes(self) -> None:
        client = self.client()
        client.run("x = 1")
        client.name = ""
        first = client.run("'x' in globals()")
        self.assertEqual((first["value"], first["new_session"]), ("False", True))
        self.assertIn(first["session"], self.handles(client))
        modern = McpHttp(self.server, MODERN)
        modern.name = INVENTED
        self.assertTrue(modern.run("1")["session"].startswith("code-session-"))

    def test_a_session_of_v1_can_be_named(self) -> None:
        handle = self.server.post("/v1/sessions", {}).json["session_id"]
        client = self.client()
        client.run("x = 5", session=handle)
        self.assertEqual(self.client().run("x", session=handle)["value"], "5")
        self.assertEqual(client.run("'x' in globals()")["value"], "False")
        self.server.ask("DELETE", "/mcp", None, {"Mcp-Session-Id": client.name})
        self.assertEqual(self.client().run("x", session=handle)["value"], "5")

    def test_tools_are_described_as_over_stdio(self) -> None:
        client = self.client()
        for tool in client.ask("tools/list")["tools"]:
            self.assertNotIn("session", tool["inputSchema"].get("required", []))

    def test_calls_of_one_session_take_turns(self) -> None:
        client = self.client()
        client.run("seen = []")
        first = client.tool("execute_python", code="import time; time.sleep(0.3); seen.append(1)")
        second = client.tool("execute_python", code="seen.append(2); seen")
        with client.under_way(first) as one:
            self.assertTrue(wait_until(lambda: any(x["busy"] for x in self.server.get("/v1/sessions").json["sessions"])))
            with client.under_way(second) as two:
                self.assertEqual(take(two).json["result"]["structuredContent"]["value"], "[1, 2]")
            take(one)

    def test_a_batch_has_the_state(self) -> None:
        client = self.client("2025-03-26")
        calls = [client.tool("execute_python", code=code) for code in ("x = 20", "x += 1", "x * 2")]
        reply = client.post(calls)
        texts = {one["id"]: one["result"]["content"][0]["text"] for one in reply.json}
        self.assertEqual(texts[calls[2]["id"]], "42\n")

    def test_a_lost_session_begins_anew_and_says_so(self) -> None:
        client = self.client()
        client.run("x = 1")
        lost = client.use("execute_python", code="import os; os._exit(3)")
        self.assertTrue(lost["structuredContent"]["session_lost"])
        self.assertRegex(lost["content"][0]["text"], message("mcp_execute_say_verdict#next call"))
        again = client.use("execute_python", code="'x' in globals()")
        self.assertEqual((again["structuredContent"]["value"], again["structuredContent"]["session"]), ("False", "main"))
        self.assertRegex(again["content"][0]["text"], message("mcp_session_put_notice#one before"))
        self.assertNotRegex(self.text(client, "1"), message("mcp_session_put_notice#one before"))

    def test_a_session_that_somebody_ended_begins_anew(self) -> None:
        server = self.start_server("--max-runs", "1").wait_ready()
        client = self.client(server=server)
        for _ in range(3):
            client.run("x = 1")
            (handle,) = self.handles(client)
            server.delete(f"/v1/sessions/{handle}")
            self.assertRegex(self.text(client, "1"), message("mcp_session_put_notice#one before"))

    def test_to_initialize_again_keeps_the_id(self) -> None:
        client = self.client()
        client.run("x = 1")
        name = client.name
        self.assertEqual(client.begin().name, name)
        self.assertEqual(client.run("x")["value"], "1")

    def test_the_id_names_the_node(self) -> None:
        client = self.client(server=self.start_server("--node", "left").wait_ready())
        self.assertRegex(client.name, r"\Acode-session-left-[0-9a-f]{32}\Z")
        self.assertEqual((client.run("x = 1")["session"], client.run("x")["value"]), ("main", "1"))

    def test_no_client_has_an_id_where_none_may(self) -> None:
        server = self.start_server("--max-mcp-sessions", "0").wait_ready()
        client = McpHttp(server, "2025-11-25")
        reply = client.post(client.message("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={}))
        self.assertNotIn("Mcp-Session-Id", reply.headers)
        self.assertIn("names it", reply.json["result"]["instructions"])
        self.assertTrue(client.run("1")["session"].startswith("code-session-"))


class Ends(ClientCase):
    """How a client ends, and what becomes of its sessions."""

    def end(self, client: McpHttp) -> int:
        """Say that it is over."""
        return self.server.ask("DELETE", "/mcp", None, {"Mcp-Session-Id": client.name} | client.common).status

    def test_delete(self) -> None:
        client, other = self.client(), self.client()
        before = set(self.handles(client))
        client.run("x = 1")
        client.run("y = 1", session="second")
        other.run("z = 1")
        self.assertEqual(self.end(client), 204)
        self.assert_unknown(client)
        self.assertEqual(self.end(client), 404)
        self.assertEqual(other.run("z")["value"], "1")
        self.assertTrue(wait_until(lambda: len(set(self.handles(client)) - before) == 1))
        self.assertNotRegex(self.text(self.client(), "1"), message("mcp_session_put_notice#one before"))

    def test_delete_ends_what_runs(self) -> None:
        client = self.client()
        before = set(self.handles(client))
        with client.under_way(client.tool("execute_python", code=SLEEPS)) as one, client.under_way(client.tool("execute_python", code="1")) as two:
            self.assertTrue(wait_until(lambda: any(x["busy"] for x in self.server.get("/v1/sessions").json["sessions"])))
            self.assertEqual(self.end(client), 204)
            self.assert_unknown(client)
            self.assertEqual([take(one).status, take(two).status], [202, 202])
        self.assertTrue(wait_until(lambda: set(self.handles(client)) <= before))

    def test_what_is_no_id(self) -> None:
        self.assertEqual(self.server.ask("DELETE", "/mcp", None, {}).status, 400)
        client = self.client()
        for name in (INVENTED, "x", client.name[:-1] + "x", client.name + "0", "code-session-other-" + client.name[-32:]):
            client.name = name
            self.assert_unknown(client)
            self.assertEqual(self.end(client), 404)

    def test_the_one_that_was_idle_longest_ends_for_a_new_one(self) -> None:
        server = self.start_server("--max-mcp-sessions", "2").wait_ready()
        first, second = self.client(server=server), self.client(server=server)
        first.run("x = 1")
        second.run("x = 2")
        first.run("x")
        third = self.client(server=server)
        third.run("x = 3")
        self.assertEqual(first.run("x")["value"], "1")
        self.assert_unknown(second, NEEDED)
        self.assertTrue(wait_until(lambda: len(self.handles(first)) == 2))
        second.name = ""
        second.begin()
        text = self.text(second, "'x' in globals()")
        self.assertRegex(text, message("mcp_session_put_notice#one before"))
        self.assertIn(NEEDED, text)
        self.assertTrue(text.endswith("False\n"), text)
        self.assertEqual(self.text(second, "1"), "1\n")
        self.assert_unknown(third, NEEDED)

    def test_a_client_at_work_does_not_end_for_another(self) -> None:
        server = self.start_server("--max-mcp-sessions", "1").wait_ready()
        first = self.client(server=server)
        first.run("x = 1")
        call = first.tool("execute_python", {"progressToken": 1}, code=SLEEPS)
        with first.under_way(call) as one:
            self.assertTrue(wait_until(lambda: any(x["busy"] for x in server.get("/v1/sessions").json["sessions"])))
            other = McpHttp(server, "2025-11-25")
            reply = other.post(other.message("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={}))
            self.assertNotIn("Mcp-Session-Id", reply.headers)
            self.assertTrue(other.run("1")["session"].startswith("code-session-"))
            first.cancel(call)
            take(one)
        self.assertEqual(first.run("x")["value"], "1")


class Keys(ClientCase):
    """An id is its key's, and a key has a part of the room."""

    tokens: ClassVar[dict[str, str]]

    @classmethod
    def setUpClass(cls) -> None:
        """Start a server with five keys."""
        super(ServeCase, cls).setUpClass()
        folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="keys-")))
        file = folder / "keys"
        cls.tokens = {name: add_key(file, name) for name in ("alice", "bob", "carol", "dave", "erin")}
        document = json.loads(file.read_text())
        document["keys"][0]["ceiling"] = {"sessions": 1, "concurrency": 1}
        document["keys"][2]["ceiling"] = {"ttl": "1s"}
        document["keys"][3]["ceiling"] = {"sessions": 2}
        document["keys"][4]["ceiling"] = {"sessions": 50}
        file.write_text(json.dumps(document))
        cls.server = Server("--keys", str(file), "--max-mcp-sessions", "8")
        cls.addClassCleanup(cls.server.discard)
        cls.server.wait_ready()

    def of(self, name: str) -> McpHttp:
        """Return a new client with a key."""
        return self.client(token=self.tokens[name])

    def test_an_id_is_its_keys(self) -> None:
        one = self.of("bob")
        one.run("x = 1")
        other = McpHttp(self.server, "2025-11-25", self.tokens["carol"])
        other.name = one.name
        self.assert_unknown(other)
        self.assertEqual(self.server.ask("DELETE", "/mcp", None, {"Mcp-Session-Id": one.name} | other.common).status, 404)
        self.assertEqual(one.run("x")["value"], "1")

    def test_why_an_id_has_ended_is_told_to_its_key_alone(self) -> None:
        first = self.of("alice")
        first.run("x = 1")
        self.of("alice")
        other = McpHttp(self.server, "2025-11-25", self.tokens["carol"])
        other.name = first.name
        self.assertNotIn(NEEDED, other.post(other.message("ping")).detail)
        self.assert_unknown(first, NEEDED)

    def test_a_key_that_may_have_no_more_ends_its_own(self) -> None:
        """Left out: with the longest idle of all, bob's client would end."""
        bob, first = self.of("bob"), self.of("alice")
        first.run("x = 1")
        for _ in range(4):
            second = self.of("alice")
            self.assert_unknown(first)
            first = second
        self.assertTrue(wait_until(lambda: not self.handles(second)))
        second.run("x = 2")
        self.assertRegex(self.text(second, "1", session="more"), "at most 1 sessions at once: try again in [0-9]+ s")
        self.assert_alive(bob)

    def test_an_idle_client_yields_its_sessions_to_its_key(self) -> None:
        """Left out: without yielding, the other's call is refused until the idle client ends."""
        first, other, stranger = self.of("dave"), self.of("dave"), self.of("bob")
        stranger.run("x = 0")
        first.run("x = 1")
        first.run("x = 2", session="second")
        self.assertEqual(other.run("6 * 7")["value"], "42")
        self.assert_unknown(first, NEEDED)
        self.assertEqual(stranger.run("x")["value"], "0")
        stateless = McpHttp(self.server, MODERN, self.tokens["dave"])
        stateless.run("1")
        self.assertRegex(self.text(stateless, "1"), "at most 2 sessions at once: try again in [0-9]+ s")
        self.assert_alive(other)

    def test_a_key_has_half_at_most(self) -> None:
        """Left out: without the bound a key of many sessions would end the clients of all others."""
        for name in ("bob", "erin"):
            stranger = self.of("dave")
            clients = [self.of(name) for _ in range(5)]
            self.assert_unknown(clients[0])
            for client in [*clients[1:], stranger]:
                self.assert_alive(client)
            for client in clients[1:]:
                self.server.ask("DELETE", "/mcp", None, {"Mcp-Session-Id": client.name} | client.common)

    def test_a_client_that_is_idle_ends(self) -> None:
        """Its time is the idle time of its sessions, which the ttl of its key bounds. Each look at it is a use."""
        client = self.of("carol")
        client.run("x = 1")

        def is_over() -> bool:
            time.sleep(1.5)
            return client.post(client.message("ping")).status == 404

        self.assertTrue(wait_until(is_over))
        client.name = ""
        client.begin()
        text = self.text(client, "1")
        self.assertRegex(text, message("mcp_session_put_notice#one before"))
        self.assertIn("idle", text)
