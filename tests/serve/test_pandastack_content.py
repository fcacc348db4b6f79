"""--face pandastack: code contexts, files and keys."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote

from support.messages import message
from support.pandastack import FLAGS, PandaCase, ask
from support.run import glovebox
from support.serve import AS_ROOT, Reply, add_key
from support.times import wait_until


class Contexts(PandaCase):
    """repl/sessions."""

    def setUp(self) -> None:
        """Have a sandbox and a context."""
        super().setUp()
        self.path = self.sandbox()
        self.context = self.open()

    def open(self) -> str:
        """A new context's path."""
        reply = ask(self.server, "POST", self.path + "/repl/sessions", {"language": "python"})
        self.assertEqual(reply.status, 201, reply)
        return f"{self.path}/repl/sessions/{reply.json['id']}"

    def code(self, code: str, context: str = "", **more: Any) -> Reply:
        """What some code does."""
        return ask(self.server, "POST", (context or self.context) + "/run", {"code": code, **more})

    def test_names_stay(self) -> None:
        reply = self.code("import os, sys; x = 41; print('out'); print('err', file=sys.stderr)").json
        self.assertEqual((reply["stdout"], reply["stderr"], reply["exit"], reply["results"]), ("out\n", "err\n", 0, []))
        self.assertNotIn("error", reply)
        self.assertEqual(self.code("x + 1").json["results"], [{"text/plain": "42"}])
        other = self.open()
        self.assertIn("NameError", self.code("x", other).json["error"])
        self.assertEqual(self.code("import os; os.getpid()", other).json["results"], self.code("os.getpid()").json["results"])
        self.assertEqual(self.code("os.getcwd()").json["results"][0]["text/plain"], "'/workspace'")

    def test_an_error(self) -> None:
        reply = self.code("1 / 0").json
        self.assertEqual(reply["exit"], 1)
        self.assertIn("ZeroDivisionError", reply["error"])

    def test_a_timeout(self) -> None:
        self.code("x = 1")
        self.assert_error(self.code("import time; time.sleep(3600)", timeout_ms=200), 504, "timeout")
        self.assertEqual(self.code("x").json["results"], [{"text/plain": "1"}])
        self.assert_error(self.code("1", timeout_ms=60_001), 400, "timeout_ms")

    def test_it_is_closed(self) -> None:
        self.assertEqual(ask(self.server, "DELETE", self.context).status, 204)
        self.assert_error(self.code("1"), 404)
        self.assert_error(ask(self.server, "DELETE", self.context), 404)

    def test_their_number(self) -> None:
        self.code("x = 1")
        others = [self.open() for _ in range(15)]
        self.assert_error(ask(self.server, "POST", self.path + "/repl/sessions", {}), 400)
        self.assertEqual(ask(self.server, "DELETE", self.context).status, 204)
        self.assertIn("NameError", self.code("x", self.open()).json["error"])
        self.assertFalse(self.code("2", others[0]).json["exit"])

    def test_code_that_waits_keeps_nothing_of_its_context(self) -> None:
        server = self.start_server(*FLAGS, "--max-runs", "1", "--queue", "60s").wait_ready()
        path = self.sandbox(server)
        context = ask(server, "POST", path + "/repl/sessions", {}).json["id"]
        with ThreadPoolExecutor(2) as pool:
            first = pool.submit(self.command, path, "while ! test -e go; do sleep 0.01; done", server)
            self.assertTrue(wait_until(lambda: len(server.get("/v1/executions").json["running"]) == 1))
            second = pool.submit(ask, server, "POST", f"{path}/repl/sessions/{context}/run", {"code": "1"})
            self.assertTrue(wait_until(lambda: len(server.get("/v1/executions").json["running"]) == 2))
            self.assertEqual(ask(server, "DELETE", f"{path}/repl/sessions/{context}").status, 204)
            self.assertEqual(ask(server, "PUT", f"{path}/fs?path=go", b"").status, 200)
            self.assertEqual(first.result().json["exit_code"], 0)
            self.assert_error(second.result(), 404, context)

    def test_what_is_refused(self) -> None:
        self.assert_error(ask(self.server, "POST", self.path + "/repl/sessions", {"language": "ruby"}), 400, "python")
        self.assert_error(ask(self.server, "POST", self.context + "/run", {}), 400, "code")

    def test_it_lives_beside_commands_and_wakes(self) -> None:
        self.code("open('made', 'w').write('x')")
        self.assertEqual(self.command(self.path, "cat made").json["stdout"], "x")
        self.assertEqual(ask(self.server, "POST", self.path + "/hibernate").status, 200)
        self.assertEqual(self.code("2").json["results"], [{"text/plain": "2"}])
        self.assertEqual(ask(self.server, "GET", self.path).json["status"], "running")

    def test_code_that_ends_its_sandbox(self) -> None:
        self.assert_error(self.code("import os; os.kill(os.getpid(), 9)"), 502)
        self.assert_error(self.code("1"), 404)


class Files(PandaCase):
    """fs."""

    def fs(self, method: str, path: str, body: bytes | None = None, below: str = "") -> Reply:
        """One request on a path."""
        return ask(self.server, method, f"{self.there}/fs{below}?path={quote(path)}", body)

    def setUp(self) -> None:
        """Have a sandbox."""
        super().setUp()
        self.there = self.sandbox()

    def test_contents(self) -> None:
        content = bytes(range(256)) * 4000
        for path, name in (("/workspace/a/b ü.bin", "/workspace/a/b ü.bin"), ("c", "/workspace/c"), ("/tmp/../tmp/./d", "/tmp/d")):
            with self.subTest(path):
                self.assertEqual(self.fs("PUT", path, content).json, {"path": name, "size": len(content)})
                self.assertEqual(self.fs("GET", name).body, content)
        self.assertEqual((self.fs("PUT", "/workspace/0", b"").status, self.fs("GET", "/workspace/0").body), (200, b""))

    def test_stat_and_dir(self) -> None:
        self.fs("PUT", "/workspace/d/f", b"12345")
        one = self.fs("GET", "/workspace/d/f", below="/stat").json
        self.assertEqual((one["name"], one["path"], one["is_dir"], one["size"], one["mode"]), ("f", "/workspace/d/f", False, 5, "0644"))
        self.assertGreater(one["mtime"], 1_700_000_000)
        self.assertTrue(self.fs("GET", "/workspace/d", below="/stat").json["is_dir"])
        self.assertTrue(self.fs("GET", "/", below="/stat").json["is_dir"])
        self.assertEqual(self.fs("GET", "/workspace/d", below="/dir").json, {"entries": [one]})
        self.assertIn("/tmp", [entry["path"] for entry in self.fs("GET", "/", below="/dir").json["entries"]])

    def test_what_is_refused(self) -> None:
        for below in ("", "/stat", "/dir"):
            self.assert_error(self.fs("GET", "/workspace/none", below=below), 404)
        self.fs("PUT", "/workspace/f", b"")
        self.assert_error(self.fs("GET", "/workspace/f", below="/dir"), 400)
        self.assert_error(self.fs("GET", "/workspace"), 400)
        self.assert_error(ask(self.server, "GET", self.there + "/fs"), 400, "path")
        self.assert_error(ask(self.server, "PUT", self.there + "/fs", b"x"), 400, "path")
        self.assertIn(self.fs("PUT", "/etc/f", b"x").status, (400, 403))


class Keys(PandaCase):
    """Whose sandboxes they are."""

    def test_keys(self) -> None:
        keys = self.folder / "keys.json"
        one, two = add_key(keys, "one"), add_key(keys, "two")
        server = self.start_server(*FLAGS, "--keys", str(keys))
        self.assertTrue(wait_until(lambda: ask(server, "POST", "/sandboxes", {}, key="wrong").status == 401))
        self.assert_error(ask(server, "GET", "/sandboxes"), 401)
        self.assertTrue(wait_until(lambda: ask(server, "GET", "/sandboxes", key=one).status == 200))
        self.assertTrue(wait_until(lambda: server.get("/ready").status == 200))
        path = self.sandbox(server, one)
        self.assertEqual(ask(server, "GET", "/sandboxes", key=two).json, [])
        context = ask(server, "POST", path + "/repl/sessions", {}, key=one).json["id"]
        for method, below, body in (
            ("GET", "", None),
            ("DELETE", "", None),
            ("POST", "/exec", {"cmd": "true"}),
            ("POST", "/exec/stream", {"cmd": "true"}),
            ("POST", "/repl/sessions", {}),
            ("POST", f"/repl/sessions/{context}/run", {"code": "1"}),
            ("DELETE", f"/repl/sessions/{context}", None),
            ("GET", "/fs?path=/etc/passwd", None),
            ("PUT", "/fs?path=/workspace/x", b"x"),
            ("GET", "/logs", None),
            ("POST", "/pause", None),
        ):
            with self.subTest(method + below):
                self.assert_error(ask(server, method, path + below, body, key=two), 404)
        self.assertEqual(ask(server, "GET", path, key=one).status, 200)

    def test_a_face_that_is_none(self) -> None:
        said = glovebox("serve", "--image", "host", "--listen", "127.0.0.1:0", "--face", "panda=127.0.0.1:0", *AS_ROOT)
        self.assert_refused(said, message("faces_read"))
