"""--face pandastack: sandboxes and their commands, asked by raw HTTP, on an address beside the server's."""

import json
import socket
from http.client import HTTPConnection
from urllib.parse import urlsplit

from support.faces import connect, face_of
from support.messages import sentence
from support.pandastack import FLAGS, PandaCase, ask, events
from support.serve import JSON, Server, take
from support.times import wait_until

LATE = "exec sleep 3600"


class Sandboxes(PandaCase):
    """From their beginning to their end."""

    def test_a_life(self) -> None:
        path = self.sandbox(template="code-interpreter", ttl_seconds=60, metadata={"who": "müß"})
        one = ask(self.server, "GET", path)
        self.assertEqual(one.status, 200)
        wanted = {"template": "code-interpreter", "status": "running", "metadata": {"who": "müß"}, "persistent": False, "boot_mode": "warm"}
        self.assertEqual({name: one.json[name] for name in wanted}, wanted)
        self.assertGreater(one.json["cpu"], 0)
        self.assertIn(one.json, ask(self.server, "GET", "/sandboxes").json)
        self.assertEqual(ask(self.server, "DELETE", path).status, 204)
        self.assertNotIn(one.json["id"], [other["id"] for other in ask(self.server, "GET", "/sandboxes").json])

    def test_one_that_is_gone(self) -> None:
        path = self.sandbox()
        session = ask(self.server, "POST", path + "/repl/sessions", {}).json["id"]
        self.assertEqual(ask(self.server, "DELETE", path).status, 204)
        self.assert_error(self.command(path, "true"), 404)
        for method, below, body in (
            ("GET", "", None),
            ("DELETE", "", None),
            ("GET", "/lifecycle", None),
            ("GET", "/fs?path=/etc/passwd", None),
            ("PUT", "/fs?path=/workspace/x", b"x"),
            ("POST", "/pause", None),
            ("POST", "/repl/sessions", {}),
            ("POST", f"/repl/sessions/{session}/run", {"code": "1"}),
        ):
            with self.subTest(method + below):
                self.assert_error(ask(self.server, method, path + below, body), 404)

    def test_what_is_refused(self) -> None:
        for body in (
            {"template": "windows"},
            {"persistent": True},
            {"cpu": 4096},
            {"memory_mb": 1 << 40},
            {"from_snapshot": "s"},
            {"volumes": [{"name": "v"}]},
            {"ttl_seconds": 0},
            {"ttl_seconds": "soon"},
            {"metadata": {"a": 1}},
            [],
        ):
            with self.subTest(body):
                self.assert_error(ask(self.server, "POST", "/sandboxes", body), 404 if "template" in body else 400)

    def test_what_means_what_it_has(self) -> None:
        self.sandbox(template="base", persistent=False, cpu=1, memory_mb=1, from_snapshot=None, volumes=[])

    def test_a_time_beyond_the_ceiling_of_the_key(self) -> None:
        ceiling = self.file("ceiling.json", json.dumps({"ttl": "10m"}))
        server = self.start_server(*FLAGS, "--ceiling", str(ceiling)).wait_ready()
        self.assert_error(ask(server, "POST", "/sandboxes", {"ttl_seconds": 601}), 400, "600")
        path = self.sandbox(server, ttl_seconds=600)
        self.assert_error(ask(server, "PATCH", path + "/lifecycle", {"ttl_seconds": 601}), 400, "600")

    def test_lifecycle(self) -> None:
        path = self.sandbox(ttl_seconds=60)
        life = ask(self.server, "GET", path + "/lifecycle").json
        self.assertEqual((life["ttl_seconds"], life["persistent"]), (60, False))
        life = ask(self.server, "PATCH", path + "/lifecycle", {"ttl_seconds": 120}).json
        self.assertGreaterEqual(life["ttl_seconds"], 120)
        self.assert_error(ask(self.server, "PATCH", path + "/lifecycle", {"persistent": True}), 400, "persistent")

    def test_its_time_is_over(self) -> None:
        path = self.sandbox(ttl_seconds=1)
        self.assertTrue(wait_until(lambda: ask(self.server, "GET", path).status == 404))
        self.assertNotIn(path, ["/sandboxes/" + one["id"] for one in ask(self.server, "GET", "/sandboxes").json])

    def test_pauses(self) -> None:
        path = self.sandbox()
        for begin, end, status in (("pause", "resume", "paused"), ("hibernate", "wake", "hibernated")):
            self.assertEqual(ask(self.server, "POST", f"{path}/{begin}").status, 200)
            self.assertEqual(ask(self.server, "GET", path).json["status"], status)
            if begin == "pause":
                self.assert_error(self.command(path, "true"), 409, "resume")
                self.assert_error(ask(self.server, "GET", path + "/fs?path=/etc/passwd"), 409, "resume")
            self.assertEqual(ask(self.server, "POST", f"{path}/{end}").status, 200)
            self.assertEqual(ask(self.server, "GET", path).json["status"], "running")
            self.assertEqual(self.command(path, "echo on").json["stdout"], "on\n")

    def test_what_wakes_it(self) -> None:
        path = self.sandbox()
        for method, below, body in (
            ("PUT", "/fs?path=made", b"made"),
            ("GET", "/fs?path=made", None),
            ("GET", "/fs/dir?path=/workspace", None),
            ("POST", "/exec", {"cmd": "cat made"}),
            ("POST", "/exec/stream", {"cmd": "cat made"}),
        ):
            self.assertEqual(ask(self.server, "POST", path + "/hibernate").status, 200)
            reply = ask(self.server, method, path + below, body)
            self.assertEqual((reply.status, b"made" in reply.body), (200, True), (below, reply))
            self.assertEqual(ask(self.server, "GET", path).json["status"], "running")

    def test_what_it_has_not(self) -> None:
        path = self.sandbox()
        for name in ("snapshots", "fork", "fork-tree", "promote"):
            self.assert_error(ask(self.server, "POST", f"{path}/{name}", {}), 501)
        self.assertEqual([ask(self.server, "GET", path + below).body for below in ("/ports", "/logs?follow=false")], [b"[]", b""])
        for path in ("/volumes", "/apps", "/databases"):
            self.assert_error(ask(self.server, "GET", path), 404)


class Commands(PandaCase):
    """exec, and exec/stream."""

    def begin(self, server: Server, path: str) -> HTTPConnection:
        """Begin a command that does not end by itself."""
        connection = connect(server, "pandastack")
        self.addCleanup(connection.close)
        connection.request("POST", f"/v1{path}/exec", json.dumps({"cmd": LATE}), JSON)
        return connection

    def test_a_client_that_leaves_a_paused_sandbox_holds_no_place(self) -> None:
        server = self.start_server(*FLAGS).wait_ready()
        path = self.sandbox(server)
        connection = connect(server, "pandastack")
        connection.request("POST", f"/v1{path}/exec", json.dumps({"cmd": "sleep 1000"}), JSON)
        self.assertTrue(wait_until(lambda: len(server.get("/v1/executions").json["running"]) == 1))
        self.assertEqual(ask(server, "POST", path + "/pause").status, 200)
        connection.close()
        self.assertTrue(wait_until(lambda: not server.get("/v1/executions").json["running"]))
        self.assertEqual(server.stop(), 0)

    def test_a_command(self) -> None:
        path = self.sandbox()
        reply = self.command(path, "pwd; echo careful >&2; exit 3").json
        self.assertEqual((reply["stdout"], reply["stderr"], reply["exit_code"]), ("/workspace\n", "careful\n", 3))
        self.assertEqual([self.command(path, line).json["exit_code"] for line in ("kill -9 $$", "cat")], [137, 0])

    def test_bytes_that_are_no_text(self) -> None:
        path = self.sandbox()
        self.assertEqual(self.command(path, r"printf 'a\377\000b'").json["stdout"], "a\ufffd\0b")
        reply = ask(self.server, "POST", path + "/exec/stream", {"cmd": r"printf '\303'; sleep 0.1; printf '\274\377'"})
        self.assertEqual("".join(data["chunk"] for event, data in events(reply) if event == "stdout"), "ü\ufffd")

    def test_a_stream(self) -> None:
        path = self.sandbox()
        reply = ask(self.server, "POST", path + "/exec/stream", {"cmd": "printf 'a\u2028b'; echo no >&2; exit 4"})
        self.assertEqual((reply.status, reply.headers["Transfer-Encoding"]), (200, "chunked"))
        found = events(reply)
        self.assertEqual("".join(data["chunk"] for event, data in found if event == "stdout"), "a\u2028b")
        self.assertIn(("stderr", {"chunk": "no\n"}), found)
        self.assertEqual((found[-1][0], found[-1][1]["exit_code"]), ("exit", 4))

    def test_a_timeout(self) -> None:
        path = self.sandbox()
        self.assert_error(self.command(path, f"sleep 3600 & {LATE}", timeout_seconds=0.2), 504, "timeout")
        found = events(ask(self.server, "POST", path + "/exec/stream", {"cmd": f"echo a; {LATE}", "timeout_seconds": 0.5}))
        self.assertEqual(found[0], ("stdout", {"chunk": "a\n"}))
        self.assertEqual(found[-1][0], "error")
        self.assertIn("timeout", found[-1][1]["error"])
        self.assertTrue(wait_until(lambda: "sleep" not in self.command(path, "cat /proc/[0-9]*/comm").json["stdout"]))

    def test_a_timeout_beyond_the_server_s(self) -> None:
        path = self.sandbox()
        for seconds in (61, -1, 0, "x"):
            self.assert_error(self.command(path, "true", timeout_seconds=seconds), 400, "timeout_seconds")
        self.assert_error(self.command(path, "x" * 200_000), 400, "cmd")
        self.assert_error(ask(self.server, "POST", path + "/exec", {}), 400, "cmd")

    def test_output_has_a_bound(self) -> None:
        path = self.sandbox()
        reply = self.command(path, "yes | head -c 30000000; echo done >&2").json
        self.assertLess(len(reply["stdout"]), 2_000_000)
        self.assertEqual((reply["stderr"], reply["truncated"], reply["exit_code"]), ("done\n", True, 0))
        found = events(ask(self.server, "POST", path + "/exec/stream", {"cmd": "yes | head -c 30000000"}))
        self.assertLess(sum(len(data["chunk"]) for event, data in found if event == "stdout"), 2_000_000)
        self.assertEqual((found[-1][0], found[-1][1]["truncated"]), ("exit", True))

    def test_a_client_that_leaves(self) -> None:
        path = self.sandbox()
        where = urlsplit(face_of(self.server, "pandastack"))
        body = json.dumps({"cmd": LATE}).encode()
        for route in ("/exec", "/exec/stream"):
            with self.subTest(route), socket.create_connection((where.hostname, where.port)) as stream:
                head = f"POST /v1{path}{route} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
                stream.sendall(head.encode() + body)
                self.assertTrue(wait_until(lambda: "sleep" in self.command(path, "cat /proc/[0-9]*/comm").json["stdout"]))
            self.assertTrue(wait_until(lambda: "sleep" not in self.command(path, "cat /proc/[0-9]*/comm").json["stdout"]))
            self.assertTrue(wait_until(lambda: not self.running()))

    def test_its_sandbox_ends(self) -> None:
        path = self.sandbox()
        self.assertIn(self.command(path, "(sleep 0.3; kill -9 -1) & " + LATE).status, (200, 502))
        other = self.sandbox()
        connection = self.begin(self.server, other)
        self.assertTrue(wait_until(lambda: "sleep" in self.command(other, "cat /proc/[0-9]*/comm").json["stdout"]))
        self.assertEqual(ask(self.server, "DELETE", other).status, 204)
        self.assert_error(take(connection), 502, sentence("box_command_explain#ended"))

    def test_the_server_ends(self) -> None:
        server = self.start_server(*FLAGS, "--drain", "0s").wait_ready()
        path = self.sandbox(server)
        self.begin(server, path)
        self.assertTrue(wait_until(lambda: server.get("/v1/executions").json["running"]))
        server.stop()

    def test_it_is_in_the_audit(self) -> None:
        audit = self.folder / "audit"
        server = self.start_server(*FLAGS, "--audit", str(audit)).wait_ready()
        path = self.sandbox(server)
        self.command(path, "exit 3", server)
        session = ask(server, "POST", path + "/repl/sessions", {}).json["id"]
        ask(server, "POST", f"{path}/repl/sessions/{session}/run", {"code": "1"})
        lines = [line for line in map(json.loads, audit.read_text().splitlines()) if "operation" in line]
        self.assertEqual([line["operation"] for line in lines], ["session_create", "session_bash", "session_python"])
        self.assertEqual({line["session"] for line in lines}, {path.rsplit("/", 1)[1]})
