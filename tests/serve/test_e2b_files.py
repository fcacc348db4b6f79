"""--face e2b: files of a sandbox, as bytes and as entries."""

import base64
import hashlib
import time
import urllib.parse
from typing import Any

from support.e2b import FORM, HOME, E2bCase, ask, multipart
from support.serve import Reply


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
                self.assert_error(ask(self.server, "GET", path), 401)
                self.assert_error(ask(self.server, "GET", path, **{"E2b-Sandbox-Id": self.box.id}), 401)
        self.assertEqual(ask(self.server, "POST", link("up", "write"), multipart(("x", b"2")), **FORM).status, 200)
        self.assertEqual(self.got("up").body, b"2")
        self.assert_error(ask(self.server, "POST", link("shown", "read").replace("/files", "/execute"), {"code": "1"}, **{"E2b-Sandbox-Id": self.box.id}), 401)
