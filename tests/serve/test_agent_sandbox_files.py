"""--face agent-sandbox: files of its sandboxes, of its first runtime and of the newer one (sandboxd)."""

import contextlib
import socket
import time
from urllib.parse import quote, urlsplit

from support.agent_sandbox import BASE, AgentCase, ask, named
from support.faces import connect, face_of
from support.serve import Reply, form, take
from support.times import wait_until

OUTSIDE = ("../x", "../../etc/passwd", "d/../../etc/passwd", "/../etc/passwd", "..", "d/../..")


class Files(AgentCase):
    """upload, download, list and exists."""

    def put(self, name: str, content: bytes = b"x") -> None:
        """Upload a file, which must work."""
        reply = self.upload(name, content)
        self.assertEqual((reply.status, reply.json), (200, {"message": f"File '{name}' uploaded successfully."}), reply)

    def test_contents(self) -> None:
        content = bytes(range(256)) * 4000
        for name in ("a.bin", "d/e/mü \u2028.bin", "100%.txt", "a%41%2f.txt", "%2e%2e", "a\\b+c;&?#='", "...", ".hidden", "x" * 255):
            with self.subTest(name[:70]):
                self.put(name, content)
                reply = self.get(named("download", name))
                self.assertEqual((reply.status, reply.headers["Content-Type"], reply.body == content), (200, "application/octet-stream", True))
                self.assertEqual(self.get(named("exists", name)).json, {"path": name, "exists": True})
        for path in ("/download/d/e/m%C3%BC%20%E2%80%A8.bin", "/download/d/e%2Fm%C3%BC%20%E2%80%A8.bin", "/download/%2Fa.bin"):
            self.assertEqual(self.get(path).body, content, path)
        self.assertFalse(self.get(named("exists", "aA%2f.txt")).json["exists"])

    def test_sizes(self) -> None:
        for size in (0, 1, 65536, 20_000_000):
            with self.subTest(size):
                content = bytes(range(251)) * (size // 251 + 1)
                self.put("sized", content[:size])
                reply = self.get("/download/sized")
                self.assertEqual((reply.status, reply.headers["Content-Length"]), (200, str(size)))
                self.assertEqual(reply.body, content[:size])

    def test_a_stream(self) -> None:
        body, kind = form("d/streamed", b"x" * 3_000_000)
        connection = connect(self.server, "agent-sandbox")
        self.addCleanup(connection.close)
        pieces = (body[start : start + 65536] for start in range(0, len(body), 65536))
        connection.request("POST", "/upload", pieces, {**kind, "X-Sandbox-ID": self.box}, encode_chunked=True)
        self.assertEqual(take(connection).status, 200)
        self.assertEqual(self.run_command("wc -c d/streamed")["stdout"].split()[0], "3000000")

    def test_they_are_those_of_commands(self) -> None:
        self.put("d/f", b"from outside")
        self.assertEqual(self.run_command(f"cat {BASE}/d/f")["stdout"], "from outside")
        self.run_command("sh -c 'echo inside > d/f; mkdir e'")
        self.assertEqual(self.get("/download/d%2Ff").body, b"inside\n")
        self.assertEqual(self.get("/list/e").json, [])
        self.put("d/f", b"")
        self.assertEqual(self.get("/download/d%2Ff").body, b"")

    def test_a_listing(self) -> None:
        began = time.time()
        self.put("d/f", b"12345")
        self.put("d/e/g")
        self.run_command("sh -c 'ln -s /nowhere d/link; mkfifo d/pipe'")
        listed = {entry["name"]: entry for entry in self.get("/list/d").json}
        self.assertEqual(set(listed), {"e", "f", "link", "pipe"})
        self.assertEqual({name: entry["type"] for name, entry in listed.items()}, {"e": "directory", "f": "file", "link": "file", "pipe": "file"})
        self.assertEqual((set(listed["f"]), listed["f"]["size"]), ({"name", "size", "type", "mod_time"}, 5))
        self.assertAlmostEqual(listed["f"]["mod_time"], began, delta=100)
        for path in ("/list/", "/list/.", "/list/%2E", "/list/%2F", "/list/d%2F.."):
            self.assertEqual([entry["name"] for entry in self.get(path).json], ["d"], path)
        for path in ("/list/none", "/list/d%2Ff", "/list/d%2Ff%2Fg"):
            self.assert_error(self.get(path), 404, "a directory")

    def test_what_exists(self) -> None:
        self.put("d/f")
        for path, exists in (("d", True), ("d/f", True), ("/d/f", True), ("d/./f", True), ("d/../d/f", True), ("none", False), ("d/f/g", False), ("", True)):
            with self.subTest(path):
                self.assertEqual(self.get(named("exists", path)).json, {"path": path, "exists": exists})
        self.assertEqual(self.get("/exists/d/f").json, {"path": "d/f", "exists": True})

    def test_what_is_not_there(self) -> None:
        self.put("d/f")
        for path in ("none", "d", "d/f/g", "", "."):
            self.assert_error(self.get(named("download", path)), 404, "File not found")

    def test_paths_that_lead_out(self) -> None:
        self.put("d/f")
        for path in OUTSIDE:
            for route in ("download", "list", "exists"):
                with self.subTest(path, route=route):
                    self.assert_error(self.get(named(route, path)), 403, "Access denied")
            with self.subTest(path, route="upload"):
                self.assert_error(self.upload(path, b"x"), 403, "Access denied")
        for path in ("/exists/../etc/passwd", "/exists/%2e%2e/etc/passwd", "/exists/..%2fetc%2fpasswd", "/exists/d/%2E%2E/..%2Fetc"):
            self.assertIn(self.get(path).status, (400, 403), path)
        self.assertFalse(self.get("/exists/%252e%252e%252fetc").json["exists"])

    def test_paths_that_are_none(self) -> None:
        for path in ("a%00b", "%", "%4", "%zz", "%ff%fe", "a" * 300, quote("a/" * 3000, safe="")):
            for route in ("download", "list", "exists"):
                with self.subTest(path[:70], route=route):
                    reply = self.get(f"/{route}/{path}")
                    self.assertTrue(400 <= reply.status < 500 or reply.json.get("exists") is False, reply)

    def test_links(self) -> None:
        self.run_command("sh -c 'echo secret > /tmp/secret; ln -s /tmp/secret f; ln -s /tmp t; ln -s ../../../../etc/passwd p'")
        for path in ("f", "t/secret", "p"):
            self.assertIn(self.get(named("download", path)).status, (403, 404), path)
        self.assertIn(self.get("/list/t").status, (403, 404))
        self.assertIn(self.upload("t/made", b"x").status, (400, 403))
        self.assertNotEqual(self.run_command("cat /tmp/made")["exit_code"], 0)

    def test_what_is_no_upload(self) -> None:
        self.put("d/f")
        body, kind = form("name", b"content")
        for sent, headers, status in (
            (b"x", {}, 422),
            (b"x", {"Content-Type": "application/octet-stream"}, 422),
            (b"x", {"Content-Type": "multipart/form-data"}, 422),
            (form("name", b"content", "other")[0], kind, 422),
            (b"--part--\r\n", kind, 422),
            (body.replace(b'; filename="name"', b""), kind, 422),
            (body.replace(b'"name"', b'""'), kind, 422),
        ):
            with self.subTest(sent[:80]):
                self.assert_error(ask(self.server, "POST", "/upload", sent, headers, box=self.box), status)
        self.assertIn(ask(self.server, "POST", "/upload", body[:-20], kind, box=self.box).status, (400, 422))
        for name in ("d", ".", "d/f/g", "x" * 256):
            with self.subTest(name):
                self.assert_error(self.upload(name, b"x"), 400)
        self.assertEqual([entry["name"] for entry in self.get("/list/").json], ["d"])
        self.assertEqual(self.get("/download/d%2Ff").body, b"x")

    def test_one_that_is_too_large(self) -> None:
        self.run_command("sh -c 'head -c 300000000 /dev/zero > a'")
        reply = self.upload("big", b"x" * 1_000_000)
        self.assertTrue(400 <= reply.status < 600, reply)
        self.assertEqual([entry["name"] for entry in self.get("/list/").json], ["a"])
        self.run_command("rm a")
        self.put("big", b"x" * 1_000_000)

    def test_a_client_that_leaves(self) -> None:
        self.put("f", b"old")
        body, kind = form("f", b"x" * 100_000)
        where = urlsplit(face_of(self.server, "agent-sandbox"))
        head = f"POST /upload HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Sandbox-ID: {self.box}\r\nContent-Type: {kind['Content-Type']}\r\nContent-Length: {len(body)}\r\n\r\n"
        with contextlib.closing(socket.create_connection((where.hostname, where.port))) as stream:
            stream.sendall(head.encode() + body[:50_000])
        self.assertTrue(wait_until(lambda: not self.running()))
        self.assertEqual(self.get("/download/f").body, b"old")
        self.assertEqual([entry["name"] for entry in self.get("/list/").json], ["f"])


class NewerFiles(AgentCase):
    """/v1/files."""

    def call(self, method: str, path: str, body: bytes | None = None, query: str = "", **headers: str) -> Reply:
        """One request on a path."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return ask(self.server, method, f"/v1/files/{quote(path, safe='')}{query}", body, sent, box=self.box)

    def put(self, path: str, body: bytes = b"x", query: str = "") -> None:
        """Write a file, which must work."""
        reply = self.call("PUT", path, body, query)
        self.assertEqual((reply.status, reply.body), (204, b""), reply)

    def test_contents(self) -> None:
        content = bytes(range(256)) * 4000
        for name in ("a.bin", "d/e/mü.bin", "100%.txt", "a%41%2f.txt", "empty"):
            with self.subTest(name):
                self.put(name, b"" if name == "empty" else content)
                reply = self.call("GET", name)
                self.assertEqual((reply.status, reply.headers["Content-Type"]), (200, "application/octet-stream"))
                self.assertEqual(reply.body, b"" if name == "empty" else content)
        self.assertEqual(ask(self.server, "GET", "/v1/files/d/e/m%C3%BC.bin", box=self.box).body, content)
        self.assertEqual(self.get(named("download", "a.bin")).body, content)

    def test_a_form(self) -> None:
        body, kind = form("ignored", b"of a form")
        self.assertEqual(self.call("PUT", "f", body, Content_Type=kind["Content-Type"]).status, 204)
        self.assertEqual(self.call("GET", "f").body, b"of a form")
        other, _ = form("ignored", b"x", "other")
        self.assert_error(self.call("PUT", "f", other, Content_Type=kind["Content-Type"]), 400)

    def test_modes(self) -> None:
        self.put("plain")
        self.put("program", b"#!/bin/sh\necho ran\n", "?mode=0755")
        self.assertEqual(self.run_command(f"{BASE}/program")["stdout"], "ran\n")
        modes = {entry["name"]: entry["mode"] for entry in self.call("GET", "").json["entries"]}
        self.assertEqual(modes, {"plain": "0644", "program": "0755"})
        for mode in ("755", "0999", "00755", "4755", "x", "0755%20"):
            self.assert_error(self.call("PUT", "plain", b"y", f"?mode={mode}"), 400, "mode")
        self.assertEqual(self.call("GET", "plain").body, b"x")

    def test_a_listing(self) -> None:
        self.put("d/f", b"12345")
        self.put("d/e/g")
        self.run_command("sh -c 'ln -s /nowhere d/link; mkdir none'")
        listing = self.call("GET", "d").json
        self.assertEqual([(entry["name"], entry["type"]) for entry in listing["entries"]], [("e", "directory"), ("f", "file")])
        entry = listing["entries"][1]
        self.assertEqual((set(entry), entry["size"], entry["mode"]), ({"name", "size", "type", "modified_at", "mode"}, 5, "0644"))
        self.assertRegex(entry["modified_at"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual((listing["path"], self.call("GET", "none").json), ("/d", {"path": "/none", "entries": []}))
        for path in ("/v1/files/", "/v1/files/.", "/v1/files/%2E"):
            self.assertEqual([entry["name"] for entry in ask(self.server, "GET", path, box=self.box).json["entries"]], ["d", "none"], path)

    def test_heads(self) -> None:
        self.put("d/f", b"12345")
        for path, status in (("d/f", 200), ("d", 200), ("none", 404), ("../x", 403)):
            reply = self.call("HEAD", path)
            self.assertEqual((reply.status, reply.body), (status, b""), path)
        self.assertEqual(self.call("HEAD", "d/f").headers["Content-Length"], "5")

    def test_packed(self) -> None:
        self.assertEqual(self.call("PUT", "f", b"x", Content_Encoding="gzip").status, 415)
        self.assertEqual(self.call("PUT", "f", b"x", Content_Encoding="identity").status, 204)

    def test_deletions(self) -> None:
        self.put("d/f")
        self.put("g")
        self.assert_error(self.call("DELETE", "d"), 409, "recursive")
        self.assert_error(self.call("DELETE", "d", query="?recursive=false"), 409, "recursive")
        self.assert_error(self.call("DELETE", "d", query="?recursive=maybe"), 400, "recursive")
        self.assert_error(self.call("DELETE", "none"), 404)
        self.assert_error(self.call("DELETE", "none", query="?recursive=true"), 404)
        self.assert_error(self.call("DELETE", ""), 409, "recursive")
        for path, query in (("g", ""), ("d/f", ""), ("d", "")):
            self.assertEqual(self.call("DELETE", path, query=query).status, 204, path)
        self.put("d/e/f")
        self.assertEqual(self.call("DELETE", "d", query="?recursive=true").status, 204)
        self.put("e/f")
        self.assertEqual(self.call("DELETE", "", query="?recursive=true").status, 204)
        self.assertEqual(self.call("GET", "").json["entries"], [])

    def test_names_that_are_no_text(self) -> None:
        self.run_command("sh -c 'touch \"$(printf \"\\377a\")\"; mkdir -p \"$(printf \"d\\377\")/e\"; touch \"$(printf \"\\357\\277\\275a\")\"'")
        self.assertEqual(len(self.call("GET", "").json["entries"]), 3)
        self.assertEqual(self.call("DELETE", "", query="?recursive=true").status, 204)
        self.assertEqual(self.call("GET", "").json["entries"], [])

    def test_what_is_refused(self) -> None:
        self.put("d/f")
        for path in OUTSIDE:
            for method in ("GET", "PUT", "DELETE"):
                with self.subTest(path, method=method):
                    self.assert_error(self.call(method, path, b"x" if method == "PUT" else None), 403)
        self.assert_error(self.call("GET", "none"), 404)
        for path in ("d", "", "d/f/g"):
            self.assert_error(self.call("PUT", path, b"x"), 400)
        self.assertEqual(ask(self.server, "POST", "/v1/files/x", b"x", box=self.box).status, 405)

    def test_probes(self) -> None:
        health = ask(self.server, "GET", "/v1/health").json
        self.assertEqual(health["status"], "ok")
        self.assertGreaterEqual(health["uptime_seconds"], 0)
        self.assertEqual(ask(self.server, "GET", "/v1/metadata").json, {"env": {}})
