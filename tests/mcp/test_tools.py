"""The tools: what they return, in words and as objects, and what they refuse."""

import base64
import json
import struct
import zlib
from typing import Any, ClassVar

from support.agent import has_image
from support.json_schema import check, check_schema
from support.mcp import HANDSHAKES, MODERN, Mcp, McpCase
from support.messages import message, named, sentence
from support.times import seconds


def png(width: int = 2, height: int = 2) -> bytes:
    """Return a small picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"".join(b"\0" + bytes(width) for _ in range(height)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def picture(data: bytes) -> str:
    """Return the source of a class whose objects are shown as a picture."""
    return f"class P:\n    def _repr_png_(self): return {data!r}\n"


class Tools(McpCase):
    """Calls that share one process; each result is checked by the schema of its tool."""

    schemas: ClassVar[dict[str, Any]]

    @classmethod
    def setUpClass(cls) -> None:
        """Ask for the schemas."""
        super().setUpClass()
        cls.schemas = {tool["name"]: tool["outputSchema"] for tool in cls.mcp.ask("tools/list")["tools"]}

    def use(self, tool: str, *, fails: bool = False, **given: Any) -> dict[str, Any]:
        """Call a tool, check its result, and return it."""
        result = self.mcp.use(tool, **given)
        self.assertIs(result["isError"], fails, result)
        self.assertEqual(result["content"][0]["type"], "text")
        if "structuredContent" in result or not fails:
            check(result["structuredContent"], self.schemas[tool])
        return result

    def run_code(self, code: str, *, fails: bool = False, **given: Any) -> tuple[str, dict[str, Any]]:
        """Run code; return what it says in words, and as an object."""
        result = self.use("execute_python", fails=fails, code=code, **given)
        return "".join(block.get("text", "") for block in result["content"]), result["structuredContent"]


class Execute(Tools):
    """execute_python."""

    def test_state_stays(self) -> None:
        self.run_code("import math\nkept = 41\ndef double(x): return 2 * x")
        text, found = self.run_code("double(kept) + math.floor(1.5)")
        self.assertEqual((text, found["value"], found["status"], found["exit_code"]), ("83\n", "83", "ok", 0))

    def test_output_and_value(self) -> None:
        text, found = self.run_code("import sys\nprint('out')\nprint('err', file=sys.stderr)\n'v'")
        self.assertEqual(text, "out\n[stderr]\nerr\n'v'\n")
        self.assertEqual((found["stdout"], found["stderr"], found["value"]), ("out\n", "err\n", "'v'"))

    def test_nothing_to_say(self) -> None:
        text, found = self.run_code("x = None")
        self.assertEqual((text, found["value"]), ("[no output]\n", None))
        self.assertEqual(self.run_code("")[0], "[no output]\n")

    def test_exception(self) -> None:
        text, found = self.run_code("print('before')\n1 / 0", fails=True)
        self.assertTrue(text.startswith("before\nTraceback"), text)
        self.assertTrue(text.endswith("ZeroDivisionError: division by zero\n"), text)
        self.assertEqual((found["status"], found["exit_code"], found["session_lost"]), ("error", 1, False))
        self.assertIn("SyntaxError", self.run_code("print(", fails=True)[0])

    def test_exit(self) -> None:
        text, found = self.run_code("import sys; sys.exit(3)", fails=True)
        self.assertEqual((text, found["status"], found["exit_code"]), (sentence("mcp_execute_say_verdict#exit", 3), "exit", 3))
        self.run_code("sys.exit(0)")

    def test_time_limit(self) -> None:
        self.run_code("kept = 1")
        text, found = self.run_code("print('began', flush=True)\nwhile True: pass", fails=True, timeout=0.5)
        self.assertEqual((found["status"], found["exit_code"], found["stdout"]), ("timeout", 124, "began\n"))
        self.assertRegex(text, message("mcp_execute_say_verdict#time", "0.5"))
        self.assertEqual(self.run_code("kept")[1]["value"], "1")

    def test_bytes_that_are_no_text(self) -> None:
        text, found = self.run_code(r"import os; os.write(1, b'a\xff\0\xed\xa0\x80\xe2\x80\xa8z\n'); None")
        expected = "a\ufffd\ufffd\ufffd\ufffd\u2028z\n"
        self.assertEqual((found["stdout"], text), (expected, expected))

    def test_terminal_control_is_resolved(self) -> None:
        code = r"""import sys
class V:
    def __repr__(self): return '\x1b[1mvalue\x1b[0m'
print(' 10%\r 50%\r100%\x1b[K done\r\n\x1b]0;title\x07\x1b[32mgreen\x1b[0m ä\b€')
print('long line\rshort', file=sys.stderr)
display(V())
V()"""
        text, found = self.run_code(code)
        shown = [found[key] for key in ("stdout", "stderr", "display", "value")]
        self.assertEqual(shown, ["100% done\ngreen €\n", "shortline\n", "value\n", "value"])
        self.assertEqual(text, "100% done\ngreen €\nvalue\n[stderr]\nshortline\nvalue\n")
        text, found = self.run_code(r"raise ValueError('\x1b[31mred\x1b[0m')", fails=True)
        self.assertTrue(text.endswith("ValueError: red\n"), text)

    def test_a_progress_bar_does_not_use_up_the_output(self) -> None:
        code = "for i in range(100001): print(end=f'\\r{i:6} of 100000')\nprint('\\nafter')"
        _, found = self.run_code(code)
        self.assertEqual((found["stdout"], found["truncated"]), ("100000 of 100000\nafter\n", False))

    def test_output_is_cut_where_it_is_too_long(self) -> None:
        text, found = self.run_code("print('x' * 60000)")
        self.assertEqual((found["stdout"], found["truncated"]), ("x" * 50000, True))
        self.assertRegex(text, message("mcp_execute_say_cuts#bytes are shown", "stdout", 50000))

    def test_half_characters(self) -> None:
        _, found = self.run_code(r"'\ud800'")
        self.assertEqual((found["value"], json.dumps(found).isascii()), (r"'\ud800'", True))

    def test_display(self) -> None:
        text, found = self.run_code("display('shown')\nprint('printed')\nprint('half', end=''); display('again'); print('a line')\n5")
        self.assertEqual((found["display"], found["stdout"]), ("'shown'\n'again'\n", "printed\nhalfa line\n"))
        self.assertEqual(text, "'shown'\nprinted\nhalf\n'again'\na line\n5\n")

    def test_a_progress_bar_stays_one_line_among_displays(self) -> None:
        text, found = self.run_code(r"print('10%', end='\r'); display(1); print('20%', end='\r'); display(2); print('done\x1b[3', end=''); display(3); print('1m!')")
        self.assertEqual((found["stdout"], text), ("done!\n", "1\n2\n3\ndone!\n"))

    def test_pictures_stand_between_the_prints(self) -> None:
        result = self.use("execute_python", code=picture(png()) + "print('one'); display(P()); print('two'); display(P(), 'text'); print('three')\nP()")
        self.assertEqual([block.get("text", block["type"]).split("\n")[0] for block in result["content"]], ["one", "image", "two", "image", "'text'", "image"])
        self.assertEqual((result["content"][4]["text"][:13], result["structuredContent"]["stdout"]), ("'text'\nthree\n", "one\ntwo\nthree\n"))

    def test_pictures(self) -> None:
        data = png()
        result = self.use("execute_python", code=picture(data) + "display(P())\nP()")
        images = [block for block in result["content"] if block["type"] == "image"]
        self.assertEqual([(i["mimeType"], base64.b64decode(i["data"])) for i in images], [("image/png", data)] * 2)
        self.assertEqual(result["structuredContent"]["images"], 2)

    def test_what_only_says_that_it_is_a_picture(self) -> None:
        result = self.use("execute_python", code=picture(b"no picture") + "P()")
        self.assertEqual([block["type"] for block in result["content"]], ["text"])

    def test_too_many_and_too_large_pictures(self) -> None:
        text, found = self.run_code(picture(png()) + "for _ in range(20): display(P())")
        self.assertEqual(found["images"], 16)
        self.assertRegex(text, message("mcp_execute_say_cuts#pictures", 4))
        text, found = self.run_code(picture(png() + bytes(3 << 20)) + "P()")
        self.assertEqual(found["images"], 0)
        self.assertRegex(text, message("mcp_execute_say_cuts#pictures", 1))
        text, found = self.run_code("display({'image/png': 'A' * (7 << 20)}, raw=True)")
        self.assertEqual((found["images"], found["truncated"], found["status"]), (0, True, "ok"))
        self.assertRegex(text, message("mcp_execute_say_cuts#MiB"))

    def test_figures(self) -> None:
        if not has_image("python"):
            self.skipTest("cannot: there is no image `python`, which has matplotlib")
        mcp = self.start_mcp("--image", "python")
        code = "import matplotlib.pyplot as p\np.plot([1, 2]); p.show()"
        result = mcp.use("execute_python", code=code, timeout=50)
        (image,) = [block for block in result["content"] if block["type"] == "image"]
        self.assertTrue(base64.b64decode(image["data"]).startswith(b"\x89PNG"))
        self.assertEqual(mcp.run("len(p.get_fignums())")["value"], "0")

    def test_new_files_are_linked_once(self) -> None:
        code = "import os\nos.makedirs('made/sub', exist_ok=True)\nopen('made/sub/a b.csv', 'w').write('1,2'); None"
        result = self.use("execute_python", code=code)
        links = [block for block in result["content"] if block["type"] == "resource_link"]
        link = {"type": "resource_link", "uri": "glovebox:///main/made/sub/a%20b.csv", "name": "made/sub/a b.csv",
                "mimeType": "text/csv", "size": 3}  # fmt: skip
        self.assertEqual(links, [link])
        self.assertEqual(result["structuredContent"]["files_total"], 1)
        self.assertEqual(self.run_code("1")[1]["files"], [])
        self.assertEqual(len(self.run_code("open('made/sub/a b.csv', 'a').write('3')")[1]["files"]), 1)

    def test_many_files(self) -> None:
        _, found = self.run_code("os = __import__('os'); os.mkdir('many')\nfor i in range(200): open(f'many/{i}', 'w').close()")
        self.assertEqual((len(found["files"]), found["files_total"]), (50, 200))

    def test_names_that_are_no_text(self) -> None:
        _, found = self.run_code(r"open(b'no\xff', 'w').close(); open('a\nb\u2028', 'w').close()")
        self.assertEqual([f["path"] for f in found["files"]], ["a\nb\u2028"])
        self.assertEqual(found["files"][0]["uri"], "glovebox:///main/a%0Ab%E2%80%A8")

    def test_sessions_share_nothing(self) -> None:
        self.run_code("mine = 1; open('mine', 'w').close()", session="one")
        text, _ = self.run_code("mine", fails=True, session="two")
        self.assertIn("NameError", text)
        self.assertEqual(self.run_code("__import__('os').listdir()", session="two")[1]["value"], "[]")
        for name in ("one", "two"):
            self.assertTrue(self.use("reset_session", session=name)["structuredContent"]["ended"])

    def test_own_session_has_a_name(self) -> None:
        self.run_code("named = 1")
        self.assertEqual(self.run_code("named", session="main")[1]["session"], "main")

    def test_arguments_that_are_wrong(self) -> None:
        for given, word in (
            ({}, "code is missing"),
            ({"code": 1}, sentence("mcp_argument_text#string", "code")),
            ({"code": None}, "code is missing"),
            ({"code": "1", "timeout": 0}, "timeout must be"),
            ({"code": "1", "timeout": -1}, "timeout must be"),
            ({"code": "1", "timeout": 56}, "at most 55"),
            ({"code": "1", "timeout": "5"}, "timeout must be"),
            ({"code": "1", "timeout_s": 5}, 'unknown argument "timeout_s"'),
            ({"code": "1", "session": ""}, "session: 1 to 32"),
            ({"code": "1", "session": "../x"}, "session: 1 to 32"),
            ({"code": "1", "session": "x" * 33}, "session: 1 to 32"),
            ({"code": "1", "session": 1}, sentence("mcp_argument_text#string", "session")),
        ):
            with self.subTest(given=given):
                result = self.use("execute_python", fails=True, **given)
                self.assertIn(word, result["content"][0]["text"])


class Files(Tools):
    """list_files, read_file, write_file."""

    def write(self, path: str, content: str, **given: Any) -> None:
        """Write a file."""
        self.use("write_file", path=path, content=content, **given)

    def read(self, path: str, **given: Any) -> dict[str, Any]:
        """Read a file."""
        return self.use("read_file", path=path, **given)["structuredContent"]

    def test_text(self) -> None:
        self.write("deep/er/é.txt", "one\ntwo\n")
        found = self.read("deep/er/é.txt")
        self.assertEqual((found["content"], found["encoding"], found["size_bytes"]), ("one\ntwo\n", "utf-8", 8))
        self.assertIsNone(found["next_offset"])
        self.assertEqual(self.run_code("open('deep/er/é.txt').read()")[1]["value"], r"'one\ntwo\n'")

    def test_files_of_ours_are_no_news(self) -> None:
        self.write("given", "x")
        self.assertEqual(self.run_code("1")[1]["files"], [])

    def test_bytes(self) -> None:
        data = bytes(range(256))
        self.write("bytes", base64.b64encode(data).decode(), encoding="base64")
        result = self.use("read_file", path="bytes")
        self.assertEqual(base64.b64decode(result["structuredContent"]["content"]), data)
        self.assertEqual(base64.b64decode(result["content"][1]["resource"]["blob"]), data)

    def test_nul_is_no_text(self) -> None:
        self.write("nul", base64.b64encode(b"a\0b").decode(), encoding="base64")
        self.assertEqual(self.read("nul")["encoding"], "base64")

    def test_picture(self) -> None:
        data = png()
        self.write("p.png", base64.b64encode(data).decode(), encoding="base64")
        result = self.use("read_file", path="p.png")
        self.assertEqual(base64.b64decode(result["content"][1]["data"]), data)
        self.assertEqual(result["structuredContent"]["encoding"], "image")

    def test_part_by_part(self) -> None:
        whole = "äöü€𝄞" * 40000
        self.write("long", whole)
        parts, at = [], 0
        while at is not None:
            found = self.read("long", offset=at)
            self.assertEqual(found["encoding"], "utf-8")
            parts.append(found["content"])
            at = found["next_offset"]
        self.assertEqual("".join(parts), whole)
        self.assertEqual(self.read("long", offset=2, length=4)["content"], "öü")

    def test_empty(self) -> None:
        self.write("empty", "")
        self.assertEqual(self.read("empty")["content"], "")
        self.assertEqual(self.read("empty", offset=100)["content"], "")

    def test_list(self) -> None:
        self.write("listed/a", "12345")
        self.run_code("__import__('os').symlink('/etc/passwd', 'listed/link')")
        found = self.use("list_files", path="listed")["structuredContent"]
        entries = {e["path"]: (e["type"], e["size_bytes"]) for e in found["entries"]}
        self.assertEqual(entries["listed/a"], ("file", 5))
        self.assertEqual(entries["listed/link"][0], "symlink")
        self.assertIn("listed/a (5 bytes)\n", self.use("list_files")["content"][0]["text"])

    def test_long_list_is_cut(self) -> None:
        self.run_code("for i in range(1500): open(f'{i:0200}', 'w').close()", session="full")
        found = self.use("list_files", session="full")["structuredContent"]
        self.assertEqual((len(found["entries"]), found["truncated"]), (1000, True))
        self.use("reset_session", session="full")

    def test_paths_are_cleaned(self) -> None:
        for path in ("/workspace/clean", "./clean", "clean"):
            self.write(path, path)
            self.assertEqual(self.read("clean")["content"], path)

    def test_what_cannot_be_read_or_written(self) -> None:
        self.run_code("import os; os.symlink('/etc/passwd', 'leak'); os.mkfifo('fifo'); os.makedirs('dir', exist_ok=True)")
        for tool, given in (
            ("read_file", {"path": "nothing"}),
            ("read_file", {"path": "leak"}),
            ("read_file", {"path": "fifo"}),
            ("read_file", {"path": "dir"}),
            ("read_file", {"path": "../etc/passwd"}),
            ("read_file", {"path": "/etc/passwd"}),
            ("read_file", {"path": "x", "offset": -1}),
            ("read_file", {"path": "x", "offset": 1.5}),
            ("read_file", {"path": "x", "length": 1 << 20}),
            ("read_file", {}),
            ("write_file", {"path": "x"}),
            ("write_file", {"path": "../x", "content": ""}),
            ("write_file", {"path": "", "content": ""}),
            ("write_file", {"path": "dir", "content": ""}),
            ("write_file", {"path": "x", "content": "!", "encoding": "base64"}),
            ("write_file", {"path": "x", "content": "", "encoding": "latin-1"}),
            ("list_files", {"path": "nothing"}),
            ("list_files", {"path": 1}),
        ):
            with self.subTest(tool=tool, given=given):
                text = self.use(tool, fails=True, **given)["content"][0]["text"]
                self.assertNotIn("mcp-", text)


class Descriptions(McpCase):
    """tools/list."""

    def test_schemas_and_hints(self) -> None:
        tools = {tool["name"]: tool for tool in self.mcp.ask("tools/list")["tools"]}
        self.assertEqual(list(tools), ["execute_python", "reset_session", "list_files", "read_file", "write_file"])
        for tool in tools.values():
            check_schema(tool["inputSchema"])
            check_schema(tool["outputSchema"])
            self.assertEqual((tool["inputSchema"]["type"], tool["outputSchema"]["type"]), ("object", "object"))
            hints = {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint", "title"}
            self.assertEqual(set(tool["annotations"]), hints)
            self.assertIn("session", tool["inputSchema"]["properties"])
        self.assertTrue(tools["read_file"]["annotations"]["readOnlyHint"])
        self.assertNotIn("@", json.dumps(tools))

    def test_they_say_what_the_flags_said(self) -> None:
        mcp = self.start_mcp("--timeout", "7s", "--max-timeout", "90s", "--memory", "100m", "--max-output", "1234")
        tool = mcp.ask("tools/list")["tools"][0]
        for word in ("takes 7 s", "100 MiB", "1234 bytes"):
            self.assertIn(word, tool["description"])
        self.assertEqual(tool["inputSchema"]["properties"]["timeout"]["maximum"], 90)
        self.assertEqual(mcp.run("1", timeout=80)["value"], "1")


class Bounds(McpCase):
    """However much a program says, a result stays below what clients take."""

    flags = ("--max-output", "1048576")

    def largest(self, mcp: Mcp, code: str, **given: Any) -> tuple[int, dict[str, Any]]:
        """Run code and return how long the line is that answers, and the result."""
        number = mcp.call("execute_python", code=code, timeout=50, **given)
        line = mcp.lines.get(timeout=100)
        answer = json.loads(line)
        self.assertEqual(answer["id"], number)
        return len(line), answer["result"]

    def test_everything_at_once(self) -> None:
        code = (
            "import sys\nsys.stdout.write('\\x80' * (3 << 20)); sys.stderr.write('\\u20ac' * (1 << 20))\n"
            + picture(png() + bytes(200 << 10))
            + "for _ in range(16): display(P())\ndisplay('\\x02' * (1 << 20))\n"
            + "import os; deep = '/'.join(['\\x01' * 250] * 15); os.makedirs(deep)\n"
            + "for i in range(60): open(f'{deep}/{i}', 'w').close()\n"
            + "raise ValueError('\\x80' * (2 << 20))"
        )
        for version in (*HANDSHAKES, MODERN):
            mcp = self.start_mcp(*self.flags, "--memory", "1g", version=version)
            length, result = self.largest(mcp, code)
            self.assertLess(length, 4 << 20)
            self.assertTrue(result["isError"])
            text = "".join(block.get("text", "") for block in result["content"])
            for words in ("stdout is cut", "stderr is cut", message("mcp_execute_say_cuts#MiB"), message("mcp_execute_say_cuts#pictures")):
                self.assertRegex(text, named(words))

    def test_cut_output_says_so(self) -> None:
        mcp = self.start_mcp("--max-output", "100")
        found = mcp.run("print('é' * 100)\n'v' * 1000")
        self.assertTrue(found["truncated"])
        self.assertEqual((found["stdout"], len(found["value"])), ("é" * 50, 100))
        found = mcp.run("print('€' * 100)\n'x' + '€' * 100")
        self.assertEqual((found["stdout"], found["value"]), ("€" * 33, "'x" + "€" * 32))
        found = mcp.run("def f(n): return f(n - 1) if n else 1 / 0\nf(3)")
        self.assertTrue(found["traceback"].endswith("ZeroDivisionError: division by zero\n"), found)

    def test_endless_output(self) -> None:
        found = self.mcp.run("while True: print('x' * 10000)", timeout=2)
        self.assertEqual((found["status"], found["truncated"]), ("timeout", True))
        self.assertEqual(self.mcp.run("6 * 7", timeout=float(seconds(5)[:-1]))["value"], "42")
