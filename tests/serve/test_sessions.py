"""/v1/sessions: what lives on between requests, and for whom."""

import contextlib
import hashlib
import json
import re
import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, ClassVar

from support.messages import message, sentence
from support.serve import JSON, Reply, take
from support.serve_sessions import INVENTED, SessionCase
from support.times import wait_until

MARKER = "\n...[truncated]"
NAME = re.compile(r"code-session-[0-9a-f]{32}")


class Lives(SessionCase):
    """From the beginning to the end."""

    def test_beginning_and_end(self) -> None:
        before = time.time()
        reply = self.server.post("/v1/sessions", {})
        after = time.time()
        self.assertEqual((reply.status, set(reply.json)), (201, {"session_id", "expires_at"}))
        self.assertTrue(NAME.fullmatch(reply.json["session_id"]), reply)
        self.assertTrue(before + 899.999 <= reply.json["expires_at"] <= after + 900)
        self.assertEqual(reply.json["expires_at"], round(reply.json["expires_at"], 3))
        session = "/v1/sessions/" + reply.json["session_id"]
        self.assertIn(session, self.listed())
        ended = self.server.ask("DELETE", session)
        self.assertEqual((ended.status, ended.body), (204, b""))
        self.assertNotIn(session, self.listed())
        self.is_not_there(self.server.ask("DELETE", session), session)
        self.is_not_there(self.server.post(session + "/bash", {"cmd": "true"}), session)
        self.is_not_there(self.server.post(session + "/python", {"code": "1"}), session)

    def test_time_to_live_has_bounds(self) -> None:
        for ttl, kind, bound in ((0, "greater_than_equal", {"ge": 1}), (86401, "less_than_equal", {"le": 86400})):
            reply = self.server.post("/v1/sessions", {"ttl_seconds": ttl})
            self.assertEqual(reply.status, 422, reply)
            (entry,) = reply.detail
            word = "greater" if ttl == 0 else "less"
            message = f"Input should be {word} than or equal to {next(iter(bound.values()))}"
            self.assertEqual(entry, {"type": kind, "loc": ["body", "ttl_seconds"], "msg": message, "input": ttl, "ctx": bound})
        for text in ("900.0", '"900"', "true"):
            self.assertEqual(self.server.post("/v1/sessions", f'{{"ttl_seconds":{text}}}'.encode()).status, 422)
        self.begin(ttl_seconds=86400)

    def test_it_ends_when_its_time_is_over(self) -> None:
        session = self.begin(ttl_seconds=1)
        self.assertTrue(wait_until(lambda: session not in self.listed()))
        self.is_not_there(self.server.post(session + "/bash", {"cmd": "true"}), session)

    def test_names_that_are_none(self) -> None:
        for name in (INVENTED, "x", "code-session-", "code-session-" + "0" * 31, INVENTED + "0", "..%2f..", "%2e", INVENTED.replace("0", "A"), "a" * 5000):
            with self.subTest(name=name[:50]):
                for method, path, body in (("DELETE", "", None), ("POST", "/bash", {"cmd": "true"}), ("POST", "/python", {"code": "1"})):
                    reply = self.server.ask(method, f"/v1/sessions/{name}{path}", body)
                    self.assertEqual(reply.status, 404, reply)
                    self.assertRegex(reply.detail, message("session_work_refuse_name"))

    def test_what_is_wrong_is_said_before_the_session_is_looked_for(self) -> None:
        for path, body in (("bash", {}), ("bash", {"cmd": 1}), ("bash", {"cmd": "true", "timeout_ms": 0}), ("python", {}), ("python", {"code": "\0"})):
            self.assertEqual(self.server.post(f"/v1/sessions/{INVENTED}/{path}", body).status, 422)
        reply = self.server.post(f"/v1/sessions/{INVENTED}/bash", {"cmd": "true", "timeout_ms": 60001})
        self.assertEqual((reply.status, reply.detail), (422, sentence("session_calls_read#timeout_ms", 60000)))

    def test_files_are_there(self) -> None:
        contents = {"a/b.txt": b"hello", "__main__.py": b"print(6 * 7)", "empty": b""}
        files = [{"path": path, "file_id": self.uploaded("x", content)} for path, content in contents.items()]
        session = self.begin(files=files)
        self.assertEqual(self.bash(session, "cat a/b.txt; python3 __main__.py; wc -c < empty")["stdout"], "hello42\n0\n")
        reply = self.server.post("/v1/sessions", {"files": [{"path": "x", "file_id": "nothing"}]})
        self.assertEqual((reply.status, reply.detail), (404, sentence("staging_explain", "nothing", "x")))
        reply = self.server.post("/v1/sessions", {"files": [{"path": "../x", "file_id": files[0]["file_id"]}]})
        self.assertEqual((reply.status, reply.detail), (422, sentence("staging_clean_path#contain")))

    def test_limits_only_tighten(self) -> None:
        session = self.begin(limits={"memory": "100m"})
        reply = self.python(session, "b = bytearray(200 << 20)")
        self.assertEqual((reply["exit_code"], reply["lost"], reply["oom"], reply["verdict"]), (137, True, True, "memory"))
        self.assertTrue(reply["lost_because"])
        self.is_not_there(self.server.post(session + "/python", {"code": "1"}), session)
        self.assertEqual(self.server.post("/v1/sessions", {"limits": {"memory": "1t"}}).status, 422)


class Bash(SessionCase):
    """Command lines."""

    def test_reply(self) -> None:
        session = self.begin()
        reply = self.bash(session, "echo out; echo err >&2; exit 3")
        self.assertEqual((reply["stdout"], reply["stderr"], reply["exit_code"], reply["timed_out"]), ("out\n", "err\n", 3, False))
        self.assertEqual((type(reply["duration_ms"]), reply["lost"], reply["lost_because"]), (int, False, None))
        self.assertEqual((reply["verdict"], reply["truncated"], reply["oom"]), ("exited", False, False))

    def test_what_stays_and_what_does_not(self) -> None:
        session = self.begin()
        self.bash(session, "echo 1 > file; cd /tmp; name=1; sleep 1000 & ")
        reply = self.bash(session, "pwd; cat file; echo [$name]; pgrep -c sleep || ps ax | grep -c '[s]leep'")
        self.assertEqual(reply["stdout"].split()[:3], ["/workspace", "1", "[]"], reply)
        self.assertEqual(self.bash(session, "cat; kill -9 $$")["exit_code"], 137)

    def test_timeout(self) -> None:
        session = self.begin()
        reply = self.bash(session, "echo begun; sleep 1000", timeout_ms=300)
        self.assertEqual((reply["stdout"], reply["exit_code"], reply["timed_out"], reply["verdict"]), ("begun\n", None, True, "wall_time"))
        self.assertEqual(self.bash(session, "echo on")["stdout"], "on\n")

    def test_much_output_is_cut(self) -> None:
        session = self.begin()
        reply = self.bash(session, "head -c 3000000 /dev/zero | tr '\\0' x; echo e >&2")
        self.assertEqual((len(reply["stdout"]), reply["stderr"], reply["truncated"]), (1000000 - 32 + len(MARKER), "e\n", True))
        self.assertTrue(reply["stdout"].endswith("x" + MARKER))

    def test_long_command_line(self) -> None:
        session = self.begin()
        reply = self.bash(session, ": " + "x" * (131071 - 10) + "; exit 7")
        self.assertEqual((reply["exit_code"], reply["stderr"]), (7, ""))
        for cmd in ("x" * 131072, "\u00e9" * 65536):
            reply = self.server.post(session + "/bash", {"cmd": cmd})
            self.assertEqual((reply.status, reply.detail), (422, sentence("session_calls_read#bytes", 131071)))

    def test_traceback_of_a_shell_that_cannot_be_started_is_cut(self) -> None:
        server = self.start_server("--max-output", "1000").wait_ready()
        session = self.begin(server)
        code = "import os\ndef none(*_, **__): raise ValueError('x' * 900_000)\nos.posix_spawnp = none"
        self.assertEqual(server.post(session + "/python", {"code": code}).json["exit_code"], 0)
        reply = server.post(session + "/bash", {"cmd": "true"}).json
        self.assertEqual((len(reply["stderr"]), reply["truncated"]), (1000 - 32 + len(MARKER), True))
        self.assertTrue(reply["stderr"].endswith(MARKER))


class Python(SessionCase):
    """Code that keeps its names."""

    def test_state_value_and_output(self) -> None:
        session = self.begin()
        reply = self.python(session, "import sys; x = 41; print('out'); print('err', file=sys.stderr)")
        self.assertEqual((reply["stdout"], reply["stderr"], reply["exit_code"], reply["value"]), ("out\n", "err\n", 0, None))
        self.assertEqual((reply["displays"], reply["figures"], reply["error"], reply["lost"]), ([], [], None, False))
        reply = self.python(session, "display('shown'); x + 1")
        self.assertEqual((reply["value"]["text/plain"], reply["displays"][0]["text/plain"]), ("42", "'shown'"))
        self.assertEqual(self.bash(session, "true")["exit_code"], 0)
        self.assertEqual(self.python(session, "x")["value"]["text/plain"], "41")

    def test_errors_have_their_parts(self) -> None:
        session = self.begin()
        reply = self.python(session, "def f():\n    return 1 / 0\nf()")
        self.assertEqual((reply["exit_code"], reply["verdict"], reply["timed_out"]), (1, "exited", False))
        self.assertEqual((reply["error"]["name"], reply["error"]["value"]), ("ZeroDivisionError", "division by zero"))
        self.assertIn("return 1 / 0", "".join(reply["error"]["traceback"]))
        self.assertEqual(self.python(session, "import sys; sys.exit(7)")["exit_code"], 7)
        self.assertEqual(self.python(session, "1 +")["error"]["name"], "SyntaxError")

    def test_timeout_keeps_the_session(self) -> None:
        session = self.begin()
        reply = self.python(session, "x = 1; print('begun', flush=True)\nwhile True: pass", timeout_ms=300)
        self.assertEqual((reply["stdout"], reply["exit_code"], reply["timed_out"], reply["lost"]), ("begun\n", None, True, False))
        self.assertEqual(self.python(session, "x")["value"]["text/plain"], "1")

    def test_what_ends_its_interpreter(self) -> None:
        for code, status in (("import os; os._exit(3)", 3), ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", 137)):
            session = self.begin()
            reply = self.python(session, code)
            self.assertEqual((reply["exit_code"], reply["lost"], reply["value"]), (status, True, None), reply)
            self.is_not_there(self.server.post(session + "/python", {"code": "1"}), session)
            self.assertNotIn(session, self.listed())

    def test_calls_take_turns(self) -> None:
        session = self.begin()
        replies: list[Reply] = []

        def ask(i: int) -> None:
            replies.append(self.server.post(session + "/python", {"code": f"a = {i}\nfor _ in range(1000): assert a == {i}"}))

        threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual({(reply.status, reply.json["exit_code"]) for reply in replies}, {(200, 0)})

    def test_who_waits_too_long_is_told(self) -> None:
        session = self.begin()
        with contextlib.closing(self.server.connection()) as client:
            client.request("POST", session + "/bash", json.dumps({"cmd": "echo > begun; while [ ! -e over ]; do sleep 0.1; done"}), JSON)
            self.assertTrue(wait_until(lambda: self.server.get("/v1/sessions").json["sessions"][-1]["busy"]))
            reply = self.server.post(session + "/python", {"code": "1", "timeout_ms": 100})
            name = session.removeprefix("/v1/sessions/")
            self.assertEqual((reply.status, reply.detail), (409, sentence("session_work_refuse", name)))

    def test_a_client_that_leaves_ends_its_call(self) -> None:
        for kind, member, text in (("bash", "cmd", "sleep 1000"), ("python", "code", "while True: pass")):
            session = self.begin()
            with contextlib.closing(self.server.connection()) as client:
                client.request("POST", f"{session}/{kind}", json.dumps({member: text, "timeout_ms": 60000}), JSON)
                self.assertTrue(wait_until(lambda: any(s["busy"] for s in self.server.get("/v1/sessions").json["sessions"])))
            self.assertEqual(self.python(session, "1 + 1", timeout_ms=20000)["value"]["text/plain"], "2")

    def test_large_answer_is_cut(self) -> None:
        session = self.begin()
        self.python(session, "def show(n):\n    for i in range(n): display({'text/plain': str(i), 'text/html': 'x' * (1 << 20)}, raw=True)")
        reply = self.python(session, "show(7)\n6 * 7")
        self.assertEqual((reply["truncated"], [len(d["text/html"]) for d in reply["displays"]]), (False, [1 << 20] * 7))
        sent = self.server.post(session + "/python", {"code": "show(50)\n6 * 7"})
        reply = sent.json
        self.assertLess(len(sent.body), (8 << 20) + 2000)
        self.assertEqual((reply["truncated"], reply["lost"], reply["value"]), (True, False, {"text/plain": "42"}))
        self.assertEqual([len(d.get("text/html", "")) for d in reply["displays"]], [1 << 20] * 7 + [0] * 43)
        self.assertLess(self.server.peak_bytes(), 100 << 20)

    def test_answers_of_foreign_code(self) -> None:
        session = self.begin()
        code = (
            "import os, struct, sys\nf = sys._getframe()\nwhile 'number' not in f.f_locals: f = f.f_back\n"
            "text = b'{\"id\":%d,\"status\":\"ok\",\"value\":{\"text/plain\":\"%s\"}}' % (f.f_locals['number'], WHAT)\n"
            "text, pipe = memoryview(struct.pack('<I', len(text)) + text), f.f_locals['pipe']\n"
            "while text: text = text[os.write(pipe, text):]\nos.dup2(os.open('/dev/null', os.O_WRONLY), pipe)"
        )
        reply = self.python(session, code.replace("WHAT", "b'x'"))
        self.assertEqual((reply["value"], reply["truncated"]), ({"text/plain": "x"}, False))
        for character in ("b'\\x7f'", "'\u00e9'.encode()"):
            sent = self.server.post(session + "/python", {"code": code.replace("WHAT", character + " * (3 << 20)")})
            self.assertLess(len(sent.body), 1000)
            self.assertEqual((sent.json["value"], sent.json["truncated"], sent.json["lost"]), (None, True, False))
        reply = self.python(session, code.replace("WHAT", "b'x' * (8 << 20)"))
        self.assertEqual((reply["lost"], reply["value"]), (True, None))
        self.assertRegex(reply["lost_because"], message("call_receive_more#large"))


class Owners(SessionCase):
    """Keys, and what each has."""

    KEYS: ClassVar = {"alice": {"sessions": 2, "ttl": "60s"}, "bob": None, "carol": {"concurrency": 1}}

    def setUp(self) -> None:
        """Start a server with two keys."""
        super().setUp()
        folder = Path(tempfile.mkdtemp(prefix="keys-"))
        self.addCleanup(shutil.rmtree, folder)
        self.keys = {name: "gbx_" + name * 8 + "x" * (43 - 8 * len(name)) for name in self.KEYS}
        entries = [
            {"name": name, "sha256": hashlib.sha256(key.encode()).hexdigest(), "created": "2026-11-24T00:00:00Z"}
            | ({"ceiling": self.KEYS[name]} if self.KEYS[name] else {})
            for name, key in self.keys.items()
        ]
        file = folder / "keys.json"
        file.touch(mode=0o600)
        file.write_text(json.dumps({"keys": entries}))
        self.keyed = self.start_server("--keys", str(file), "--node", "n1").wait_ready()

    def ask(self, who: str, method: str, path: str, body: Any = None) -> Reply:
        """Make a request with somebody's key."""
        return self.keyed.ask(method, path, body, {"Authorization": f"Bearer {self.keys[who]}"})

    def make(self, who: str) -> str:
        """Begin a session of somebody's."""
        reply = self.ask(who, "POST", "/v1/sessions", {})
        self.assertEqual(reply.status, 201, reply)
        return "/v1/sessions/" + reply.json["session_id"]

    def test_anothers_is_not_there(self) -> None:
        session = self.make("alice")
        self.assertRegex(session, r"^/v1/sessions/code-session-n1-[0-9a-f]{32}$")
        self.assertEqual(self.ask("bob", "GET", "/v1/sessions").json, {"sessions": []})
        self.is_not_there(self.ask("bob", "POST", session + "/bash", {"cmd": "true"}), session)
        self.is_not_there(self.ask("bob", "POST", session + "/python", {"code": "1"}), session)
        self.is_not_there(self.ask("bob", "POST", session + "/python/stream", {"code": "1"}), session)
        self.is_not_there(self.ask("bob", "POST", session + "/interrupt", {}), session)
        self.is_not_there(self.ask("bob", "PATCH", session, {"ttl_seconds": 60}), session)
        self.is_not_there(self.ask("bob", "DELETE", session), session)
        self.is_not_there(self.ask("alice", "DELETE", session.replace("-n1-", "-n2-")), session.replace("-n1-", "-n2-"))
        self.assertEqual(self.ask("alice", "POST", session + "/bash", {"cmd": "true"}).status, 200)
        self.assertEqual(self.keyed.get("/v1/sessions").status, 401)

    def test_quota_counts_those_that_live(self) -> None:
        first, second = self.make("alice"), self.make("alice")
        reply = self.ask("alice", "POST", "/v1/sessions", {})
        self.assertEqual((reply.status, reply.headers["Retry-After"]), (429, "10"), reply)
        self.make("bob")
        self.assertEqual(self.ask("alice", "DELETE", first).status, 204)
        self.make("alice")
        lost = self.ask("alice", "POST", second + "/python", {"code": "import os; os._exit(0)"})
        self.assertEqual(lost.json["lost"], True)
        self.make("alice")
        self.assertEqual(self.ask("alice", "POST", "/v1/sessions", {}).status, 429)

    def test_quota_holds_at_once(self) -> None:
        replies: list[Reply] = []
        ask = lambda: replies.append(self.ask("alice", "POST", "/v1/sessions", {}))  # noqa: E731
        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(reply.status for reply in replies), [201] * 2 + [429] * 6)

    def test_time_to_live_has_a_ceiling(self) -> None:
        reply = self.ask("alice", "POST", "/v1/sessions", {"ttl_seconds": 61})
        self.assertEqual((reply.status, reply.detail), (422, sentence("sessions_read_terms", 60)))
        before = time.time()
        reply = self.ask("alice", "POST", "/v1/sessions", {})
        self.assertTrue(before + 59.999 <= reply.json["expires_at"] <= time.time() + 60)

    def test_time_to_live_is_not_prolonged_beyond_the_ceiling(self) -> None:
        session = self.make("alice")
        time.sleep(1.1)
        reply = self.ask("alice", "PATCH", session, {"ttl_seconds": 60})
        self.assertEqual(reply.status, 422)
        self.assertRegex(reply.detail, r"may live \d+ s more")
        self.assertEqual(self.ask("alice", "PATCH", session, {"ttl_seconds": 30}).status, 200)
        self.assertEqual(self.ask("bob", "PATCH", self.make("bob"), {"ttl_seconds": 86400}).status, 200)

    def test_calls_count_in_concurrency(self) -> None:
        session, other = self.make("carol"), self.make("bob")
        with contextlib.closing(self.keyed.connection()) as client:
            body = json.dumps({"code": "while True: pass", "timeout_ms": 60000})
            client.request("POST", session + "/python", body, JSON | {"Authorization": f"Bearer {self.keys['carol']}"})
            self.assertTrue(wait_until(lambda: self.ask("carol", "GET", "/v1/sessions").json["sessions"][0]["busy"]))
            for path, call in (("/python", {"code": "1"}), ("/python/stream", {"code": "1"}), ("/bash", {"cmd": "true"})):
                reply = self.ask("carol", "POST", session + path, call)
                self.assertEqual((reply.status, bool(reply.headers["Retry-After"])), (429, True), reply)
            self.assertEqual(self.ask("carol", "POST", "/v1/execute", {"code": "1"}).status, 429)
            self.assertEqual(self.ask("bob", "POST", other + "/python", {"code": "1"}).status, 200)
            self.assertEqual(self.ask("carol", "POST", session + "/interrupt", {}).status, 204)
            self.assertEqual(take(client).status, 200)
        self.assertEqual(self.ask("carol", "POST", session + "/python", {"code": "1"}).status, 200)

    def test_label_is_checked(self) -> None:
        server = self.start_server("--node", "N-1")
        self.assertEqual(server.end(), 125)
        self.assertIn("--node", server.said[-1])
