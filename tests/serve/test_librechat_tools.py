"""--face librechat: code that calls tools of the client's (POST /exec/programmatic)."""

import json

from support.librechat_tools import ToolCase


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

    def test_it_begins_anew(self) -> None:
        said = self.begin("import uuid\nprint(await look_up(name=uuid.uuid4().hex))")
        again = self.go_on(said, 1)
        self.assertEqual(again["status"], "tool_call_required", again)
        self.assertNotEqual(self.calls(again), self.calls(said))

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
