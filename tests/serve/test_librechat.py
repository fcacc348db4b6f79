"""--face librechat: code that runs once, asked by raw HTTP, on an address beside the server's."""

import contextlib
import hashlib
import json
import shutil
import socket
import threading
from typing import Any
from urllib.parse import urlsplit

from support.faces import face_of
from support.librechat import BASE, FLAGS, LibreCase, ask
from support.serve import Server, add_key
from support.times import wait_until

WAITS = "import time; print('began', flush=True); time.sleep(3600)"


class Runs(LibreCase):
    """POST /exec."""

    def test_python(self) -> None:
        said = self.ran("import os, sys; print('müß', os.getcwd(), __name__); print('careful', file=sys.stderr)")
        self.assertEqual((said["stdout"], said["stderr"], said["files"]), ("müß /mnt/data __main__\n", "careful\n", []))

    def test_bash(self) -> None:
        said = self.ran("pwd; echo careful >&2; printf '%s\\n' \"$((6 * 7))\"; exit 3", "bash")
        self.assertEqual((said["stdout"], said["stderr"]), ("/mnt/data\n42\n", "careful\n"))

    def test_javascript(self) -> None:
        if not shutil.which("node", path="/usr/bin:/bin"):
            self.skipTest("cannot: this machine's /usr has no node, so its image has none")
        said = self.ran("console.log('müß', 6 * 7); console.error('careful'); require('fs').writeFileSync('made.txt', process.cwd())", "js")
        self.assertEqual((said["stdout"], said["stderr"], list(self.made(said))), ("müß 42\n", "careful\n", ["made.txt"]))
        self.assertEqual(self.content(self.given_back(said, "made.txt")), b"/mnt/data")

    def test_arguments(self) -> None:
        given = ["a b", "--c", "", "ü"]
        self.assertEqual(self.ran("import sys; print(sys.argv[1:])", args=given)["stdout"], f"{given}\n")
        self.assertEqual(self.ran('printf "<%s>" "$@"', "bash", args=given)["stdout"], "<a b><--c><><ü>")

    def test_what_an_error_says(self) -> None:
        said = self.ran("print('before')\n1 / 0")
        self.assertEqual(said["stdout"], "before\n")
        self.assertIn("line 2", said["stderr"])
        self.assertIn("ZeroDivisionError", said["stderr"])
        self.assertIn("SyntaxError", self.ran("1 +")["stderr"])
        self.assertIn(self.ran("raise SystemExit(3)").get("code", 3), (3, None))

    def test_code_that_reads(self) -> None:
        self.assertIn("EOFError", self.ran("input()")["stderr"])
        self.assertEqual(self.ran("cat; echo end", "bash")["stdout"].strip(), "end")

    def test_nothing_stays_in_an_interpreter(self) -> None:
        self.ran("x = 1; open('kept.txt', 'w').write('x'); open('/tmp/kept.txt', 'w').write('x')")
        said = self.ran("import os; print('x' in globals(), os.path.exists('kept.txt'), os.path.exists('/tmp/kept.txt'))")
        self.assertEqual(said["stdout"], "False False False\n")

    def test_each_has_a_session_of_its_own(self) -> None:
        self.assertEqual(len({self.ran("1")["session_id"] for _ in range(3)}), 3)

    def test_what_it_prints_is_text(self) -> None:
        said = self.ran(r"import os; os.write(1, b'a\xff\x00b\xe2\x80\xa8'); os.write(2, b'\xc3')")
        self.assertEqual((said["stdout"], said["stderr"]), ("a\ufffd\0b\u2028", "\ufffd"))

    def test_what_is_not_known_is_nothing(self) -> None:
        more = {"session_id": "0" * 21, "user_id": "u", "entity_id": "asst_1", "runtime_session_hint": "h", "files": [], "other": {"a": [1]}}
        self.assertEqual(self.ran("print(1)", **more)["stdout"], "1\n")
        self.assertEqual(self.ran("print(1)", files=None)["stdout"], "1\n")

    def test_there_is_no_network(self) -> None:
        self.assertIn("Error", self.ran("import socket; socket.create_connection(('1.1.1.1', 80), 2)")["stderr"])

    def test_a_server_that_asks_for_a_profile(self) -> None:
        body = {"lang": "py", "code": "print(1)"}
        headers = {"X-CodeAPI-Expected-Profile": "default", "User-Agent": "LibreChat/1.0"}
        self.assertEqual(self.checked(ask(self.server, "POST", "/exec", body, **headers))["stdout"], "1\n")
        reply = ask(self.server, "POST", "/exec", body, **{"X-CodeAPI-Expected-Profile": "stateful"})
        self.assertEqual((reply.status, reply.json["error"]), (409, "execution_profile_mismatch"))


class Refused(LibreCase):
    """What is wrong with a request."""

    def test_bodies(self) -> None:
        for body in (
            b"{",
            b"",
            b"\xff{}",
            [],
            "text",
            {"lang": "py"},
            {"code": "1"},
            {"lang": "py", "code": None},
            {"lang": "py", "code": ["1"]},
            {"lang": 3, "code": "1"},
            {"lang": "py", "code": "1", "args": "a"},
            {"lang": "py", "code": "1", "args": [1]},
            {"lang": "bash", "code": "true", "args": ["a\0b"]},
            {"lang": "py", "code": "1", "files": {}},
            {"lang": "py", "code": "1", "files": ["a"]},
        ):
            with self.subTest(body):
                self.assert_error(ask(self.server, "POST", "/exec", body), 400, 413, 422)
        self.assertEqual(self.ran("print(1)")["stdout"], "1\n")

    def test_languages(self) -> None:
        for lang in ("cobol", "", "py\n", "../py", "p" * 100_000):
            with self.subTest(lang[:20]):
                self.assert_error(self.answer("1", lang), 400, 422)
        for lang in ("c", "cpp", "java", "go", "rs", "ts", "d", "f90"):  # those that are compiled
            with self.subTest(lang):
                self.assert_error(self.answer("", lang), 400)
        for lang in ("php", "r"):  # those that an image may lack
            with self.subTest(lang):
                reply = self.answer("", lang)
                self.assertTrue(reply.status == 200 or self.assert_error(reply, 400, 422, 501), reply)

    def test_routes(self) -> None:
        for method, path in (("GET", "/exec"), ("DELETE", "/exec"), ("GET", "/upload"), ("POST", "/none"), ("GET", "/download"), ("GET", "/files")):
            with self.subTest(method + path):
                self.assert_error(ask(self.server, method, path), 400, 404, 405)

    def test_bodies_that_are_huge(self) -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.assert_error(self.answer("#" * 80_000_000), 400, 413)
        self.assertEqual(self.ran("print(1)")["stdout"], "1\n")


class Limits(LibreCase):
    """Time, output, memory, places."""

    flags = (*FLAGS, "--max-timeout", "3000")

    def assert_stopped(self, reply: Any) -> None:
        """It says in some way that the code was stopped."""
        if reply.status != 200:
            self.assert_error(reply, 408, 504)
            return
        said = self.checked(reply)
        self.assertTrue(said["stderr"] or said.get("message"), said)

    def test_time(self) -> None:
        for code, lang in ((WAITS, "py"), ("echo began; sleep 3600 & exec sleep 3600", "bash"), ("while True: pass", "py")):
            with self.subTest(code):
                reply = self.answer(code, lang)
                self.assert_stopped(reply)
                if reply.status == 200 and "began" in code:
                    self.assertEqual(reply.json["stdout"], "began\n")
        self.assertTrue(wait_until(lambda: not self.running()))

    def test_a_time_that_is_asked_for(self) -> None:
        self.assertEqual(self.ran("print(1)", timeout=1000)["stdout"], "1\n")
        for timeout in (0, -1, "soon", 10**12, None, []):
            with self.subTest(timeout):
                reply = self.answer("print(1)", timeout=timeout)
                self.assertTrue(reply.status == 200 or self.assert_error(reply, 400, 422))

    def test_output(self) -> None:
        for stream in ("stdout", "stderr"):
            with self.subTest(stream):
                reply = self.answer(f"import sys; sys.{stream}.write('x' * 30_000_000)")
                self.assertLess(len(reply.body), 8_000_000)
                if reply.status == 200:
                    self.assertTrue(self.checked(reply)[stream].startswith("xxx"), reply.body[:200])
                else:
                    self.assert_error(reply, 400, 413)

    def test_memory(self) -> None:
        self.assert_stopped(self.answer("x = bytearray(4 << 30); x[::4096] = x[::4096]"))

    def test_processes_that_stay(self) -> None:
        said = self.ran("import subprocess; subprocess.Popen(['sleep', '3600'], start_new_session=True); print(1)")
        self.assertEqual(said["stdout"], "1\n")
        self.assertTrue(wait_until(lambda: not self.running()))

    def test_no_place(self) -> None:
        server = self.start_server(*FLAGS, "--max-runs", "1", "--queue", "0s", "--drain", "0s").wait_ready()
        first = threading.Thread(target=self.answer, args=(WAITS,), kwargs={"server": server})
        first.start()
        self.assertTrue(wait_until(lambda: self.running(server)))
        self.assert_error(self.answer("1", server=server), 429, 503)
        server.stop()
        first.join()

    def test_a_client_that_leaves(self) -> None:
        server = self.start_server(*FLAGS).wait_ready()
        where = urlsplit(face_of(server, "librechat"))
        body = json.dumps({"lang": "py", "code": WAITS}).encode()
        with socket.create_connection((where.hostname, where.port)) as stream:
            head = f"POST {BASE}/exec HTTP/1.1\r\nHost: {where.hostname}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            stream.sendall(head.encode() + body)
            self.assertTrue(wait_until(lambda: self.running(server)))
        self.assertTrue(wait_until(lambda: not self.running(server)))

    def test_the_server_ends(self) -> None:
        server = self.start_server(*FLAGS, "--drain", "0s").wait_ready()
        first = threading.Thread(target=self.answer, args=(WAITS,), kwargs={"server": server})
        first.start()
        self.assertTrue(wait_until(lambda: self.running(server)))
        self.assertEqual(server.stop(), 0)
        first.join()


class Keys(LibreCase):
    """Keys, and what each of them reaches."""

    def keyed(self, *names: str) -> tuple[Server, list[str]]:
        """A server with keys."""
        keys = self.folder / "keys.json"
        tokens = [add_key(keys, name) for name in names]
        return self.start_server(*FLAGS, "--keys", str(keys)).wait_ready(), tokens

    def test_a_key(self) -> None:
        server, (key,) = self.keyed("ours")
        body = {"lang": "py", "code": "print(1)"}
        for headers in (
            {},
            {"X-API-Key": "no"},
            {"X-API-Key": key + "x"},
            {"Authorization": "Bearer no"},
            {"Authorization": f"Basic {key}"},
            {"X-API-Key": ""},
        ):
            for method, path, sent in (
                ("POST", "/exec", body),
                ("GET", f"/files/{'0' * 21}", None),
                ("POST", "/exec/programmatic", body),
                ("POST", "/upload", b""),
            ):
                with self.subTest(f"{method} {path} {sorted(headers)}"):
                    self.assert_error(ask(server, method, path, sent, **headers), 401, 403)
        for headers in ({"X-API-Key": key}, {"Authorization": f"Bearer {key}"}):
            self.assertEqual(self.checked(ask(server, "POST", "/exec", body, **headers))["stdout"], "1\n")
        self.assertNotIn(key, "\n".join(server.said))

    def test_files_of_another(self) -> None:
        server, (ours, theirs) = self.keyed("ours", "theirs")
        uploaded = self.stored("a.txt", b"secret", server, ours)
        made = self.given_back(self.ran("open('b.txt', 'w').write('secret')", server=server, key=ours), "b.txt")
        for file in (uploaded, made):
            session, ident = file["storage_session_id"], file["id"]
            for method, path in (
                ("GET", f"/download/{session}/{ident}"),
                ("GET", f"/files/{session}?detail=full"),
                ("GET", f"/sessions/{session}/objects/{ident}?kind=user&id=1"),
                ("DELETE", f"/files/{session}/{ident}"),
                ("DELETE", f"/sessions/{session}/objects/{ident}"),
            ):
                with self.subTest(method + path):
                    reply = ask(server, method, path, key=theirs)
                    self.assertNotIn(b"secret", reply.body)
                    self.assertNotIn(file["name"].encode(), reply.body)
                    if not (method == "GET" and path.startswith("/files/") and reply.json == []):
                        self.assert_error(reply, 403, 404)
            self.assert_error(self.answer("print(open('a.txt').read())", server=server, key=theirs, files=[{**file, "name": "a.txt"}]), 400, 403, 404)
            self.assertEqual(self.content(file, server, ours), b"secret")

    def test_ids_are_not_told_apart(self) -> None:
        server, (ours, theirs) = self.keyed("ours", "theirs")
        file = self.stored("a.txt", b"secret", server, ours)
        said = [ask(server, "GET", f"/download/{session}/{'0' * 21}", key=theirs) for session in (file["storage_session_id"], "1" * 21)]
        self.assertEqual(*[(reply.status, reply.body.replace(file["storage_session_id"].encode(), b"1" * 21)) for reply in said])

    def test_it_is_in_the_audit(self) -> None:
        audit = self.folder / "audit"
        server = self.start_server(*FLAGS, "--audit", str(audit)).wait_ready()
        self.ran("print('audited')", server=server)
        lines = [line for line in map(json.loads, audit.read_text().splitlines()) if "operation" in line]
        self.assertIn(hashlib.sha256(b"print('audited')").hexdigest(), [line.get("code_sha256") for line in lines])


class Beside(LibreCase):
    """What it has of the server."""

    def test_the_server_names_it(self) -> None:
        self.assertEqual(self.server.get("/v1").json["faces"], [{"name": "librechat", "address": face_of(self.server, "librechat")}])

    def test_no_route_of_the_server_is_there_and_none_of_its_own_here(self) -> None:
        self.assert_error(ask(self.server, "POST", "/execute", {"code": "1"}), 404)
        self.assertEqual(self.server.post("/v1/exec", {"lang": "py", "code": "1"}).status, 404)

    def test_metrics(self) -> None:
        self.ran("1")
        self.assertIn(b'face="librechat",method="POST"', self.server.get("/metrics").body)

    def test_a_host_of_elsewhere(self) -> None:
        self.assertEqual(ask(self.server, "POST", "/exec", {"lang": "py", "code": "1"}, Host="evil.example").status, 403)
