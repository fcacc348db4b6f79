"""--face agent-sandbox: commands of its sandboxes, and whose they are, asked by raw HTTP on an address beside the server's."""

import json
import shlex
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

from support.agent_sandbox import BASE, FLAGS, AgentCase, ask
from support.faces import connect, face_of
from support.messages import message
from support.run import glovebox
from support.serve import AS_ROOT, JSON, Server, add_key, form, take
from support.times import wait_until

LATE = "sleep 3600"
WORDS = "python3 -c 'import json, sys; print(json.dumps(sys.argv[1:]))' "
FAILED = "Failed to execute command: "


class Commands(AgentCase):
    """POST /execute."""

    def test_a_command(self) -> None:
        done = self.run_command("sh -c 'pwd; echo careful >&2; exit 3'")
        self.assertEqual((done["stdout"], done["stderr"], done["exit_code"]), (BASE + "\n", "careful\n", 3))
        self.assertFalse(done.get("timed_out"))

    def test_its_words(self) -> None:
        for text in (
            "a b\tc\n d",
            "'a b' \"c d\" e\\ f",
            "'' \"\" a''b",
            r"'a\b' "
            r'"a\"b\\c\d\$e" \a\"',
            "$HOME `pwd` $(pwd) * ~ a|b a;b a&b a>b <c (d) {e,f} !x #y",
            "-- --name=\"it's\" '\"'",
            "müß \u2028 '\u00a0'",
            "a\\\nb",
        ):
            with self.subTest(text):
                self.assertEqual(json.loads(self.run_command(WORDS + text)["stdout"]), shlex.split(text))

    def test_what_cannot_begin(self) -> None:
        for command, said in (
            ("nosuch --now", "nosuch"),
            ("/etc", "/etc"),
            ("''", ""),
            ("", ""),
            ("  \n", ""),
            ("echo 'open", ""),
            ('echo "open', ""),
            ("echo \\", ""),
        ):
            with self.subTest(command):
                done = self.run_command(command)
                self.assertEqual((done["stdout"], done["exit_code"]), ("", 1))
                self.assertEqual(done["stderr"][: len(FAILED)], FAILED)
                self.assertIn(said, done["stderr"])

    def test_statuses(self) -> None:
        for command, status in (("exit 0", 0), ("exit 255", 255), ("kill -9 $$", -9), ("kill -15 $$", -15), ("cat", 0)):
            with self.subTest(command):
                self.assertEqual(self.run_command(f"sh -c {shlex.quote(command)}")["exit_code"], status)

    def test_bytes_that_are_no_text(self) -> None:
        self.assertEqual(self.run_command(r"printf 'a\377\000\r\nm\303\274'")["stdout"], "a\ufffd\0\r\nmü")

    def test_it_is_text_of_any_kind(self) -> None:
        done = self.run_command(shlex.join(["printf", "%s", "müß\u2028\u0085\U0001f600\x7f"]))
        self.assertEqual(done["stdout"], "müß\u2028\u0085\U0001f600\x7f")

    def test_output_has_a_bound(self) -> None:
        done = self.run_command("sh -c 'yes | head -c 30000000; echo done >&2'")
        self.assertLess(len(done["stdout"]), 2_000_000)
        self.assertEqual((done["stderr"], done["exit_code"]), ("done\n", 0))

    def test_a_timeout(self) -> None:
        done = self.run_command(f"sh -c 'echo early; {LATE} & exec {LATE}'", timeout_seconds=0.5)
        self.assertEqual((done["stdout"], done["exit_code"], done["timed_out"]), ("early\n", 124, True))
        self.assertTrue(wait_until(lambda: "sleep" not in self.processes()))
        self.assertEqual(self.run_command("echo on", timeout_seconds=30)["stdout"], "on\n")
        self.assertEqual(self.run_command("echo on", timeout_seconds=None)["stdout"], "on\n")

    def test_the_server_s_own_timeout(self) -> None:
        server = self.start_server(*FLAGS, "--max-timeout", "500").wait_ready()
        done = self.execute_in("a", LATE, server).json
        self.assertEqual((done["exit_code"], done["timed_out"]), (124, True))

    def test_what_is_refused(self) -> None:
        for body in (
            {},
            [],
            "echo",
            {"command": 1},
            {"command": None},
            {"command": ["echo"]},
            {"command": "true", "timeout_seconds": 0},
            {"command": "true", "timeout_seconds": -1},
            {"command": "true", "timeout_seconds": 61},
            {"command": "true", "timeout_seconds": "soon"},
        ):
            with self.subTest(body):
                self.assert_error(ask(self.server, "POST", "/execute", body, box=self.box), 422)
        for sent in (b"{", b"", b"\xff", b'{"command": "true"} x'):
            with self.subTest(sent):
                self.assert_error(ask(self.server, "POST", "/execute", sent, JSON, box=self.box), 422)
        self.assertIn(self.execute_in(self.box, "echo a\0b").status, (200, 422))
        self.assertIn(self.execute_in(self.box, "echo " + "x" * 200_000).status, (200, 413, 422))
        self.assertEqual(ask(self.server, "GET", "/execute", box=self.box).status, 405)

    def test_what_is_not_served(self) -> None:
        for path in ("/agent", "/process.v1.ProcessService/Execute", "/process.v1.ProcessService/Start"):
            with self.subTest(path):
                self.assert_error(ask(self.server, "POST", path, {"query": "x"}, box=self.box), 404)

    def test_they_are_beside_each_other(self) -> None:
        with ThreadPoolExecutor(2) as pool:
            waits = pool.submit(self.run_command, "sh -c 'while ! test -e go; do sleep 0.01; done'")
            self.assertTrue(wait_until(self.running))
            self.assertEqual(self.upload("go", b"").status, 200)
            self.assertEqual(waits.result()["exit_code"], 0)

    def test_a_client_that_leaves(self) -> None:
        self.run_command("true")
        where = urlsplit(face_of(self.server, "agent-sandbox"))
        body = json.dumps({"command": LATE}).encode()
        for box in (self.box, "fresh"):  # the other one begins with it
            head = f"POST /execute HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Sandbox-ID: {box}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            with self.subTest(box), socket.create_connection((where.hostname, where.port)) as stream:
                stream.sendall(head.encode() + body)
                if box == self.box:
                    self.assertTrue(wait_until(lambda: "sleep" in self.processes()))
            self.assertTrue(wait_until(lambda: not self.running()))
        self.assertTrue(wait_until(lambda: "sleep" not in self.processes()))
        self.assertEqual(self.execute_in("fresh", "echo on").json["stdout"], "on\n")

    def test_its_sandbox_ends(self) -> None:
        self.upload("made", b"x")
        self.assertIn(self.execute_in(self.box, f"sh -c '(sleep 0.3; kill -9 -1) & exec {LATE}'").status, (200, 502))
        self.assertTrue(wait_until(lambda: self.execute_in(self.box, "echo on").status == 200))
        self.assertEqual(self.run_command("echo on")["stdout"], "on\n")

    def test_the_server_ends(self) -> None:
        server = self.start_server(*FLAGS, "--drain", "0s").wait_ready()
        connection = connect(server, "agent-sandbox")
        self.addCleanup(connection.close)
        connection.request("POST", "/execute", json.dumps({"command": LATE}), JSON)
        self.assertTrue(wait_until(lambda: self.running(server)))
        server.stop()

    def test_it_is_in_the_audit(self) -> None:
        audit = self.folder / "audit"
        server = self.start_server(*FLAGS, "--audit", str(audit)).wait_ready()
        self.execute_in("a", "sh -c 'exit 3'", server)
        lines = [line for line in map(json.loads, audit.read_text().splitlines()) if "operation" in line]
        self.assertEqual([line["operation"] for line in lines], ["session_create", "session_bash"])
        self.assertEqual(len({line["session"] for line in lines}), 1)


class Sandboxes(AgentCase):
    """By the headers of a request."""

    def whose(self, **whose: str) -> str:
        """What a sandbox says that it is."""
        return ask(self.server, "GET", "/download/whose", **whose).body.decode()

    def sessions(self) -> set[str]:
        """Those of the server."""
        return {session["session_id"] for session in self.server.get("/v1/sessions").json["sessions"]}

    def test_two_are_apart(self) -> None:
        for name in ("one", "two"):
            self.assertEqual(self.upload("whose", name.encode(), box=name).status, 200)
        self.assertEqual((self.whose(box="one"), self.whose(box="two")), ("one", "two"))
        self.assertEqual(self.execute_in("one", "cat whose").json["stdout"], "one")
        with ThreadPoolExecutor(2) as pool:
            late = pool.submit(self.execute_in, "one", "sleep 3")
            self.assertTrue(wait_until(lambda: "sleep" in self.execute_in("one", "sh -c 'cat /proc/[0-9]*/comm'").json["stdout"]))
            self.assertNotIn("sleep", self.execute_in("two", "sh -c 'cat /proc/[0-9]*/comm'").json["stdout"])
            self.assertEqual(late.result().json["exit_code"], 0)

    def test_one_without_a_name(self) -> None:
        self.assertEqual(self.upload("whose", b"nobody's", box="").status, 200)
        self.assertEqual((self.whose(), self.whose(box="default")), ("nobody's", "nobody's"))
        self.assertEqual(self.whose(box="default", namespace="default"), "nobody's")

    def test_namespaces_are_apart(self) -> None:
        for namespace in ("east", "west"):
            self.assertEqual(self.upload("whose", namespace.encode(), box="a", namespace=namespace).status, 200)
        self.assertEqual([self.whose(box="a", namespace=name) for name in ("east", "west")], ["east", "west"])
        self.assertEqual(ask(self.server, "GET", "/download/whose", box="a-east").status, 404)
        self.assertEqual(ask(self.server, "GET", "/download/whose", box="east", namespace="a").status, 404)

    def test_names_that_are_none(self) -> None:
        for name in ("Upper", "a_b", "a.b", "-a", "a-", "a/b", "..", "a b", "ü".encode().decode("latin-1"), "x" * 64, "x" * 3000):
            for header in ("X-Sandbox-ID", "X-Sandbox-Namespace"):
                with self.subTest(name=name[:70], header=header):
                    self.assert_error(ask(self.server, "POST", "/execute", {"command": "true"}, {header: name}), 400)
        self.assertEqual(ask(self.server, "GET", "/exists/x", box="x" * 63, namespace="0").status, 200)

    def test_what_a_router_reads_means_nothing_here(self) -> None:
        headers = {"X-Sandbox-Port": "8888", "X-Sandbox-Pod-IP": "169.254.169.254", "X-Sandbox-Timeout": "60"}
        self.assertEqual(ask(self.server, "GET", "/exists/x", None, headers, box=self.box).status, 200)

    def test_many_that_begin_one(self) -> None:
        before = self.sessions()
        with ThreadPoolExecutor(8) as pool:
            replies = list(pool.map(lambda _: self.run_command("sh -c 'echo x >> made'"), range(8)))
        self.assertEqual([reply["exit_code"] for reply in replies], [0] * 8)
        self.assertEqual(self.run_command("cat made")["stdout"], "x\n" * 8)
        self.assertEqual(len(self.sessions() - before), 1)

    def busy(self, *flags: str) -> Server:
        """A server whose one run is taken, until /app/go is there."""
        server = self.start_server(*FLAGS, "--max-runs", "1", *flags).wait_ready()
        self.assertEqual(self.execute_in("a", "true", server).status, 200)
        self.pool = ThreadPoolExecutor(8)
        self.addCleanup(self.pool.shutdown)
        self.pool.submit(self.execute_in, "a", "sh -c 'while ! test -e go; do sleep 0.01; done'", server)
        self.assertTrue(wait_until(lambda: self.running(server)))
        return server

    def let_go(self, server: Server) -> None:
        """Give its run back."""
        body, kind = form("go", b"")
        self.assertEqual(ask(server, "POST", "/upload", body, kind, box="a").status, 200)

    def test_those_that_wait_are_refused_together(self) -> None:
        server = self.busy("--queue", "2s")
        began = time.monotonic()
        replies = list(self.pool.map(lambda _: ask(server, "GET", "/exists/x", box="b").status, range(6)))
        self.assertEqual(replies, [429] * 6)
        self.assertLess(time.monotonic() - began, 9, "one after the other")
        self.let_go(server)

    def test_the_one_that_begins_it_leaves(self) -> None:
        server = self.busy("--queue", "60s")
        where = urlsplit(face_of(server, "agent-sandbox"))
        first = socket.create_connection((where.hostname, where.port))
        first.sendall(b"GET /exists/x HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Sandbox-ID: b\r\n\r\n")
        self.assertTrue(wait_until(lambda: any(run["waiting"] for run in self.running(server))))
        others = [self.pool.submit(ask, server, "GET", "/exists/x", box="b") for _ in range(3)]
        time.sleep(0.1)  # they are behind it, or come later
        first.close()
        self.let_go(server)
        self.assertEqual([reply.result().status for reply in others], [200] * 3)

    def test_what_is_refused_begins_none(self) -> None:
        before = self.sessions()
        for method, path, body in (("POST", "/execute", {}), ("GET", "/download/..%2Fx", None), ("PUT", "/v1/files/x?mode=9", b"x"), ("DELETE", "/v1/files/..", None), ("POST", "/upload", b"x")):
            self.assertGreaterEqual(ask(self.server, method, path, body, box="refused").status, 400)
        self.assertEqual(self.sessions(), before)

    def test_health_begins_none(self) -> None:
        before = self.sessions()
        reply = self.get("/")
        self.assertEqual((reply.status, reply.json), (200, {"status": "ok", "message": "Sandbox Runtime is active."}))
        self.assertEqual(ask(self.server, "GET", "/healthz").json, {"status": "ok"})
        for path in ("/none", "/execute", "/uploads"):
            self.assertIn(self.get(path).status, (404, 405))
        self.assertEqual(self.sessions(), before)

    def test_what_it_reaches(self) -> None:
        self.assertEqual(self.run_command("sh -c 'echo kept > ~/made; cat ~/made'")["stdout"], "kept\n")
        self.assertEqual(self.run_command("sh -c 'mkdir -p /app/work && cd /app/work && pwd'")["stdout"], "/app/work\n")
        self.assertNotEqual(self.run_command("sh -c 'echo no > /etc/made'")["exit_code"], 0)


class Keys(AgentCase):
    """Whose sandboxes they are."""

    def test_keys(self) -> None:
        keys = self.folder / "keys.json"
        one, two = add_key(keys, "one"), add_key(keys, "two")
        server = self.start_server(*FLAGS, "--keys", str(keys)).wait_ready()
        self.assertEqual(ask(server, "GET", "/").status, 200)
        self.assertEqual(ask(server, "GET", "/v1/health").status, 200)
        for method, path, body in (
            ("POST", "/execute", {"command": "true"}),
            ("POST", "/upload", b"x"),
            ("GET", "/download/x", None),
            ("GET", "/list/", None),
            ("GET", "/exists/x", None),
            ("GET", "/v1/files/x", None),
            ("PUT", "/v1/files/x", b"x"),
            ("DELETE", "/v1/files/x", None),
            ("GET", "/v1/metadata", None),
        ):
            for key in ("", "wrong"):
                with self.subTest(method + path, key=key):
                    self.assert_error(ask(server, method, path, body, box="a", key=key), 401)
        for key in (one, two):
            done = ask(server, "POST", "/execute", {"command": f"sh -c 'echo {key} > whose'"}, box="a", key=key)
            self.assertEqual(done.json["exit_code"], 0, done)
        for key in (one, two):
            self.assertEqual(ask(server, "GET", "/download/whose", box="a", key=key).body.decode(), key + "\n")
            bearer = {"Authorization": f"Bearer {key}"}
            self.assertEqual(ask(server, "GET", "/download/whose", None, bearer, box="a").body.decode(), key + "\n")
        self.assertEqual(ask(server, "GET", "/list/", box="b", key=two).json, [])

    def test_as_many_as_a_key_may(self) -> None:
        keys, ceiling = self.folder / "keys.json", self.file("ceiling.json", json.dumps({"sessions": 1}))
        key = add_key(keys, "few", "--ceiling", str(ceiling))
        server = self.start_server(*FLAGS, "--keys", str(keys)).wait_ready()
        self.assertEqual(ask(server, "GET", "/exists/x", box="a", key=key).status, 200)
        reply = ask(server, "GET", "/exists/x", box="b", key=key)
        self.assert_error(reply, 429)
        self.assertGreater(int(reply.headers["Retry-After"]), 0)
        self.assertEqual(ask(server, "GET", "/exists/x", box="a", key=key).status, 200)

    def test_a_key_of_one_run(self) -> None:
        keys, ceiling = self.folder / "keys.json", self.file("ceiling.json", json.dumps({"concurrency": 1}))
        key = add_key(keys, "one", "--ceiling", str(ceiling))
        server = self.start_server(*FLAGS, "--keys", str(keys)).wait_ready()
        for box in ("a", "b"):
            reply = ask(server, "POST", "/execute", {"command": "echo on"}, box=box, key=key)
            self.assertEqual((reply.status, reply.json.get("stdout")), (200, "on\n"), reply)

    def test_its_time_is_over(self) -> None:
        keys, ceiling = self.folder / "keys.json", self.file("ceiling.json", json.dumps({"ttl": "2s"}))
        key = add_key(keys, "short", "--ceiling", str(ceiling))
        server = self.start_server(*FLAGS, "--keys", str(keys)).wait_ready()
        body, kind = form("made", b"x")
        self.assertEqual(ask(server, "POST", "/upload", body, kind, box="a", key=key).status, 200)

        def is_new() -> bool:
            """Tell whether another one has its name."""
            reply = ask(server, "GET", "/exists/made", box="a", key=key)
            self.assertIn(reply.status, (200, 502), reply)  # 502: it has ended while it was asked
            return reply.status == 200 and not reply.json["exists"]

        self.assertTrue(wait_until(is_new))

    def test_a_face_that_is_none(self) -> None:
        said = glovebox("serve", "--image", "host", "--listen", "127.0.0.1:0", "--face", "agent=127.0.0.1:0", *AS_ROOT)
        self.assert_refused(said, message("faces_read"))

    def test_a_unix_socket(self) -> None:
        server = self.start_server("--face", f"agent-sandbox=unix:{self.folder}/s").wait_ready()
        connection = connect(server, "agent-sandbox")
        self.addCleanup(connection.close)
        connection.request("POST", "/execute", json.dumps({"command": "echo on"}), JSON)
        self.assertEqual(take(connection).json["stdout"], "on\n")
