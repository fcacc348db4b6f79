"""--face librechat: code that calls tools of the client's (POST /exec/programmatic)."""

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

from support.faces import face_of
from support.librechat import BASE, FLAGS, HIDDEN, LibreCase, ask
from support.serve import Reply, Server, add_key
from support.times import wait_until

SUM: dict[str, Any] = {
    "name": "sum-of",
    "description": "Add numbers.",
    "parameters": {"type": "object", "properties": {"first": {"type": "number"}, "second": {"type": "number"}}, "required": ["first"]},
}
LOOK: dict[str, Any] = {"name": "look_up", "parameters": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}}
TOOLS = [SUM, LOOK]


class ToolCase(LibreCase):
    """A client that performs tools."""

    flags = (*FLAGS, "--drain", "0s")

    def post(self, body: Any, server: Server | None = None, key: str = "") -> Reply:
        """One request."""
        return ask(server or self.server, "POST", "/exec/programmatic", body, key)

    def begin(self, code: str, server: Server | None = None, key: str = "", **more: Any) -> dict[str, Any]:
        """Its first answer."""
        reply = self.post({"code": code, "tools": TOOLS, "timeout": 60_000, **more}, server, key)
        self.assertEqual(reply.status, 200, reply)
        return reply.json

    def go_on(self, said: dict[str, Any], *results: Any, server: Server | None = None, key: str = "") -> dict[str, Any]:
        """Give it the results of all that it asks for; an exception is an error."""
        reply = self.post({"continuation_token": said["continuation_token"], "tool_results": self.results(said, *results)}, server, key)
        self.assertEqual(reply.status, 200, reply)
        return reply.json

    def results(self, said: dict[str, Any], *results: Any) -> list[dict[str, Any]]:
        """Results as the client writes them."""
        self.assertEqual(said["status"], "tool_call_required", said)
        self.assertEqual(len(said["tool_calls"]), len(results), said)
        return [
            {"call_id": call["id"], "result": None, "is_error": True, "error_message": str(result)}
            if isinstance(result, Exception)
            else {"call_id": call["id"], "result": result, "is_error": False}
            for call, result in zip(said["tool_calls"], results, strict=True)
        ]

    def calls(self, said: dict[str, Any]) -> list[tuple[str, Any]]:
        """What it asks for: names and inputs."""
        self.assertEqual(said["status"], "tool_call_required", said)
        return [(call["name"], call["input"]) for call in said["tool_calls"]]

    def asked(self, code: str, **more: Any) -> list[tuple[str, Any]]:
        """What some code asks for first; it ends."""
        said = self.begin(code, **more)
        found = self.calls(said)
        self.finished(self.go_on(said, *found))
        return found

    def perform(self, code: str, answers: dict[str, Any], **more: Any) -> dict[str, Any]:
        """Perform it to its end, with an answer for each tool, however many calls each round has."""
        said = self.begin(code, **more)
        for _ in range(20):
            if said["status"] != "tool_call_required":
                return said
            said = self.go_on(said, *[answers[name](given) for name, given in self.calls(said)])
        raise AssertionError(said)

    def finished(self, said: dict[str, Any]) -> str:
        """It is over; return what it printed."""
        self.assertEqual((said["status"], said.get("stderr", "")), ("completed", ""), said)
        return said["stdout"]


class Python(ToolCase):
    """Tools are functions."""

    def test_a_call(self) -> None:
        said = self.begin("print('before')\nx = await sum_of(first=1, second=2)\nprint('after', x)")
        self.assertEqual(self.calls(said), [("sum-of", {"first": 1, "second": 2})])
        self.assertEqual(self.finished(self.go_on(said, {"sum": [3, None, "ü"]})), "before\nafter {'sum': [3, None, 'ü']}\n")

    def test_results(self) -> None:
        for result in ("text", "", "a\u2028b'\"\\\n", 1.5, True, None, [], {"a": {"b": [1]}}, 'not "json"'):
            with self.subTest(result):
                said = self.begin("print(repr(await look_up(name='x')))")
                self.assertEqual(self.finished(self.go_on(said, result)), repr(result) + "\n")

    def test_inputs(self) -> None:
        text = "a'\"\\\n\u2028ü\x01"
        self.assertEqual(self.asked(f"await look_up(name={text!r})"), [("look_up", {"name": text})])
        self.assertEqual(self.asked("await sum_of(first=1)"), [("sum-of", {"first": 1})])
        self.assertEqual(self.asked("await look_up(name={'a': [1, None]})"), [("look_up", {"name": {"a": [1, None]}})])

    def test_numbers(self) -> None:
        for number in ("1.0", "-0.0", "12345678901234567890", "2**53 + 1", "0.1", "1e22", "[1.5, 2.0, True, 1]"):
            with self.subTest(number):
                self.assertEqual(self.finished(self.go_on(self.begin(f"print(await sum_of(first={number}))"), 3)), "3\n")
        for number in ("float('nan')", "1e999", "'\\ud800'"):
            with self.subTest(number):
                said = self.begin(f"await sum_of(first={number})")
                self.assertEqual((said["status"], "Error" in said["stderr"]), ("error", True), said)

    def test_one_after_another(self) -> None:
        said = self.begin("total = 0\nfor number in range(3):\n    total += await sum_of(first=total, second=number)\nprint(total)")
        seen = []
        for answer in (1, 10, 100):
            seen += self.calls(said)
            said = self.go_on(said, answer)
        self.assertEqual(seen, [("sum-of", {"first": first, "second": second}) for first, second in ((0, 0), (1, 1), (11, 2))])
        self.assertEqual(self.finished(said), "111\n")

    def test_several_at_once(self) -> None:
        code = "import asyncio\nprint(await asyncio.gather(sum_of(first=1), look_up(name='a'), sum_of(first=2)))"
        said = self.perform(code, {"sum-of": lambda given: given["first"] * 10, "look_up": lambda given: given["name"] * 2})
        self.assertEqual(self.finished(said), "[10, 'aa', 20]\n")

    def test_ids(self) -> None:
        code = "import asyncio\nawait asyncio.gather(*[sum_of(first=n) for n in range(5)])\nawait look_up(name='a')"
        said, seen = self.begin(code), []
        while said["status"] == "tool_call_required":
            seen += [call["id"] for call in said["tool_calls"]]
            said = self.go_on(said, *said["tool_calls"])
        self.assertEqual((len(seen), len(set(seen))), (6, 6))
        self.finished(said)

    def test_a_tool_that_fails(self) -> None:
        code = "try:\n    await look_up(name='a')\nexcept Exception as error:\n    print(type(error).__name__, error)\nprint(await sum_of(first=1))"
        said = self.go_on(self.begin(code), ValueError("it's not there"))
        self.assertEqual(self.finished(self.go_on(said, 2)), "ToolExecutionError it's not there\n2\n")
        said = self.go_on(self.begin("await look_up(name='a')"), ValueError("it's not there"))
        self.assertEqual(said["status"], "error")
        self.assertIn("it's not there", said["stderr"])

    def test_code_without_a_call(self) -> None:
        self.assertEqual(self.finished(self.begin("print(1)")), "1\n")
        self.assertEqual(self.finished(self.begin("import asyncio\nawait asyncio.sleep(0)\nprint(1)\nreturn")), "1\n")

    def test_texts_stay(self) -> None:
        self.assertEqual(self.finished(self.begin("print('''a\n  b\n''', end='')\nif True:\n\tprint(1)")), "a\n  b\n1\n")

    def test_code_that_fails(self) -> None:
        for code, wanted in (
            ("1 / 0", "ZeroDivisionError"),
            ("1 +", "SyntaxError"),
            ("print('before')\nawait nothing()", "NameError"),
            ("raise SystemExit(3)", ""),
        ):
            with self.subTest(code):
                said = self.begin(code)
                self.assertEqual(said["status"], "error", said)
                self.assertTrue(said["error"])
                self.assertIn(wanted, said["stderr"])
        said = self.go_on(self.begin("await look_up(name='a')\n1 / 0"), 1)
        self.assertEqual(said["status"], "error", said)
        self.assertIn("ZeroDivisionError", said["stderr"])

    def test_names(self) -> None:
        tools = [{"name": name} for name in ("get-weather now", "9lives", "class", "what?!", "plain")]
        code = "for tool in (get_weather_now, _9lives, class_tool, what, plain):\n    print(await tool())"
        said, seen = self.begin(code, tools=tools), []
        while said["status"] == "tool_call_required":
            seen += self.calls(said)
            said = self.go_on(said, *said["tool_calls"])
        self.assertEqual(seen, [(tool["name"], {}) for tool in tools])
        self.assertEqual(said["status"], "completed", said)

    def test_files(self) -> None:
        file = self.stored("a.txt", b"content")
        code = "x = open('/mnt/data/a.txt').read() + await look_up(name='a')\nopen('made.txt', 'w').write(x)\nprint(x)"
        said = self.go_on(self.begin(code, files=[file]), " more")
        self.assertEqual(self.finished(said), "content more\n")
        self.assertEqual(list(self.made(said)), ["made.txt"])
        self.assertEqual(self.content(self.given_back(said, "made.txt")), b"content more")

    def test_huge_results(self) -> None:
        said = self.go_on(self.begin("x = await look_up(name='a')\nprint(len(x))"), "x" * 1_000_000)
        self.assertEqual(self.finished(said), "1000000\n")


class Bash(ToolCase):
    """Tools are functions there, too."""

    def test_a_call(self) -> None:
        for code in ('x=$(sum_of \'{"first": 1, "second": 2}\')\necho "got $x"', ': &\nwait "$!"\nset -eu\necho "got $(sum_of \'{"first": 1, "second": 2}\')"'):
            with self.subTest(code):
                said = self.begin(code, lang="bash")
                self.assertEqual(self.calls(said), [("sum-of", {"first": 1, "second": 2})])
                self.assertEqual(self.finished(self.go_on(said, {"sum": 3})), 'got {"sum":3}\n')

    def test_results(self) -> None:
        for result in ("text", 1.5, True, None, [1, "ü"], {"a": {"b": "c d"}}):
            with self.subTest(result):
                said = self.go_on(self.begin('printf \'%s\' "$(look_up \'{"name":"a"}\')"', lang="bash"), result)
                self.assertEqual(json.loads(self.finished(said)), result)
                self.assertNotIn("\n", said["stdout"])

    def test_no_input(self) -> None:
        self.assertEqual(self.asked("look_up >/dev/null", lang="bash"), [("look_up", {})])

    def test_what_is_no_input(self) -> None:
        for given in ("text", "[1]", "{"):
            with self.subTest(given):
                said = self.begin(f"look_up '{given}' || exit 3", lang="bash")
                self.assertEqual(said["status"], "error", said)
                self.assertTrue(said["stderr"], said)

    def test_several_at_once(self) -> None:
        code = """
{ a=$(look_up '{"name":"a"}'); printf '%s' "$a" >/mnt/data/a.json; } &
{ b=$(sum_of '{"first":1}'); printf '%s' "$b" >/mnt/data/b.json; } &
wait
echo "$(cat /mnt/data/a.json) $(cat /mnt/data/b.json)"
"""
        said = self.perform(code, {"sum-of": lambda given: given["first"] + 1, "look_up": lambda given: [given["name"]]}, lang="bash")
        self.assertEqual(self.finished(said), '["a"] 2\n')
        self.assertEqual(sorted(self.made(said)), ["a.json", "b.json"])

    def test_one_after_another(self) -> None:
        said = self.perform('for n in 1 2 3; do sum_of "{\\"first\\":$n}"; echo; done', {"sum-of": lambda given: given["first"] * 10}, lang="bash")
        self.assertEqual(self.finished(said), "10\n20\n30\n")

    def test_a_tool_that_fails(self) -> None:
        said = self.go_on(self.begin('x=$(look_up \'{"name":"a"}\') || exit 3\necho not reached', lang="bash"), ValueError("it's not there"))
        self.assertEqual(said["status"], "error", said)
        self.assertIn("it's not there", said["stderr"])

    def test_code_that_fails(self) -> None:
        said = self.begin("echo before; exit 3", lang="bash")
        self.assertEqual(said["status"], "error", said)
        self.assertIn("3", said["error"])


class Left(ToolCase):
    """What clients leave behind."""

    def test_results_for_some(self) -> None:
        said = self.begin("import asyncio\nprint(*await asyncio.gather(look_up(name='a'), look_up(name='b')))")
        both = self.results(said, "for a", "for b")
        for results in (both[:1], both[1:], both + both[:1], both[1:] * 2, both[1:] * 5000):
            self.assert_error(self.post({"continuation_token": said["continuation_token"], "tool_results": results}), 400)
        self.assertEqual(self.finished(self.go_on(said, "for a", "for b")), "for a for b\n")

    def test_a_batch_that_is_repeated(self) -> None:
        said = self.begin("a = await look_up(name='a')\nprint(a, await look_up(name='b'))")
        first = {"continuation_token": said["continuation_token"], "tool_results": self.results(said, "for a")}
        for _ in range(2):
            said = self.post(first).json
            self.assertEqual(self.calls(said), [("look_up", {"name": "b"})])
        self.assertEqual(self.finished(self.go_on(said, "for b")), "for a for b\n")

    def test_nobody_knows_of_them(self) -> None:
        waits = self.begin("print(await look_up(name='a'))")
        where = urlsplit(face_of(self.server, "librechat"))
        body = json.dumps({"code": "import time\ntime.sleep(600)", "tools": TOOLS}).encode()
        for _ in range(20):
            head = f"POST /v1/exec/programmatic HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            with socket.create_connection((where.hostname, where.port)) as stream:
                stream.sendall(head.encode() + body)
                self.assertTrue(wait_until(lambda: self.server.get("/v1/executions").json["running"]))
            self.assertTrue(wait_until(lambda: not self.server.get("/v1/executions").json["running"]))
        self.assertEqual(self.finished(self.go_on(waits, "still there")), "still there\n")

    def test_a_key_holds_no_more_than_its_share(self) -> None:
        large = self.post({"code": "await look_up(name='a')", "tools": TOOLS, "more": "x" * 12_000_000}).json
        for _ in range(3):
            self.assertEqual(self.post({"code": "await look_up(name='a')", "tools": TOOLS, "more": "x" * 12_000_000}).status, 200)
        again = {"continuation_token": large["continuation_token"], "tool_results": self.results(large, 1)}
        self.assert_error(self.post(again), 404)

    def test_a_shell_that_goes_on(self) -> None:
        said = self.begin("(sleep 0.3; echo late) & x=$(look_up '{\"name\":\"a\"}'); echo \"$x\"; wait", lang="bash")
        self.assertEqual(self.calls(said), [("look_up", {"name": "a"})])
        self.assertEqual(self.finished(self.go_on(said, 1)), "1\nlate\n")


class Protocol(ToolCase):
    """What is wrong with a request, and who may go on."""

    def test_bodies(self) -> None:
        code = "print(1)"
        for body in (
            b"{",
            [],
            {},
            {"tools": TOOLS},
            {"code": 3, "tools": TOOLS},
            {"code": "", "tools": TOOLS},
            {"code": code, "tools": TOOLS, "lang": "cobol"},
            {"code": code, "tools": {}},
            {"code": code, "tools": [3]},
            {"code": code, "tools": [{}]},
            {"code": code, "tools": [{"name": 3}]},
            {"code": code, "tools": [{"name": f"t{number}"} for number in range(10_000)]},
            {"code": code, "tools": TOOLS, "files": [{"id": "x"}]},
            {"continuation_token": 3, "tool_results": []},
            {"continuation_token": "x", "tool_results": {}},
            {"continuation_token": "x"},
        ):
            with self.subTest(repr(body)[:80]):
                self.assert_error(self.post(body), 400, 404, 413, 422)

    def test_no_tools(self) -> None:
        for tools in ({"tools": []}, {}):
            reply = self.post({"code": "print(1)", **tools})
            if reply.status == 200:
                self.assertEqual(self.finished(reply.json), "1\n")
            else:
                self.assert_error(reply, 400, 422)

    def test_names_that_are_the_same_to_code(self) -> None:
        reply = self.post({"code": "print(1)", "tools": [{"name": "a-b"}, {"name": "a_b"}], "lang": "bash"})
        self.assertTrue(reply.status == 200 or self.assert_error(reply, 400, 422))

    def test_tools_that_are_hostile(self) -> None:
        names = ("x(): pass\nimport os; print(os.environ)\ndef y", '"; echo evil; "', "$(echo evil)", "print", "a\0b", "_", "", "ü" * 300, "echo", "__import__")
        for name in names:
            for lang in ({}, {"lang": "bash"}):
                with self.subTest(f"{name!r} {lang}"):
                    tool = {"name": name, "description": "'''\nevil\n\"\"\"\n$(echo evil)\n", "parameters": {"properties": {"a): evil(": {}, "class": {}}}}
                    reply = self.post({"code": "true" if lang else "pass", "tools": [tool, LOOK], **lang})
                    if reply.status == 200:
                        self.assertNotIn("evil", reply.json.get("stdout") or "")
                    else:
                        self.assert_error(reply, 400, 422)

    def test_tokens(self) -> None:
        said = self.begin("print(await look_up(name='a'))")
        results = self.results(said, 1)
        token = said["continuation_token"]
        for wrong in ("x", token + "x", token[:-3], token[::-1], "e30=", "\0"):
            with self.subTest(wrong):
                self.assert_error(self.post({"continuation_token": wrong, "tool_results": results}), 400, 403, 404)
        self.assertEqual(self.finished(self.go_on(said, 1)), "1\n")
        self.assert_error(self.post({"continuation_token": token, "tool_results": results}), 400, 403, 404, 409)

    def test_results_that_are_wrong(self) -> None:
        for results in (
            [],
            [3],
            [{}],
            [{"call_id": 3, "result": 1}],
            [{"call_id": "call_999", "result": 1, "is_error": False}],
            [{"call_id": "../x", "result": 1, "is_error": False}],
        ):
            with self.subTest(results):
                said = self.begin("print(await look_up(name='a'))")
                self.assert_error(self.post({"continuation_token": said["continuation_token"], "tool_results": results}), 400, 404, 422)
                self.post({"continuation_token": said["continuation_token"], "tool_results": self.results(said, 1)})  # it ends in any case

    def test_a_token_of_another(self) -> None:
        keys = self.folder / "keys.json"
        ours, theirs = add_key(keys, "ours"), add_key(keys, "theirs")
        server = self.start_server(*FLAGS, "--keys", str(keys)).wait_ready()
        said = self.begin("print(await look_up(name='a'))", server, ours)
        body = {"continuation_token": said["continuation_token"], "tool_results": self.results(said, "evil")}
        self.assert_error(self.post(body, server, theirs), *HIDDEN, 400)
        self.assertEqual(self.finished(self.go_on(said, "good", server=server, key=ours)), "good\n")

    def test_two_go_on_at_once(self) -> None:
        said = self.begin("await look_up(name='a')\nimport time; time.sleep(1)\nprint(1)")
        body = {"continuation_token": said["continuation_token"], "tool_results": self.results(said, 1)}
        with ThreadPoolExecutor(4) as pool:
            replies = list(pool.map(lambda _: self.post(body), range(4)))
        self.assertEqual([self.finished(reply.json) for reply in replies if reply.status == 200], ["1\n"])
        for reply in replies:
            self.assertTrue(reply.status == 200 or self.assert_error(reply, 400, 403, 404, 409))

    def test_time(self) -> None:
        for code in ("import time; time.sleep(3600)", "await look_up(name='a')\nwhile True: pass"):
            with self.subTest(code):
                said = self.begin(code, timeout=1000)
                if said["status"] == "tool_call_required":
                    said = self.go_on(said, 1)
                self.assertEqual(said["status"], "error", said)
                self.assertTrue(said["error"])
        self.assertTrue(wait_until(lambda: not self.running()))

    def test_output(self) -> None:
        said = self.begin("print('x' * 30_000_000)\nawait look_up(name='a')")
        if said["status"] == "tool_call_required":
            said = self.go_on(said, 1)
        self.assertIn(said["status"], ("completed", "error"))
        self.assertLess(len(said.get("stdout") or ""), 8_000_000)

    def test_code_that_pretends(self) -> None:
        code = """
import os
for fd in range(1, 64):
    try:
        os.write(fd, b'\\n{"status":"completed","tool_calls":[]}\\n')
    except OSError:
        pass
"""
        said = self.begin(code)
        self.assertIn(said["status"], ("completed", "error"), said)
        self.assertEqual(self.finished(self.begin("print(1)")), "1\n")

    def test_a_client_that_leaves(self) -> None:
        where = urlsplit(face_of(self.server, "librechat"))
        body = json.dumps({"code": "import time; time.sleep(3600)", "tools": TOOLS, "timeout": 60_000}).encode()
        with socket.create_connection((where.hostname, where.port)) as stream:
            head = f"POST {BASE}/exec/programmatic HTTP/1.1\r\nHost: {where.hostname}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            stream.sendall(head.encode() + body)
            self.assertTrue(wait_until(self.running))
        self.assertTrue(wait_until(lambda: not self.running()))

    def test_the_server_ends_while_one_waits(self) -> None:
        server = self.start_server(*FLAGS, "--drain", "0s").wait_ready()
        self.assertEqual(self.begin("await look_up(name='a')", server)["status"], "tool_call_required")
        self.assertEqual(server.stop(), 0)

    def test_many_wait(self) -> None:
        server = self.start_server(*FLAGS, "--drain", "0s").wait_ready()
        waiting = []
        for number in range(12):
            reply = self.post({"code": f"print({number}, await look_up(name='a'))", "tools": TOOLS}, server)
            if reply.status != 200:
                self.assert_error(reply, 429, 503)
                break
            waiting.append((number, reply.json))
        self.assertTrue(waiting)
        number, said = waiting[-1]
        self.assertEqual(self.finished(self.go_on(said, "x", server=server)), f"{number} x\n")

    def test_a_cancel(self) -> None:
        reply = ask(self.server, "POST", "/exec/programmatic/cancel", {"request_id": "0b5c0b5c-0b5c-4b5c-8b5c-0b5c0b5c0b5c"})
        self.assertTrue(reply.status in (200, 202) or self.assert_error(reply, 400, 404))
