"""--face e2b: the API of E2B's clients, asked as they ask it, on an address beside the server's."""

import base64
import contextlib
import hashlib
import http.client
import json
import struct
import time
import urllib.parse
from collections.abc import Iterator
from typing import Any

from support.faces import connect
from support.serve import JSON, Reply, ServeCase, Server, add_key, take
from support.times import wait_until

FLAGS = ("--face", "e2b=127.0.0.1:0")
STREAM = {"Content-Type": "application/connect+json", "Connect-Protocol-Version": "1"}
PROCESS, TREE = "/process.Process/", "/filesystem.Filesystem/"
GONE = {"message": "The sandbox was not found", "code": 502}
HOME = "/home/user"
END = 2  # flag of a stream's last envelope


def envelope(message: Any, flags: int = 0) -> bytes:
    """Return a message of a stream."""
    text = json.dumps(message).encode()
    return struct.pack(">BI", flags, len(text)) + text


class Box:
    """A sandbox, and what its clients send."""

    def __init__(self, server: Server, created: dict[str, Any], **headers: str) -> None:
        """Take the reply of a create."""
        self.server = server
        self.id = created["sandboxID"]
        self.token = created.get("envdAccessToken")
        self.headers = headers

    def reach(self, method: str, path: str, body: Any = None, **headers: str) -> Reply:
        """One request into it, as its clients name and prove it."""
        token = {"X-Access-Token": self.token} if self.token else {}
        return ask(self.server, method, path, body, **{"E2b-Sandbox-Id": self.id, **token, **headers})

    def control(self, method: str, tail: str = "", body: Any = None) -> Reply:
        """One request about it."""
        return ask(self.server, method, f"/sandboxes/{self.id}{tail}", body, **self.headers)

    def lines(self, code: str, **members: Any) -> list[dict[str, Any]]:
        """Run code; return the lines of the reply."""
        reply = self.reach("POST", "/execute", {"code": code, **members})
        assert reply.status == 200, reply
        return [json.loads(line) for line in reply.body.splitlines()]

    def text(self, code: str, **members: Any) -> str:
        """Run code; return what it printed."""
        return "".join(line["text"] for line in self.lines(code, **members) if line["type"] == "stdout")

    def call(self, method: str, **message: Any) -> Reply:
        """A call with one answer."""
        return self.reach("POST", method, message, **{"Connect-Protocol-Version": "1"})

    def tree(self, method: str, **message: Any) -> Reply:
        """A call of the file system."""
        return self.call(TREE + method, **message)

    @contextlib.contextmanager
    def stream(self, method: str, message: Any, **headers: str) -> Iterator["Stream"]:
        """A call whose answer is a stream."""
        connection = connect(self.server, "e2b")
        names = {"E2b-Sandbox-Id": self.id, "X-Access-Token": self.token or "", **STREAM, **headers}
        connection.request("POST", method, envelope(message), names)
        try:
            yield Stream(connection)
        finally:
            connection.close()

    def start(self, command: str, stdin: bool = False, headers: dict[str, str] | None = None, **process: Any) -> "contextlib.AbstractContextManager[Stream]":
        """Start a command line, as clients do."""
        line = {"cmd": "/bin/bash", "args": ["-c", command], **process}
        return self.stream(PROCESS + "Start", {"process": line, "stdin": stdin}, **(headers or {}))

    def run(self, command: str, **options: Any) -> tuple[str, str, dict[str, Any]]:
        """Run one to its end: what it printed, and how it ended."""
        with self.start(command, **options) as stream:
            return stream.finish()


class Stream:
    """The answer of a call that is a stream."""

    def __init__(self, connection: http.client.HTTPConnection) -> None:
        """Read its head."""
        self.connection = connection
        self.response = connection.getresponse()
        self.pid = 0
        self.out = {"stdout": b"", "stderr": b"", "pty": b""}
        self.end: dict[str, Any] = {}

    def message(self) -> tuple[int, dict[str, Any]]:
        """Return the next envelope."""
        flags, length = struct.unpack(">BI", self.response.read(5))
        return flags, json.loads(self.response.read(length))

    def next(self) -> dict[str, Any]:
        """Return the next event, and note it."""
        flags, message = self.message()
        if flags == END:
            return {"close": message}
        event = message["event"]
        self.pid = event.get("start", {}).get("pid", self.pid)
        for name, text in event.get("data", {}).items():
            self.out[name] += base64.b64decode(text)
        self.end = event.get("end", self.end)
        return event

    def begun(self) -> "Stream":
        """Wait until it runs."""
        assert "start" in self.next() and self.pid
        return self

    def until(self, text: bytes, name: str = "stdout") -> None:
        """Wait until it has printed this."""
        while text not in self.out[name]:
            self.next()

    def close(self) -> dict[str, Any]:
        """Wait for the last envelope."""
        while "close" not in (event := self.next()):
            pass
        return event["close"]

    def finish(self) -> tuple[str, str, dict[str, Any]]:
        """Wait for a good end: what it printed, and how it ended."""
        assert self.close() == {}
        return self.out["stdout"].decode(), self.out["stderr"].decode(), self.end


def ask(server: Server, method: str, path: str, body: Any = None, **headers: str) -> Reply:
    """One request."""
    connection = connect(server, "e2b")
    sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    connection.request(method, path, sent, {**(JSON if isinstance(body, dict) else {}), **headers})
    try:
        return take(connection)
    finally:
        connection.close()


class E2bCase(ServeCase):
    """A server that has it, and sandboxes of a test's own."""

    flags = FLAGS

    def create(self, server: Server | None = None, path: str = "/v2/sandboxes", headers: dict[str, str] | None = None, **members: Any) -> Box:
        """Begin a sandbox, which ends with the test."""
        reply = ask(server or self.server, "POST", path, {"templateID": "base", **members}, **(headers or {}))
        self.assertEqual(reply.status, 201, reply)
        box = Box(server or self.server, reply.json, **(headers or {}))
        self.addCleanup(self.forget, box)
        return box

    @staticmethod
    def forget(box: Box) -> None:
        """End a sandbox, if its server is still there."""
        with contextlib.suppress(ConnectionRefusedError):
            box.control("DELETE")

    def assert_error(self, reply: Reply, status: int, word: str = "") -> None:
        """Assert the form in which clients read errors."""
        self.assertEqual((reply.status, reply.json["code"]), (status, status), reply)
        self.assertIn(word, reply.json["message"])

    def assert_gone(self, reply: Reply) -> None:
        """Assert that clients take the sandbox for gone."""
        self.assertEqual((reply.status, {**reply.json, "sandboxId": ""}), (502, {**GONE, "sandboxId": ""}), reply)


class Control(E2bCase):
    """/sandboxes."""

    def test_its_life(self) -> None:
        box = self.create(timeout=100, metadata={"a": "b"})
        self.assertRegex(box.id, "^i[0-9a-f]{32}$")
        info = box.control("GET").json
        self.assertEqual((info["state"], info["metadata"], info["templateID"]), ("running", {"a": "b"}, "base"))
        for name in ("startedAt", "endAt", "cpuCount", "memoryMB", "diskSizeMB", "envdVersion", "clientID"):
            self.assertIn(name, info)
        self.assertEqual(box.reach("GET", "/health").status, 204)
        self.assertEqual(box.control("POST", "/timeout", {"timeout": 1000}).status, 204)
        self.assertGreater(box.control("GET").json["endAt"], info["endAt"])
        self.assertEqual((box.control("DELETE").status, box.control("DELETE").status), (204, 404))
        self.assert_error(box.control("GET"), 404, box.id)
        self.assert_gone(box.reach("GET", "/health"))

    def test_its_time_is_over(self) -> None:
        box = self.create(timeout=1)
        wait_until(lambda: box.reach("GET", "/health").status == 502)
        self.assert_gone(box.reach("POST", "/execute", {"code": "1"}))

    def test_a_list(self) -> None:
        boxes = [self.create(metadata={"who": "me & you=é", "n": str(n)}).id for n in range(3)]

        def listed(**query: str) -> Reply:
            return ask(self.server, "GET", "/v2/sandboxes?" + urllib.parse.urlencode(query))

        def of(**pairs: str) -> str:
            quoted = {urllib.parse.quote(key): urllib.parse.quote(value) for key, value in pairs.items()}
            return urllib.parse.urlencode(quoted)

        mine = of(who="me & you=é")
        self.assertEqual([box["sandboxID"] for box in listed(metadata=mine).json], boxes[::-1])
        self.assertEqual([box["sandboxID"] for box in listed(metadata=of(who="me & you=é", n="1")).json], [boxes[1]])
        self.assertEqual(listed(metadata=of(who="you")).json, [])
        self.assertEqual(listed(metadata=mine, state="paused").json, [])
        page = listed(metadata=mine, limit="2")
        self.assertEqual([box["sandboxID"] for box in page.json], boxes[:0:-1])
        rest = listed(metadata=mine, limit="2", nextToken=page.headers["x-next-token"])
        self.assertEqual(([box["sandboxID"] for box in rest.json], rest.headers["x-next-token"]), ([boxes[0]], None))
        self.assert_error(listed(limit="x"), 400)

    def test_a_pause(self) -> None:
        box = self.create()
        box.lines("x = 6")
        self.assertEqual((box.control("POST", "/pause", {}).status, box.control("POST", "/pause", {}).status), (204, 409))
        self.assertEqual(box.control("GET").json["state"], "paused")
        self.assert_gone(box.reach("GET", "/health"))
        self.assert_gone(box.reach("POST", "/execute", {"code": "x"}))
        resumed = ask(self.server, "POST", f"/v2/sandboxes/{box.id}/connect", {"timeout": 60})
        self.assertEqual((resumed.status, resumed.json["envdAccessToken"]), (201, box.token))
        self.assertEqual(box.text("print(x * 7)"), "42\n")
        self.assertEqual(ask(self.server, "POST", f"/v2/sandboxes/{box.id}/connect", {}).status, 200)

    def test_a_connect_never_shortens(self) -> None:
        box = self.create(timeout=600)
        ends = box.control("GET").json["endAt"]
        self.assertEqual(box.control("POST", "/connect", {"timeout": 10}).status, 200)
        self.assertLess(abs(seconds(box.control("GET").json["endAt"]) - seconds(ends)), 60)

    def test_what_is_refused(self) -> None:
        for members, status, word in (
            ({"templateID": "other"}, 404, "other"),
            ({"timeout": -1}, 400, "timeout"),
            ({"timeout": "long"}, 400, "timeout"),
            ({"autoPause": True}, 400, "autoPause"),
            ({"volumeMounts": [{"name": "a"}]}, 400, "volumeMounts"),
            ({"envVars": {"A=B": "c"}}, 400, ""),
            ({"network": {"allowOut": ["example.com"]}}, 400, "example.com"),
        ):
            with self.subTest(members):
                self.assert_error(ask(self.server, "POST", "/v2/sandboxes", {"templateID": "base", **members}), status, word)
        self.assert_error(ask(self.server, "POST", "/v2/sandboxes", b"[]"), 400)
        box = self.create()
        for method, tail in (("POST", "/fork"), ("POST", "/snapshots"), ("PUT", "/network")):
            self.assert_error(box.control(method, tail, {}), 501)
        self.assertEqual(box.control("GET", "/metrics").json, [])
        self.assert_error(ask(self.server, "GET", "/nothing"), 404)

    def test_names_of_hosts(self) -> None:
        server = self.start_server(*FLAGS, "--allow-host", ".e2b.test").wait_ready()
        box = self.create(server, headers={"Host": "api.e2b.test:8443"})
        for port, path in (("49983", "/health"), ("49999", "/contexts")):
            reply = ask(server, "GET", path, Host=f"{port}-{box.id}.e2b.test:8443", **{"X-Access-Token": box.token or ""})
            self.assertIn(reply.status, (200, 204), reply)
        self.assert_gone(ask(server, "GET", "/health", Host=f"3000-{box.id}.e2b.test"))
        self.assert_error(ask(server, "GET", "/v2/sandboxes", Host="api.other.test"), 403)


def seconds(text: str) -> float:
    """A time of a reply."""
    return time.mktime(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S"))


class Code(E2bCase):
    """/execute and /contexts."""

    def setUp(self) -> None:
        super().setUp()
        self.box = self.create(envVars={"OF_ALL": "here", "LANG": "C.UTF-8"})

    def test_lines(self) -> None:
        lines = self.box.lines("import sys\nprint('é\\0')\nprint('no', file=sys.stderr)\n[1, 'a']")
        kinds = [line["type"] for line in lines]
        self.assertEqual(sorted(kinds[:2]), ["stderr", "stdout"])
        self.assertEqual(kinds[2:], ["number_of_executions", "result", "end_of_execution"])
        self.assertEqual({line["text"] for line in lines[:2]}, {"é\0\n", "no\n"})
        self.assertEqual((lines[3]["text"], lines[3]["is_main_result"], lines[3]["extra"]), ("[1, 'a']", True, {}))

    def test_state_is_kept_and_texts_lose_their_quotes(self) -> None:
        self.box.lines("x = 'a text'")
        self.assertEqual([line["text"] for line in self.box.lines("x") if line["type"] == "result"], ["a text"])

    def test_all_of_it_is_ascii(self) -> None:
        reply = self.box.reach("POST", "/execute", {"code": "print('é' * 1000); 'ü'"})
        self.assertTrue(reply.body.isascii())
        self.assertNotIn(b"\n\n", reply.body)

    def test_what_is_raised(self) -> None:
        error = next(line for line in self.box.lines("def f():\n    raise ValueError('é' * 5000)\nf()") if line["type"] == "error")
        self.assertEqual((error["name"], error["value"]), ("ValueError", "é" * 5000))
        self.assertIn("line 2", error["traceback"])
        error = next(line for line in self.box.lines("import sys; sys.exit(4)") if line["type"] == "error")
        self.assertEqual((error["name"], error["value"]), ("SystemExit", "4"))

    def test_displays_come_before_the_value(self) -> None:
        code = "class H:\n    def _repr_html_(self): return '<b>é</b>'\ndisplay(H())\nH()"
        results = [line for line in self.box.lines(code) if line["type"] == "result"]
        self.assertEqual([(line["html"], line["is_main_result"]) for line in results], [("<b>é</b>", False), ("<b>é</b>", True)])

    def test_variables(self) -> None:
        shown = "import os; print(os.environ.get('A'), os.environ['OF_ALL'], os.environ['HOME'], os.getcwd())"
        self.assertEqual(self.box.text(shown, env_vars={"A": "'\"é"}), f"'\"é here {HOME} {HOME}\n")
        self.assertEqual(self.box.text(shown), f"None here {HOME} {HOME}\n")

    def test_other_languages(self) -> None:
        self.assertEqual(self.box.text("pwd; echo $OF_ALL $A", language="bash", env_vars={"A": "b c"}), f"{HOME}\nhere b c\n")
        self.assert_error(self.box.reach("POST", "/execute", {"code": "1", "language": "r"}), 400, "bash")
        self.assert_error(self.box.reach("POST", "/execute", {"code": "1", "language": "python", "context_id": "python"}), 400)

    def test_contexts(self) -> None:
        made = self.box.reach("POST", "/contexts", {"language": "python", "cwd": "/tmp"}).json
        self.assertEqual((made["language"], made["cwd"]), ("python", "/tmp"))
        self.box.lines("x = 1")
        self.assertEqual(self.box.text("import os; print('x' in globals(), os.getcwd())", context_id=made["id"]), "False /tmp\n")
        self.assertEqual(self.box.text("import os; print(x, os.getcwd())"), f"1 {HOME}\n")
        self.assertEqual([c["id"] for c in self.box.reach("GET", "/contexts").json], ["python", made["id"]])
        self.box.lines("y = 2", context_id=made["id"])
        restarted = self.box.reach("POST", f"/contexts/{made['id']}/restart", {})
        self.assertEqual((restarted.status, restarted.json), (200, None))
        self.assertEqual(self.box.text("print('y' in globals())", context_id=made["id"]), "False\n")
        self.assertEqual(self.box.reach("DELETE", f"/contexts/{made['id']}").status, 200)
        self.assert_error(self.box.reach("POST", "/execute", {"code": "1", "context_id": made["id"]}), 404, made["id"])
        self.assert_error(self.box.reach("POST", "/contexts", {"language": "java"}), 500)

    def test_a_client_that_leaves_frees_its_context(self) -> None:
        connection = connect(self.server, "e2b")
        headers = {"E2b-Sandbox-Id": self.box.id, "X-Access-Token": self.box.token or "", **JSON}
        connection.request("POST", "/execute", json.dumps({"code": "print('began', flush=True)\nwhile True: pass"}), headers)
        connection.getresponse().readline()
        connection.close()
        self.assertEqual(self.box.text("print(1)"), "1\n")

    def test_an_interpreter_that_ends_takes_its_sandbox_along(self) -> None:
        lines = self.box.lines("import os; os._exit(1)")
        self.assertEqual([line["type"] for line in lines if line["type"] != "number_of_executions"], ["error", "end_of_execution"])
        self.assert_gone(self.box.reach("GET", "/health"))


class Programs(E2bCase):
    """process.Process."""

    def setUp(self) -> None:
        super().setUp()
        self.box = self.create(envVars={"OF_ALL": "here"})

    def test_a_command(self) -> None:
        out, errors, end = self.box.run("echo $OF_ALL $A; pwd; echo no >&2; exit 3", envs={"A": "b"})
        self.assertEqual((out, errors), (f"here b\n{HOME}\n", "no\n"))
        self.assertEqual((end["exitCode"], end["exited"], end["status"]), (3, True, "exit status 3"))
        self.assertEqual(self.box.run("pwd", cwd="/tmp")[0], "/tmp\n")

    def test_it_runs_while_python_is_busy(self) -> None:
        connection = connect(self.server, "e2b")
        headers = {"E2b-Sandbox-Id": self.box.id, "X-Access-Token": self.box.token or "", **JSON}
        code = f"import os, time\nprint('began', flush=True)\nwhile not os.path.exists('{HOME}/go'): time.sleep(0.01)"
        connection.request("POST", "/execute", json.dumps({"code": code}), headers)
        response = connection.getresponse()
        self.assertIn(b"began", response.readline())
        self.assertEqual(self.box.reach("POST", f"/files?path={HOME}/seen", multipart(("seen", b"1")), **FORM).status, 200)
        self.assertEqual(self.box.run("cat seen; touch go")[0], "1")
        self.assertIn(b"end_of_execution", response.read())
        connection.close()

    def test_input(self) -> None:
        with self.box.start("cat; echo done", stdin=True) as stream:
            stream.begun()
            process = {"pid": stream.pid}
            for text in (b"one\n", b"two\n"):
                sent = self.box.call(PROCESS + "SendInput", process=process, input={"stdin": base64.b64encode(text).decode()})
                self.assertEqual((sent.status, sent.json), (200, {}))
            self.assertEqual(self.box.call(PROCESS + "CloseStdin", process=process).status, 200)
            self.assertEqual(stream.finish()[0], "one\ntwo\ndone\n")

    def test_input_as_a_stream(self) -> None:
        with self.box.start("head -c 200000 | wc -c", stdin=True) as stream:
            stream.begun()
            piece = base64.b64encode(bytes(50000)).decode()
            messages = [{"start": {"process": {"pid": stream.pid}}}, *[{"data": {"input": {"stdin": piece}}}] * 4]
            sent = self.box.reach("POST", PROCESS + "StreamInput", b"".join(map(envelope, messages)), **STREAM)
            self.assertEqual(sent.body, envelope({}) + envelope({}, END))
            self.assertEqual(stream.finish()[0], "200000\n")

    def test_without_input(self) -> None:
        self.assertEqual(self.box.run("cat; echo done")[0], "done\n")

    def test_a_list_a_signal_and_a_second_listener(self) -> None:
        with self.box.start("echo ready; exec sleep 1000") as first:
            first.begun().until(b"ready\n")
            listed = self.box.call(PROCESS + "List").json["processes"]
            self.assertEqual([(p["pid"], p["config"]["cmd"], p["config"]["cwd"]) for p in listed], [(first.pid, "/bin/bash", HOME)])
            with self.box.stream(PROCESS + "Connect", {"process": {"pid": first.pid}}) as second:
                self.assertEqual(second.begun().pid, first.pid)
                sent = self.box.call(PROCESS + "SendSignal", process={"pid": first.pid}, signal="SIGNAL_SIGKILL")
                self.assertEqual(sent.status, 200)
                for stream in (first, second):
                    end = stream.finish()[2]
                    self.assertEqual((end["exitCode"], end["exited"], end["status"]), (-1, False, "signal: killed"))
        self.assertEqual(self.box.call(PROCESS + "List").json, {"processes": []})

    def test_it_goes_on_when_its_client_leaves(self) -> None:
        with self.box.start("echo ready; while test ! -e go; do sleep 0.01; done; echo over") as stream:
            pid = stream.begun().pid
            stream.until(b"ready\n")
        with self.box.stream(PROCESS + "Connect", {"process": {"pid": pid}}) as again:
            again.begun()
            self.box.run("touch go")
            self.assertEqual(again.finish()[0], "over\n")

    def test_what_children_hold_open_is_not_waited_for(self) -> None:
        self.assertEqual(self.box.run("sleep 1000 & echo out")[0], "out\n")

    def test_a_limit_of_time(self) -> None:
        with self.box.start("echo ready; exec sleep 1000", headers={"Connect-Timeout-Ms": "300"}) as stream:
            self.assertEqual(stream.close()["error"]["code"], "deadline_exceeded")
        self.assertEqual(self.box.call(PROCESS + "List").json, {"processes": []})

    def test_a_terminal(self) -> None:
        process = {"cmd": "/bin/sh", "args": ["-c", "stty size; read line; echo got $line"]}
        with self.box.stream(PROCESS + "Start", {"process": process, "pty": {"size": {"rows": 30, "cols": 99}}}) as stream:
            stream.begun().until(b"30 99", "pty")
            self.assertEqual(self.box.call(PROCESS + "Update", process={"pid": stream.pid}, pty={"size": {"rows": 5, "cols": 6}}).status, 200)
            typed = base64.b64encode(b"hello\n").decode()
            self.box.call(PROCESS + "SendInput", process={"pid": stream.pid}, input={"pty": typed})
            stream.finish()
            self.assertIn(b"got hello", stream.out["pty"])

    def test_characters_come_whole(self) -> None:
        out, _, _ = self.box.run("printf '\\303'; sleep 0.2; printf '\\251\\n'")
        self.assertEqual(out, "é\n")

    def test_much_output_and_a_reader_that_waits(self) -> None:
        with self.box.start("head -c 20000000 /dev/zero; echo end >&2") as stream:
            stream.begun()
            self.assertEqual(self.box.run("echo others go on")[0], "others go on\n")
            stream.close()
            self.assertEqual((len(stream.out["stdout"]), stream.out["stderr"]), (20_000_000, b"end\n"))

    def test_what_is_wrong(self) -> None:
        for message, code in (
            ({"process": {"cmd": "/nothing"}}, "not_found"),
            ({"process": {"cmd": "/bin/true", "cwd": "/nowhere"}}, "invalid_argument"),
            ({"process": {}}, "invalid_argument"),
            ({"process": {"cmd": "/bin/true", "envs": {"A=": "b"}}}, "invalid_argument"),
        ):
            with self.subTest(message), self.box.stream(PROCESS + "Start", message) as stream:
                self.assertEqual((stream.response.status, stream.message()[1]["error"]["code"]), (200, code))
        with self.box.stream(PROCESS + "Connect", {"process": {"pid": 4242}}) as stream:
            self.assertEqual(stream.message()[1]["error"]["code"], "not_found")
        for method in ("SendInput", "SendSignal", "CloseStdin", "Update"):
            reply = self.box.call(PROCESS + method, process={"pid": 4242})
            self.assertEqual((reply.status, reply.json["code"]), (404, "not_found"))
        for body in (b"", b"\1\0\0\0\2{}", b"\0\xff\xff\xff\xff", b"\0\0\0\0\2[]"):
            reply = self.box.reach("POST", PROCESS + "Start", body, **STREAM)
            self.assertIn(b"invalid_argument", reply.body)

    def test_a_sandbox_that_is_killed_ends_its_streams(self) -> None:
        with self.box.start("echo ready; exec sleep 1000") as stream:
            stream.begun().until(b"ready\n")
            self.assertEqual(self.box.control("DELETE").status, 204)
            self.assertEqual(stream.close()["error"]["code"], "unavailable")
        self.assert_gone(self.box.reach("POST", PROCESS + "Start", envelope({"process": {"cmd": "/bin/true"}}), **STREAM))


BOUNDARY = "e2bboundary"
FORM = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}


def multipart(*files: tuple[str, bytes]) -> bytes:
    """A form with files."""
    parts = [f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode() + content + b"\r\n" for name, content in files]
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


class Files(E2bCase):
    """/files and filesystem.Filesystem."""

    def setUp(self) -> None:
        super().setUp()
        self.box = self.create()

    def put(self, path: str, content: bytes) -> Reply:
        """Write one file, as clients do."""
        return self.box.reach("POST", "/files?" + urllib.parse.urlencode({"path": path}), multipart(("x", content)), **FORM)

    def got(self, path: str) -> Reply:
        """Read one."""
        return self.box.reach("GET", "/files?" + urllib.parse.urlencode({"path": path}))

    def test_contents(self) -> None:
        reply = self.put("a/ü x.bin", bytes(range(256)))
        self.assertEqual((reply.status, reply.json), (200, [{"name": "ü x.bin", "type": "file", "path": f"{HOME}/a/ü x.bin"}]))
        for path in ("a/ü x.bin", f"{HOME}/a/ü x.bin", "~/a/./b/../ü x.bin"):
            self.assertEqual(self.got(path).body, bytes(range(256)))
        self.put("/tmp/other", b"")
        self.assertEqual(self.got("/tmp/other").body, b"")

    def test_several(self) -> None:
        reply = self.box.reach("POST", "/files", multipart(("one", b"1"), ("/tmp/two", b"2" * 100_000)), **FORM)
        self.assertEqual([file["path"] for file in reply.json], [f"{HOME}/one", "/tmp/two"])
        self.assertEqual((self.got("one").body, len(self.got("/tmp/two").body)), (b"1", 100_000))

    def test_bytes_as_they_are(self) -> None:
        sent = self.box.reach("POST", "/files?path=raw", b"\0raw", **{"Content-Type": "application/octet-stream"})
        self.assertEqual((sent.status, self.got("raw").body), (200, b"\0raw"))
        packed = {"Content-Type": "application/octet-stream", "Content-Encoding": "gzip"}
        self.assert_error(self.box.reach("POST", "/files?path=raw", b"x", **packed), 415)

    def test_what_is_wrong(self) -> None:
        self.box.tree("MakeDir", path="d")
        self.assert_error(self.got("none"), 404, f"{HOME}/none")
        self.assert_error(self.got("d"), 400, f"{HOME}/d")
        self.assert_error(self.put("/etc/x", b""), 403)
        self.assert_error(self.box.reach("GET", "/files"), 400)
        self.assert_error(self.box.reach("POST", "/files", multipart(), **FORM), 400)
        self.assert_error(self.box.reach("POST", "/files?path=x", b"nothing", **FORM), 400)

    def entry(self, reply: Reply) -> dict[str, Any]:
        """The entry of a reply."""
        self.assertEqual(reply.status, 200, reply)
        return reply.json["entry"]

    def test_entries(self) -> None:
        self.put("f", b"12345")
        self.box.run("ln -s f l; chmod 751 f; mkdir d; touch d/deep")
        entry = self.entry(self.box.tree("Stat", path="f"))
        self.assertEqual((entry["name"], entry["type"], entry["path"], int(entry["size"])), ("f", "FILE_TYPE_FILE", f"{HOME}/f", 5))
        self.assertEqual((entry["mode"] & 0o777, entry["permissions"]), (0o751, "-rwxr-x--x"))
        entries = self.box.tree("ListDir", path=".", depth=1).json["entries"]
        self.assertEqual([(e["name"], e["type"]) for e in entries], [("d", "FILE_TYPE_DIRECTORY"), ("f", "FILE_TYPE_FILE"), ("l", "FILE_TYPE_SYMLINK")])
        self.assertEqual(entries[2]["symlinkTarget"], "f")
        deep = self.box.tree("ListDir", path=HOME, depth=2).json["entries"]
        self.assertIn(f"{HOME}/d/deep", [e["path"] for e in deep])
        self.assertEqual(self.entry(self.box.tree("Stat", path="/"))["type"], "FILE_TYPE_DIRECTORY")
        self.assertIn("home", [e["name"] for e in self.box.tree("ListDir", path="/", depth=1).json["entries"]])

    def assert_refused(self, reply: Reply, status: int, code: str) -> None:
        """Assert an error of a call."""
        self.assertEqual((reply.status, reply.json["code"]), (status, code), reply)

    def test_directories_and_names(self) -> None:
        self.assertEqual(self.entry(self.box.tree("MakeDir", path="d/e"))["path"], f"{HOME}/d/e")
        self.assert_refused(self.box.tree("MakeDir", path="d/e"), 409, "already_exists")
        self.put("f", b"1")
        moved = self.entry(self.box.tree("Move", source="f", destination="new/g"))
        self.assertEqual((moved["path"], self.got("new/g").body), (f"{HOME}/new/g", b"1"))
        self.assert_refused(self.box.tree("Move", source="f", destination="h"), 404, "not_found")
        self.assert_refused(self.box.tree("ListDir", path="new/g"), 400, "invalid_argument")
        self.assert_refused(self.box.tree("ListDir", path="none"), 404, "not_found")
        for _ in range(2):
            self.assertEqual(self.box.tree("Remove", path="new").json, {})
        self.assert_refused(self.box.tree("Stat", path="new"), 404, "not_found")
        self.assert_refused(self.box.tree("Remove", path="/etc"), 403, "permission_denied")
        self.assert_refused(self.box.tree("CreateWatcher", path="."), 501, "unimplemented")
        self.assert_refused(self.box.tree("WatchDir", path="."), 501, "unimplemented")

    def test_links_are_signed(self) -> None:
        self.put("shown", b"content")

        def link(path: str, what: str, *expiry: int) -> str:
            text = ":".join([path, what, "user", self.box.token or "", *map(str, expiry)])
            signature = "v1_" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
            query = {"path": path, "username": "user", "signature": signature}
            return "/files?" + urllib.parse.urlencode({**query, **({"signature_expiration": expiry[0]} if expiry else {})})

        later, earlier = int(time.time()) + 1000, int(time.time()) - 1000
        for path in (link("shown", "read"), link("shown", "read", later)):
            self.assertEqual(ask(self.server, "GET", path).body, b"content")
        for path in (link("shown", "read", earlier), link("shown", "write"), link("shown", "read") + "0", link("shown", "read").replace("shown", "other")):
            with self.subTest(path):
                self.assert_gone(ask(self.server, "GET", path))
                self.assert_error(ask(self.server, "GET", path, **{"E2b-Sandbox-Id": self.box.id}), 401)
        self.assertEqual(ask(self.server, "POST", link("up", "write"), multipart(("x", b"2")), **FORM).status, 200)
        self.assertEqual(self.got("up").body, b"2")
        self.assert_error(ask(self.server, "POST", link("shown", "read").replace("/files", "/execute"), {"code": "1"}, **{"E2b-Sandbox-Id": self.box.id}), 401)


class Keys(E2bCase):
    """Sandboxes of several keys."""

    def test_keys_and_tokens(self) -> None:
        keys = self.folder / "keys.json"
        one, two = ({"X-API-KEY": add_key(keys, name)} for name in ("one", "two"))
        server = self.start_server(*FLAGS, "--keys", str(keys)).wait_ready()
        self.assert_error(ask(server, "POST", "/v2/sandboxes", {"templateID": "base"}), 401)
        self.assert_error(ask(server, "POST", "/v2/sandboxes", {"templateID": "base"}, **{"X-API-KEY": "e2b_0"}), 401)
        mine = self.create(server, headers=one)
        theirs = Box(server, {"sandboxID": mine.id}, **two)
        for method, tail in (("GET", ""), ("DELETE", ""), ("POST", "/timeout"), ("POST", "/pause"), ("POST", "/connect")):
            self.assert_error(theirs.control(method, tail, {}), 404)
        self.assertEqual(ask(server, "GET", "/v2/sandboxes", **two).json, [])
        self.assertEqual([box["sandboxID"] for box in ask(server, "GET", "/v2/sandboxes", **one).json], [mine.id])
        other = self.create(server, headers=two)
        for token in ("", "0" * 64, other.token or ""):
            self.assert_error(Box(server, {"sandboxID": mine.id, "envdAccessToken": token}).reach("POST", "/execute", {"code": "1"}), 401)
        self.assertEqual(mine.text("print(1)"), "1\n")
        traffic = {"E2b-Sandbox-Id": mine.id, "E2B-Traffic-Access-Token": mine.token or ""}
        self.assertEqual(ask(server, "GET", "/contexts", **traffic).status, 200)
        self.assertEqual(mine.control("GET").status, 200)

    def test_the_first_version_gives_no_token_unless_it_is_asked_for(self) -> None:
        plain = self.create(path="/sandboxes")
        self.assertEqual((plain.token, plain.text("print(1)")), (None, "1\n"))
        self.assertIsNotNone(self.create(path="/sandboxes", secure=True).token)

    def test_ids_that_are_none(self) -> None:
        box = self.create()
        last = "1" if box.id[-1] == "0" else "0"
        for name in ("", "i", box.id[:-1] + last, "code-session-" + box.id[1:], box.id + "x" * 20, "x" * 300):
            with self.subTest(name):
                self.assert_gone(Box(self.server, {"sandboxID": name, "envdAccessToken": box.token}).reach("GET", "/health"))
        self.assertEqual(Box(self.server, {"sandboxID": box.id + "-client", "envdAccessToken": box.token}).reach("GET", "/health").status, 204)

    def test_the_server_lists_its_sandboxes(self) -> None:
        box = self.create()
        listed = [session["session_id"] for session in self.server.get("/v1/sessions").json["sessions"]]
        self.assertIn("code-session-" + box.id[1:], listed)
        self.assertIn(b'face="e2b"', self.server.get("/metrics").body)

    def test_a_server_that_ends_ends_streams(self) -> None:
        server = self.start_server(*FLAGS).wait_ready()
        box = self.create(server)
        with box.start("echo ready; exec sleep 1000") as stream:
            stream.begun().until(b"ready\n")
            self.assertEqual(server.stop(), 0)
            with self.assertRaises((http.client.IncompleteRead, struct.error)):
                stream.close()
