"""/mcp on `glovebox serve`: every version's messages, one at a time, and what is refused."""

import base64
import contextlib
import json
from typing import Any, ClassVar

from support.json_schema import check, check_schema
from support.mcp import HANDSHAKES, MODERN
from support.mcp_http import BOTH, META, McpHttp, McpHttpCase, events
from support.messages import message, sentence
from support.serve import Reply

VERSIONS = (*HANDSHAKES, MODERN)
INVENTED = "code-session-" + "0123456789abcdef" * 2
SHOWN = "class P:\n def _repr_png_(self): return b'\\x89PNG\\r\\n\\x1a\\n' + b'x' * %d\nP()"


class Versions(McpHttpCase):
    """What is the same in all of them, and what is not."""

    def client(self, version: str) -> McpHttp:
        """Return one of that version."""
        return McpHttp(self.server, version).begin()

    def test_a_session_lives_from_call_to_call(self) -> None:
        for version in VERSIONS:
            with self.subTest(version=version):
                client = self.client(version)
                client.name = ""
                first = client.use("execute_python", code="x = 41\nopen('new.txt', 'w').write('1')")
                text = first["content"][0]["text"]
                self.assertIn("new session code-session-", text)
                handle = text.partition("new session ")[2].partition(":")[0]
                second = client.use("execute_python", code="x + 1", session=handle)
                self.assertEqual((second["content"], second["isError"]), ([{"type": "text", "text": "42\n"}], False))
                self.assertIn("new.txt", client.use("list_files", session=handle)["content"][0]["text"])
                self.assertEqual(client.use("read_file", session=handle, path="new.txt")["content"][0]["text"], "1")
                self.assertFalse(client.use("write_file", session=handle, path="a", content="b")["isError"])
                ended = client.use("reset_session", session=handle)
                self.assertEqual(ended["content"][0]["text"], "The session has ended.\n")
                self.assertEqual("structuredContent" in first, version >= "2025-06-18")
                self.assertEqual("resultType" in first, version == MODERN)

    def test_results_keep_to_their_schemas(self) -> None:
        tools = {tool["name"]: tool for tool in self.mcp.ask("tools/list")["tools"]}
        for tool in tools.values():
            check_schema(tool["inputSchema"])
            check_schema(tool["outputSchema"])
        handle = self.mcp.run("open('f', 'w').write('x')")["session"]
        for name, given in (("execute_python", {"code": "1/0"}), ("write_file", {"path": "p", "content": ""}), ("list_files", {}),
                            ("read_file", {"path": "f"}), ("reset_session", {})):  # fmt: skip
            given = given | {"session": handle}
            check(given, tools[name]["inputSchema"])
            check(self.mcp.use(name, **given)["structuredContent"], tools[name]["outputSchema"])
        self.assertEqual([name for name, tool in tools.items() if "session" in tool["inputSchema"].get("required", [])],
                         ["reset_session", "list_files", "read_file"])  # fmt: skip

    def test_a_call_without_a_session_begins_another(self) -> None:
        first, second = self.mcp.run("x = 1"), self.mcp.run("'x' in globals()")
        self.assertEqual((first["new_session"], second["new_session"], second["value"]), (True, True, "False"))
        self.assertNotEqual(first["session"], second["session"])
        made = self.mcp.use("write_file", path="a", content="b")["structuredContent"]
        self.assertEqual(self.mcp.run("open('a').read()", session=made["session"])["value"], "'b'")
        for tool, given in (("list_files", {}), ("read_file", {"path": "a"}), ("reset_session", {})):
            said = self.mcp.use(tool, **given)
            self.assertEqual((said["isError"], said["content"][0]["text"][:18]), (True, "session is missing"))

    def test_only_what_is_new_is_linked(self) -> None:
        first = self.mcp.run("open('a', 'w').write('1'); open('b', 'w').write('1')")
        self.assertEqual([file["path"] for file in first["files"]], ["a", "b"])
        self.assertEqual(self.mcp.run("1", session=first["session"])["files"], [])
        self.mcp.use("write_file", path="c", content="1", session=first["session"])
        third = self.mcp.use("execute_python", code="open('b', 'w').write('22')", session=first["session"])
        (link,) = [block for block in third["content"] if block["type"] == "resource_link"]
        self.assertEqual(link["name"], "b")
        self.assertEqual(self.mcp.ask("resources/read", uri=link["uri"])["contents"][0]["text"], "22")

    def test_it_is_the_session_that_v1_knows(self) -> None:
        handle = self.mcp.run("x = 6")["session"]
        self.assertIn(handle, [one["session_id"] for one in self.server.get("/v1/sessions").json["sessions"]])
        reply = self.server.post(f"/v1/sessions/{handle}/python", {"code": "x * 7"})
        self.assertEqual(reply.json["value"]["text/plain"], "42")
        begun = self.server.post("/v1/sessions", {}).json["session_id"]
        self.assertFalse(self.mcp.run("1", session=begun)["new_session"])

    def test_a_lost_session_says_so_and_is_gone(self) -> None:
        lost = self.mcp.use("execute_python", code="import os; os._exit(3)")
        self.assertEqual((lost["isError"], lost["structuredContent"]["session_lost"]), (True, True))
        self.assertRegex(lost["content"][0]["text"], message("mcp_execute_say_verdict#without"))
        again = self.mcp.use("execute_python", code="1", session=lost["structuredContent"]["session"])
        self.assertRegex(again["content"][0]["text"], message("mcp_session_absent"))

    def test_batches_where_the_version_has_them(self) -> None:
        for version in VERSIONS:
            with self.subTest(version=version):
                client = self.client(version)
                calls = [client.message("ping"), client.tool("execute_python", {"progressToken": 1}, code="1 + 1"), {"jsonrpc": "2.0", "id": "x", "method": "no"},
                         {"jsonrpc": "2.0", "method": "notifications/initialized"}]  # fmt: skip
                reply = client.post(calls, **({"MCP_Protocol_Version": version} if version < "2025-06-18" else {}))
                if version != "2025-03-26":
                    self.assertEqual((reply.status, reply.json["error"]["code"]), (400, -32600))
                    continue
                self.assertEqual(reply.status, 200)
                self.assertEqual({one["id"]: one.get("error", {}).get("code") for one in reply.json}, {calls[0]["id"]: None, calls[1]["id"]: None, "x": -32601})
        notes = [{"jsonrpc": "2.0", "method": "notifications/initialized"}] * 2
        self.assertEqual(self.client("2025-03-26").post(notes).status, 202)

    def test_the_newest_needs_no_handshake_and_others_have_a_name(self) -> None:
        said = self.mcp.post(self.mcp.message("server/discover"))
        self.assertEqual(said.json["result"]["supportedVersions"], [MODERN])
        self.assertNotIn("Mcp-Session-Id", said.headers)
        names = {self.client(version).name for version in HANDSHAKES}
        self.assertEqual(len(names), len(HANDSHAKES))
        for name in names:
            self.assertRegex(name, r"\A[!-~]+\Z")
        self.assertRegex(self.mcp.use("execute_python", code="1", session=names.pop())["content"][0]["text"], message("mcp_session_absent"))

    def test_who_does_not_know_a_version_is_offered_one(self) -> None:
        client = McpHttp(self.server, "")
        message = client.message("initialize", protocolVersion="2099-01-01", capabilities={}, clientInfo={})
        self.assertEqual(client.post(message).json["result"]["protocolVersion"], "2025-11-25")
        self.assertEqual(client.ask("ping"), {})


class Refusals(McpHttpCase):
    """What is no message, or not for us."""

    def refused(self, reply: Reply, status: int, code: int) -> dict[str, Any]:
        """Assert an error of the protocol, with its status."""
        self.assertEqual((reply.status, reply.headers["Content-Type"]), (status, "application/json"), reply)
        self.assertEqual((reply.json["error"]["code"], "result" in reply.json), (code, False), reply.json)
        return reply.json

    def test_methods(self) -> None:
        for method in ("GET", "PUT", "HEAD"):
            reply = self.server.ask(method, "/mcp", None, {"Accept": "text/event-stream"})
            self.assertEqual((reply.status, reply.headers["Allow"]), (405, "POST, DELETE, OPTIONS"), method)

    def test_types(self) -> None:
        ping = McpHttp(self.server, "2025-11-25").begin().message("ping")
        for kind in ("text/plain", "application/json-x", "application", None):
            self.assertEqual(self.mcp.post(ping, Content_Type=kind).status, 415, kind)
        for accept in ("text/html", "text/event-stream", "application/xml, image/*"):
            self.assertEqual(self.mcp.post(ping, Accept=accept).status, 406, accept)
        for accept in (None, "*/*", "application/*;q=0.5", "APPLICATION/JSON", "text/html,application/json ; q=1"):
            reply = self.mcp.post(ping, Accept=accept, Content_Type="Application/JSON; charset=utf-8", MCP_Protocol_Version=None)
            self.assertEqual(reply.status, 200, accept)

    def test_texts(self) -> None:
        for text in (b"", b"{", b"[]]", b'{"jsonrpc":"2.0","id":1,"method":"ping"', b"\xff", b"nul"):
            self.refused(self.mcp.post(text), 400, -32700)
        for text in (b"1", b"[]", b'"x"', b"{}", b'{"jsonrpc":"1.0","id":1,"method":"ping"}', b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}'):
            self.refused(self.mcp.post(text), 400, -32600)
        said = self.refused(self.mcp.post(b'{"jsonrpc":"2.0","id":7,"method":"a\\u0000b"}'), 400, -32602)
        self.assertEqual(said["id"], 7)

    def test_size(self) -> None:
        message = self.mcp.message("server/discover")
        room = (4 << 20) - len(json.dumps(message))
        self.assertEqual(self.mcp.post(json.dumps(message).encode() + b" " * room, Mcp_Method="server/discover").status, 200)
        head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: {(4 << 20) + 1}\r\n\r\n".encode()
        self.assertEqual([reply.status for reply in self.exchange(head)], [413])

    def test_what_needs_no_answer(self) -> None:
        for message in ({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}, {"jsonrpc": "2.0", "method": "notifications/x"},
                        {"jsonrpc": "2.0", "id": 1, "result": {}}, {"jsonrpc": "2.0", "id": 1, "error": {}}):  # fmt: skip
            reply = self.mcp.post(message)
            self.assertEqual((reply.status, reply.body), (202, b""), message)

    def test_headers_that_say_something_else(self) -> None:
        call = self.mcp.tool("execute_python", code="1")
        for changed in ({"MCP_Protocol_Version": None}, {"MCP_Protocol_Version": "2025-11-25"}, {"MCP_Protocol_Version": "2099-01-01"},
                        {"Mcp_Method": None}, {"Mcp_Method": "tools/list"}, {"Mcp_Method": "Tools/call"}, {"Mcp_Name": None}, {"Mcp_Name": "write_file"},
                        {"Mcp_Name": "=?base64?ZXhlY3V0ZV9weXRob24?="}, {"Mcp_Name": "=?base64??="}, {"Mcp_Name": "=?base64?=" }):  # fmt: skip
            with self.subTest(changed=changed):
                said = self.refused(self.mcp.post(call, **changed), 400, -32020)
                self.assertEqual(said["id"], call["id"])
        self.assertEqual(self.mcp.post(call, Mcp_Name="=?base64?ZXhlY3V0ZV9weXRob24=?=").status, 200)
        read = self.mcp.message("resources/read", uri="glovebox:///x/é")
        self.refused(self.mcp.post(read, Mcp_Name="glovebox:///x/e"), 400, -32020)
        said = self.mcp.post(read, Mcp_Name=f"=?base64?{base64.b64encode('glovebox:///x/é'.encode()).decode()}?=")
        self.assertRegex(self.refused(said, 400, -32602)["error"]["message"], message("mcp_resources_refuse"))

    def test_headers_that_are_there_twice(self) -> None:
        body = json.dumps(self.mcp.message("server/discover")).encode()
        head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: {BOTH}\r\nContent-Length: {len(body)}\r\n"
        head += f"MCP-Protocol-Version: {MODERN}\r\nMcp-Method: server/discover\r\n"
        (whole,) = self.exchange(head.encode() + b"\r\n" + body)
        self.assertEqual(whole.status, 200)
        for twice in (f"mcp-protocol-version: {MODERN}", "MCP-METHOD: server/discover", "Mcp-Method: x"):
            (reply,) = self.exchange(f"{head}{twice}\r\n\r\n".encode() + body)
            self.refused(reply, 400, -32020)
        (reply,) = self.exchange(head.encode() + b"Mcp-Session-Id: a\r\nMcp-Session-Id: b\r\n\r\n" + body)
        self.assertEqual(reply.status, 400)

    def test_versions(self) -> None:
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        self.assertEqual(McpHttp(self.server, "2099-01-01").post(ping).status, 400)
        future = self.mcp.message("tools/list", _meta={META + "protocolVersion": "2099-01-01", META + "clientCapabilities": {}})
        said = self.refused(self.mcp.post(future, MCP_Protocol_Version="2099-01-01"), 400, -32022)
        self.assertEqual((said["error"]["data"]["requested"], MODERN in said["error"]["data"]["supported"]), ("2099-01-01", True))
        self.refused(self.mcp.post(ping), 400, -32602)
        self.refused(self.mcp.post(self.mcp.message("nothing")), 404, -32601)
        self.refused(self.mcp.post(self.mcp.message("initialize", protocolVersion=MODERN)), 404, -32601)
        self.refused(self.mcp.post(self.mcp.message("tools/call", name="nothing")), 400, -32602)
        self.refused(McpHttp(self.server, "2025-11-25").post({"jsonrpc": "2.0", "id": 1, "method": "nothing"}), 200, -32601)

    def test_names_that_were_never_given(self) -> None:
        client = McpHttp(self.server, "2025-11-25").begin()
        name, message = client.name, client.message("ping")
        handle = self.mcp.run("1")["session"]
        for other in (INVENTED, name[:-1], name + "0", name.upper(), handle, "x", " "):
            client.name = other
            self.assertEqual(client.post(message).status, 404, other)
        client.name = name
        self.assertEqual(client.post(message).status, 200)

    def test_pages_of_others(self) -> None:
        message = self.mcp.message("server/discover")
        self.assertEqual(self.mcp.post(message, Host="attacker.example").status, 403)
        for origin in ("http://attacker.example", "null", "http://127.0.0.1:1"):
            self.assertEqual(self.mcp.post(message, Origin=origin).status, 403, origin)
        self.assertEqual(self.mcp.post(message, Origin=f"http://127.0.0.1:{self.server.port}").status, 200)

    def test_pages_that_may(self) -> None:
        server = self.start_server("--cors", "https://chat.example")
        origin = {"Origin": "https://chat.example"}
        asked = server.ask("OPTIONS", "/mcp", None, origin | {"Access-Control-Request-Method": "POST"})
        self.assertEqual(asked.status, 204)
        self.assertLessEqual({"Mcp-Session-Id", "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"}, set(asked.headers["Access-Control-Allow-Headers"].split(", ")))
        said = McpHttp(server, "2025-11-25")
        reply = said.post(said.message("initialize", protocolVersion="2025-11-25"), **origin)
        self.assertEqual(reply.status, 200)
        self.assertIn("Mcp-Session-Id", reply.headers["Access-Control-Expose-Headers"].split(", "))

    def test_arguments(self) -> None:
        for given, words in (({}, "code is missing"), ({"code": "1", "x": 1}, "unknown argument"), ({"code": "1", "session": ""}, "no session"), ({"code": "1", "session": 1}, sentence("mcp_argument_text#string", "session")),
                             ({"code": "1", "session": INVENTED}, "no session"), ({"code": "1", "session": "x" * 5000}, "no session"), ({"code": "1", "timeout": 56}, "at most 55")):  # fmt: skip
            said = self.mcp.use("execute_python", **given)
            self.assertTrue(said["isError"])
            self.assertIn(words, said["content"][0]["text"])


class Streams(McpHttpCase):
    """How it goes, before its end."""

    token: ClassVar[dict[str, Any]] = {"progressToken": "mine"}
    slow: ClassVar[str] = "import time\nprint('begun', flush=True)\ntime.sleep(2.5)\n6 * 7"

    def test_progress(self) -> None:
        for version in VERSIONS:
            with self.subTest(version=version):
                client = McpHttp(self.server, version).begin()
                message = client.tool("execute_python", self.token, code=self.slow)
                reply = client.post(message)
                self.assertEqual((reply.status, reply.headers["Content-Type"], reply.headers["Cache-Control"]), (200, "text/event-stream", "no-cache"))
                (*notes, last) = events(reply.body)
                steps = [note["params"]["progress"] for note in notes]
                self.assertEqual((len(steps) > 0, steps), (True, sorted(set(steps))))
                self.assertEqual({(note["method"], note["params"]["progressToken"]) for note in notes}, {("notifications/progress", "mine")})
                self.assertIn("begun", [note["params"].get("message") for note in notes])
                self.assertEqual((last["id"], last["result"]["isError"]), (message["id"], False))

    def test_who_takes_no_events_gets_none(self) -> None:
        message = self.mcp.tool("execute_python", self.token, code=self.slow)
        self.assertEqual(self.mcp.answer(message, Accept="application/json")["result"]["structuredContent"]["value"], "42")

    def test_nothing_is_said_of_what_is_over_at_once(self) -> None:
        self.assertIn("result", self.mcp.answer(self.mcp.tool("list_files", self.token, session=INVENTED)))

    def test_an_event_is_smaller_than_clients_take(self) -> None:
        """As JSON it may be larger."""
        code = "import time; time.sleep(1.5)\n" + SHOWN % 700000
        (*_, event) = events(self.mcp.post(self.mcp.tool("execute_python", self.token, code=code)).body)
        self.assertEqual(event["result"]["structuredContent"]["images"], 0)
        self.assertRegex(event["result"]["content"][0]["text"], message("mcp_execute_say_cuts#pictures", 1))
        self.assertEqual(self.mcp.run(code)["images"], 1)
        loud = "import sys, time\nfor f in sys.stdout, sys.stderr: f.write('\\x01' * 60000)\ntime.sleep(1.5)\n'\\x01' * 60000"
        events(self.mcp.post(self.mcp.tool("execute_python", self.token, code=loud)).body)

    def test_a_large_file_is_not_read_into_memory(self) -> None:
        handle = self.mcp.run("open('large', 'wb').truncate(17 << 20)")["session"]
        said = self.mcp.use("read_file", path="large", length=10, session=handle)
        self.assertTrue(said["isError"])
        self.assertIn("16", said["content"][0]["text"])

    def test_several_on_one_connection(self) -> None:
        with contextlib.closing(self.server.connection()) as client:
            for number in range(3):
                message = self.mcp.tool("execute_python", code=f"{number}")
                client.request("POST", "/mcp", json.dumps(message), self.mcp.headers(message))
                reply = client.getresponse()
                self.assertEqual(json.loads(reply.read())["result"]["structuredContent"]["value"], f"{number}")
