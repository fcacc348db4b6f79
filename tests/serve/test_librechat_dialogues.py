"""--face librechat: the protocol by which a client performs the tools of a program, and what it leaves behind."""

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

from support.faces import face_of
from support.librechat import BASE, FLAGS, HIDDEN, ask
from support.librechat_tools import LOOK, TOOLS, ToolCase
from support.serve import add_key
from support.times import wait_until


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
