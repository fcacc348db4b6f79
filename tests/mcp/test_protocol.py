"""JSON-RPC and the versions of MCP, spoken by hand: handshakes, discovery, errors, bad lines."""

import json
import subprocess
from typing import Any

from support.mcp import ENVELOPE, HANDSHAKES, META, MODERN, Mcp, McpCase
from support.run import GLOVEBOX, execute
from support.times import DEADLINE

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602
UNSUPPORTED_VERSION = -32022
CLIENT = {"capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


class Versions(McpCase):
    """How a connection begins, and what each version may have in its answers."""

    def test_each_handshake(self) -> None:
        for version in HANDSHAKES:
            with self.subTest(version=version):
                mcp = self.start_mcp(version="")
                result = mcp.ask("initialize", protocolVersion=version, **CLIENT)
                self.assertEqual(result["protocolVersion"], version)
                self.assertEqual(result["serverInfo"]["name"], "glovebox")
                self.assertEqual(result["capabilities"], {"tools": {}, "resources": {}})
                self.assertEqual(mcp.ask("ping"), {})
                self.assertEqual(mcp.use("execute_python", code="6 * 7")["content"][0]["text"], "42\n")

    def test_unknown_version_gets_the_newest_with_a_handshake(self) -> None:
        for wanted in ("1999-01-01", "", MODERN):
            result = self.mcp.ask("initialize", protocolVersion=wanted, **CLIENT)
            self.assertEqual(result["protocolVersion"], HANDSHAKES[-1])

    def test_handshake_without_a_version(self) -> None:
        self.assertEqual(self.mcp.fails("initialize", **CLIENT)["code"], INVALID_PARAMS)

    def test_discover_needs_no_handshake(self) -> None:
        mcp = self.start_mcp(version=MODERN)
        result = mcp.ask("server/discover")
        self.assertEqual(result["supportedVersions"], [MODERN])
        self.assertEqual(result["capabilities"], {"tools": {}, "resources": {}})
        self.assertEqual(result["resultType"], "complete")
        self.assertEqual(result["cacheScope"], "public")
        self.assertIs(type(result["ttlMs"]), int)
        self.assertEqual(result["_meta"][META + "serverInfo"]["name"], "glovebox")
        self.assertEqual(mcp.run("6 * 7")["value"], "42")
        self.assertEqual(mcp.use("execute_python", code="1")["resultType"], "complete")

    def test_version_of_a_request_that_is_none_of_ours(self) -> None:
        for wanted in ("2099-01-01", "2025-11-25", ""):
            error = self.mcp.fails("tools/list", _meta=ENVELOPE | {META + "protocolVersion": wanted})
            self.assertEqual(error["code"], UNSUPPORTED_VERSION)
            self.assertEqual(error["data"], {"supported": [MODERN, *reversed(HANDSHAKES)], "requested": wanted})

    def test_request_that_lacks_what_a_modern_one_must_say(self) -> None:
        for meta in ({META + "protocolVersion": MODERN}, {META + "protocolVersion": 1}):
            error = self.mcp.fails("tools/list", _meta=meta)
            self.assertEqual(error["code"], INVALID_PARAMS)
            self.assertIn("_meta", error["message"])
        self.assertEqual(self.mcp.fails("server/discover")["code"], INVALID_PARAMS)

    def test_both_eras_on_one_connection(self) -> None:
        mcp = self.start_mcp(version="2024-11-05")
        self.assertNotIn("resultType", mcp.ask("tools/list"))
        self.assertIn("resultType", mcp.ask("tools/list", _meta=ENVELOPE))
        self.assertNotIn("resultType", mcp.ask("tools/list"))

    def test_methods_of_the_other_era(self) -> None:
        self.assertEqual(self.mcp.fails("ping", _meta=ENVELOPE)["code"], NO_METHOD)

    def test_before_any_handshake(self) -> None:
        mcp = self.start_mcp(version="")
        self.assertEqual(mcp.ask("ping"), {})
        self.assertEqual(mcp.run("6 * 7")["value"], "42")

    def test_what_a_version_did_not_have(self) -> None:
        for version in (*HANDSHAKES, MODERN):
            with self.subTest(version=version):
                mcp = self.start_mcp(version=version)
                tool = mcp.ask("tools/list")["tools"][0]
                result = mcp.use("execute_python", code="open('new.txt', 'w').write('abc')")
                kinds = {block["type"] for block in result["content"]}
                has_schemas = version >= "2025-06-18"
                self.assertEqual("annotations" in tool, version >= "2025-03-26")
                self.assertEqual("outputSchema" in tool, has_schemas)
                self.assertEqual("title" in tool, has_schemas)
                self.assertEqual("structuredContent" in result, has_schemas)
                self.assertEqual(kinds, {"text", "resource_link"} if has_schemas else {"text"})
                self.assertIn("new.txt", json.dumps(result["content"]))


class Messages(McpCase):
    """What is no request, or no proper one; afterwards it goes on."""

    def complaint(self, line: bytes) -> dict[str, Any]:
        """Send a line that is answered by an error without an id."""
        self.mcp.write(line + b"\n")
        answer = self.mcp.answer(None)
        self.assertEqual(self.mcp.ask("ping"), {})
        return answer["error"]

    def refusal(self, **message: Any) -> int:
        """Send a message and return the code of the error."""
        self.mcp.send(message)
        return self.mcp.answer(message.get("id") if isinstance(message.get("id"), (int, str)) else None)["error"]["code"]

    def test_a_byte_order_mark_is_skipped(self) -> None:
        self.mcp.write(b'\xef\xbb\xbf{"jsonrpc":"2.0","id":"marked","method":"ping"}\n')
        self.assertEqual(self.mcp.answer("marked")["result"], {})

    def test_lines_that_are_no_json(self) -> None:
        for line in (b"x", b"{", b'{"a":}', b"\xff\xfe", b'"\xc3', b"\0", b'{"jsonrpc":"2.0"} {}', b"[" * 100000, b"nul",
                     b'{"jsonrpc":"2.0","id":1,"method":"p\xffng"}', b'{"a":"\\ud800\xff"}'):  # fmt: skip
            with self.subTest(line=line[:40]):
                self.assertEqual(self.complaint(line)["code"], PARSE_ERROR)

    def test_json_that_is_no_request(self) -> None:
        for line in (b"1", b"null", b'"ping"', b"{}", b"[]", b'{"id":null,"method":"ping","jsonrpc":"2.0"}',
                     b'{"id":1.5,"method":"ping","jsonrpc":"2.0"}', b'{"id":1e3,"method":"ping","jsonrpc":"2.0"}',
                     b'{"id":{},"method":"ping","jsonrpc":"2.0"}', b'{"id":true,"method":"ping","jsonrpc":"2.0"}'):  # fmt: skip
            with self.subTest(line=line):
                self.assertEqual(self.complaint(line)["code"], INVALID_REQUEST)

    def test_requests_that_are_wrong(self) -> None:
        for members in ({"method": "ping"}, {"jsonrpc": "1.0", "method": "ping"}, {"jsonrpc": "2.0"},
                        {"jsonrpc": "2.0", "method": 1}):  # fmt: skip
            self.assertEqual(self.refusal(id="x", **members), INVALID_REQUEST)
        self.assertEqual(self.refusal(id="x", jsonrpc="2.0", method="ping", params=[1]), INVALID_PARAMS)

    def test_unknown_methods(self) -> None:
        for method in ("nothing", "", "tools", "resources/subscribe", "prompts/list", "logging/setLevel", "x" * 100000):
            self.assertEqual(self.mcp.fails(method)["code"], NO_METHOD)

    def test_unknown_tools_and_calls_that_are_wrong(self) -> None:
        for params in ({"name": "nothing"}, {"name": ""}, {"name": 1}, {}, {"name": "execute_python", "arguments": [1]}):
            self.assertEqual(self.mcp.fails("tools/call", **params)["code"], INVALID_PARAMS)
        self.assertEqual(self.mcp.fails("tools/list", cursor="x")["code"], INVALID_PARAMS)

    def test_ids_come_back_as_they_were_written(self) -> None:
        for number in ("0", "-1", "9007199254740993", "123456789012345678901234567890", '"a"', '""', '"\\u00e9\\n"', '"1"'):
            with self.subTest(id=number):
                self.mcp.write(b'{"jsonrpc":"2.0", "method":"ping", "id" :  %s }\n' % number.encode())
                line = self.mcp.lines.get(timeout=DEADLINE)
                self.assertEqual(line, b'{"jsonrpc":"2.0","id":%s,"result":{}}\n' % number.encode())

    def test_id_that_is_too_long(self) -> None:
        self.mcp.send({"jsonrpc": "2.0", "id": "x" * 5000, "method": "ping"})
        self.assertEqual(self.mcp.answer(None)["error"]["code"], INVALID_REQUEST)

    def test_nul_and_half_characters_are_answered_under_their_id(self) -> None:
        for text in ("\\u0000", "\\ud800", "\\udc00x"):
            call = '{"jsonrpc":"2.0","id":"bad","method":"tools/call","params":{"name":"execute_python","arguments":{"code":"%s"}}}'
            self.mcp.write((call % text).encode() + b"\n")
            self.assertEqual(self.mcp.answer("bad")["error"]["code"], INVALID_PARAMS)

    def test_what_needs_no_answer_gets_none(self) -> None:
        for message in (
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "method": "notifications/nothing", "params": {"a": 1}},
            {"jsonrpc": "2.0", "method": "ping"},
            {"jsonrpc": "2.0", "id": 1, "result": {}},
            {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}},
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "nobody's"}},
            {"jsonrpc": "2.0", "method": "notifications/cancelled"},
        ):
            self.mcp.send(message)
        self.mcp.write(b"\n \t\r\n\r\n")
        number = self.mcp.request("ping")
        self.assertEqual(self.mcp.message()["id"], number)

    def test_carriage_returns_and_spaces(self) -> None:
        self.mcp.write(b' { "jsonrpc" : "2.0", "id": "cr" ,"method": "ping" } \r\n')
        self.assertEqual(self.mcp.answer("cr")["result"], {})

    def test_nesting(self) -> None:
        for depth, is_fine in ((60, True), (70, False), (1_000_000, False)):
            line = b'{"jsonrpc":"2.0","id":"deep","method":"ping","params":{"a":%s1%s}}' % (b"[" * depth, b"]" * depth)
            self.mcp.write(line + b"\n")
            answer = self.mcp.answer("deep" if is_fine else None)
            self.assertEqual("result" in answer, is_fine)

    def test_many_values(self) -> None:
        error = self.complaint(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[%s1]}}' % (b"1," * 200000))
        self.assertEqual(error["code"], PARSE_ERROR)

    def test_a_line_that_is_too_long_is_dropped_as_a_whole(self) -> None:
        self.assertEqual(self.complaint(b'{"a":"%s"}' % (b"x" * (17 << 20)))["code"], INVALID_REQUEST)
        code = "#" * (8 << 20) + "\n6 * 7"
        self.assertEqual(self.mcp.run(code)["value"], "42")

    def test_a_line_in_pieces(self) -> None:
        for byte in b'{"jsonrpc":"2.0","id":"piece","method":"ping"}\n':
            self.mcp.write(bytes([byte]))
        self.assertEqual(self.mcp.answer("piece")["result"], {})

    def test_several_lines_in_one_piece(self) -> None:
        line = b'{"jsonrpc":"2.0","id":"%d","method":"ping"}\n'
        self.mcp.write(b"".join(line % i for i in range(1000)))
        self.assertEqual([self.mcp.message()["id"] for _ in range(1000)], [str(i) for i in range(1000)])


class Batches(McpCase):
    """2025-03-26 has arrays of messages, and no other version."""

    version = "2025-03-26"

    def test_answers_come_together(self) -> None:
        batch = [
            {"jsonrpc": "2.0", "id": 1, "method": "ping"},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": "two", "method": "tools/call",
             "params": {"name": "execute_python", "arguments": {"code": "6 * 7"}}},
            {"jsonrpc": "2.0", "id": 3, "method": "nothing"},
            7,
        ]  # fmt: skip
        self.mcp.send(batch)
        answers = {part["id"]: part for part in self.mcp.message()}
        self.assertEqual(set(answers), {1, "two", 3, None})
        self.assertEqual(answers["two"]["result"]["content"][0]["text"], "42\n")
        self.assertEqual(answers[3]["error"]["code"], NO_METHOD)
        self.assertEqual(answers[None]["error"]["code"], INVALID_REQUEST)

    def test_batch_of_notifications_has_no_answer(self) -> None:
        self.mcp.send([{"jsonrpc": "2.0", "method": "notifications/initialized"}] * 3)
        number = self.mcp.request("ping")
        self.assertEqual(self.mcp.message()["id"], number)

    def test_empty_batch(self) -> None:
        self.mcp.send([])
        self.assertEqual(self.mcp.answer(None)["error"]["code"], INVALID_REQUEST)

    def test_others_have_none(self) -> None:
        for version in ("", "2024-11-05", "2025-06-18", MODERN):
            mcp = self.start_mcp(version=version)
            mcp.send([{"jsonrpc": "2.0", "id": 1, "method": "ping"}])
            self.assertEqual(mcp.answer(None)["error"]["code"], INVALID_REQUEST)


class Process(McpCase):
    """The program itself."""

    def test_flags_that_are_wrong(self) -> None:
        for flags in (["--nothing"], ["python"], ["--timeout", "x"], ["--max-output", "1"], ["--image", ""]):
            self.assert_refused(execute([GLOVEBOX, "mcp", *flags]))

    def test_limits_that_do_not_fit(self) -> None:
        """They are refused at once, and not when somebody calls."""
        flags = ["--memory", "100m", "--memory-swap", "50m"]
        self.assert_refused(execute([GLOVEBOX, "mcp", "--image", "host", *flags]), "swap")

    def test_variables(self) -> None:
        mcp = self.start_mcp(variables={"GLOVEBOX_MCP_TIMEOUT": "7s", "GLOVEBOX_MCP_MEMORY": "99m"})
        description = mcp.ask("tools/list")["tools"][0]["description"]
        self.assertIn("takes 7 s", description)
        self.assertIn("99 MiB", description)

    def test_image_that_is_missing(self) -> None:
        result = execute([GLOVEBOX, "mcp", "--image", "no-such-image"])
        self.assert_refused(result, "no-such-image")

    def test_standard_output_has_messages_only(self) -> None:
        """Not even what a program prints, or a supervisor that starts."""
        mcp = self.start_mcp()
        mcp.run("import os; os.write(1, b'out'); os.write(2, b'err'); os.system('echo more; echo more >&2')")
        mcp.hang_up()
        lines = []
        while line := mcp.lines.get(timeout=DEADLINE):
            lines.append(line)
        self.assertEqual(lines, [])
        self.assertEqual(mcp.said, b"")

    def test_input_from_a_file_and_output_to_one(self) -> None:
        ping = b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n'
        source = self.file("in", b"".join(ping % i for i in range(20000)))
        target = self.folder / "out"
        with source.open("rb") as stdin, target.open("wb") as stdout:
            mcp = Mcp(stdin=stdin, stdout=stdout)
            self.addCleanup(mcp.discard)
            self.assertEqual(mcp.process.wait(DEADLINE), 0)
        answers = [json.loads(line)["id"] for line in target.read_bytes().splitlines()]
        self.assertEqual(answers, list(range(20000)))

    def test_no_input_at_all(self) -> None:
        mcp = self.start_mcp(version="", stdin=subprocess.DEVNULL)
        self.assertEqual(mcp.process.wait(DEADLINE), 0)

    def test_descriptors_are_left_as_they_are(self) -> None:
        """They are shared with whoever started it: nothing becomes non-blocking."""
        mcp = self.start_mcp()
        for fd in (0, 1, 2):
            with open(f"/proc/{mcp.process.pid}/fdinfo/{fd}") as info:
                flags = int(next(line for line in info if line.startswith("flags:")).split()[1], 8)
            self.assertFalse(flags & 0o4000, fd)
