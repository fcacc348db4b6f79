"""engine: /containers/X/archive: tar streams out of a container, and into it; and its root."""

import base64
import io
import json
import os
import tarfile
import tempfile
import unittest
from pathlib import Path
from typing import Any, ClassVar

from support.engine import Answer, EngineCase
from support.run import IS_ROOT
from support.small_image import NAME, make_store

STAT = "X-Docker-Container-Path-Stat"
DIRECTORY, SYMLINK = 1 << 31, 1 << 27  # Go's os.FileMode


def packed(**files: bytes) -> bytes:
    """Return a tar with files."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.uid, entry.gid = len(content), 4321, 4321
            tar.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def unpacked(data: bytes) -> dict[str, bytes]:
    """Return the files of a tar."""
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return {entry.name: tar.extractfile(entry).read() for entry in tar if entry.isfile()}  # type: ignore[union-attr]


class Archive(EngineCase):
    """GET, HEAD and PUT."""

    def setUp(self) -> None:
        """Have a container with files."""
        super().setUp()
        self.one = self.running(name="files")
        script = "mkdir /tmp/d; cd /tmp/d; echo content >f; chmod 640 f; ln -s f l; ln -s /etc a; mkdir sub; echo deep >sub/g; chmod 777 sub; printf long >$(printf %0150d 1)"
        self.assertEqual(self.exec(self.one, "sh", "-c", script), (0, b"", b""))

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """Make a request for a path inside."""
        return self.engine.request(method, f"/containers/files/archive?path={path}", body, {"Content-Type": "application/x-tar"} | headers)

    def said(self, answer: Answer) -> dict[str, Any]:
        """Return what the header says."""
        return json.loads(base64.b64decode(answer.headers[STAT]))

    def read(self, path: str) -> bytes:
        """Return the content of a file inside."""
        return self.exec(self.one, "cat", path)[1]

    def test_a_file(self) -> None:
        """Its header has what HEAD says, and its tar the file."""
        for method in ("HEAD", "GET"):
            answer = self.assert_answer(self.ask(method, "/tmp/d/f"))
            found = self.said(answer)
            self.assertEqual((found["name"], found["size"], found["mode"], found["linkTarget"]), ("f", 8, 0o640, ""))
            self.assertRegex(found["mtime"], r"\A\d{4}-\d\d-\d\dT.*Z\Z")
        self.assertEqual(answer.headers["Content-Type"], "application/x-tar")
        self.assertEqual(unpacked(answer.body), {"f": b"content\n"})

    def test_a_directory(self) -> None:
        """All that is in it, below its name."""
        answer = self.assert_answer(self.ask("GET", "/tmp/d"))
        self.assertEqual(self.said(answer)["mode"] & DIRECTORY, DIRECTORY)
        files = unpacked(answer.body)
        self.assertEqual((files["d/f"], files["d/sub/g"], len(files)), (b"content\n", b"deep\n", 3))
        found = self.said(self.ask("HEAD", "/tmp/d/sub/"))
        self.assertEqual((found["name"], found["mode"]), ("sub", DIRECTORY | 0o777))
        self.assertEqual(self.said(self.ask("HEAD", "/"))["name"], "/")

    def test_links(self) -> None:
        """A link's target is absolute, in the container: clients go on with it."""
        for path, target in (("/tmp/d/l", "/tmp/d/f"), ("/tmp/d/a", "/etc")):
            found = self.said(self.assert_answer(self.ask("HEAD", path)))
            self.assertEqual((found["mode"] & SYMLINK, found["linkTarget"]), (SYMLINK, target))

    def test_a_long_name(self) -> None:
        """Longer than a header of a tar has room for."""
        name = f"{1:0150d}"
        answer = self.assert_answer(self.ask("GET", f"/tmp/d/{name}"))
        self.assertEqual(self.said(answer)["name"], name)
        self.assertEqual(unpacked(answer.body), {name: b"long"})

    def test_into_it(self) -> None:
        """The files are the program's own, whoever the tar names."""
        self.assert_answer(self.ask("PUT", "/tmp/d/sub", packed(new=b"1\n", g=b"2\n")))
        self.assertEqual((self.read("/tmp/d/sub/new"), self.read("/tmp/d/sub/g")), (b"1\n", b"2\n"))
        for kind in ("application/x-www-form-urlencoded", "application/octet-stream"):
            self.assert_answer(self.ask("PUT", "/tmp/d/sub", packed(other=kind.encode()), **{"Content-Type": kind}))
            self.assertEqual(self.read("/tmp/d/sub/other"), kind.encode())

    def test_in_pieces(self) -> None:
        """A body in chunks, as Go sends it, larger than any buffer."""
        content = os.urandom(3 << 20)
        tar = packed(big=content)
        pieces = (tar[at : at + 50000] for at in range(0, len(tar), 50000))
        self.assert_answer(self.engine.request("PUT", "/containers/files/archive?path=/tmp/d", b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in pieces) + b"0\r\n\r\n", {"Transfer-Encoding": "chunked"}))
        self.assertEqual(unpacked(self.ask("GET", "/tmp/d/big").body), {"big": content})

    def test_what_cannot_be(self) -> None:
        """Statuses and texts that clients know."""
        for method in ("GET", "HEAD", "PUT"):
            body = packed(x=b"") if method == "PUT" else None
            answer = self.ask(method, "/tmp/none", body)
            self.assertEqual(answer.status, 404, (method, answer))
            if method != "HEAD":
                self.assertIn("/tmp/none in container", answer.message)
            self.assertEqual(self.engine.request(method, "/containers/files/archive", body).status, 400)
        self.assert_answer(self.ask("PUT", "/tmp/d/f", packed(x=b"")), 400, "not a directory")
        self.assert_answer(self.ask("PUT", "/etc", packed(x=b"")), 400, "Read-only file system")
        self.assert_answer(self.ask("PUT", "/tmp/d", b"no tar" * 1000), 400)
        self.assert_answer(self.ask("PUT", "/tmp/d", packed(x=b"abc" * 1000)[:700]), 400)

    @unittest.skipUnless(IS_ROOT, "cannot: an ordinary user mounts nothing")
    def test_the_disk_is_not_filled(self) -> None:
        """A body ends where it would take the last twentieth of the file system."""
        place = self.subfolder("small")
        self.env["XDG_STATE_HOME"] = str(place)
        mounts = ("unshare", "--mount", "sh", "-ec", 'mount -t tmpfs -o size=8m,mode=700 none "$0"; exec "$@"', str(place))
        engine = self.start_engine(under=mounts)
        answer = engine.request("POST", "/images/load", b"x" * (10 << 20), {"Content-Type": "application/x-tar"})
        self.assert_answer(answer, 500, "No space left on device")
        self.assertRegex(engine.get("/_ping").body, b"OK")

    def test_nothing_leaves_the_directory(self) -> None:
        """Neither by dots nor by links."""
        self.assertEqual(self.exec(self.one, "sh", "-c", "mkdir /tmp/d/sub/in; ln -s /tmp/d /tmp/d/sub/in/up")[0], 0)
        for name in ("../escaped", "up/escaped", "/tmp/d/escaped"):
            out = io.BytesIO()
            with tarfile.open(fileobj=out, mode="w") as tar:
                tar.addfile(tarfile.TarInfo(name), io.BytesIO())
            self.ask("PUT", "/tmp/d/sub/in", out.getvalue())
            self.assertEqual(self.exec(self.one, "sh", "-c", "ls /tmp/d/escaped /tmp/d/sub/escaped 2>/dev/null")[1], b"", name)


class Root(EngineCase):
    """A root that is written to."""

    image = NAME
    store: ClassVar[Path]

    @classmethod
    def setUpClass(cls) -> None:
        """Make an image."""
        super().setUpClass()
        folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.store = make_store(folder, 0 if IS_ROOT else os.geteuid(), shared=True)

    def setUp(self) -> None:
        """Have a container that has written to its root."""
        self.given = {"GLOVEBOX_IMAGES": str(self.store)}
        super().setUp()
        self.one = self.ended("python3", "-c", "import os; os.makedirs('made'); open('made/new', 'w').write('x')", WorkingDir="/workspace")
        self.assertEqual(self.logs(self.one), (b"", b""))

    def test_files_of_one_that_does_not_run(self) -> None:
        """Create, copy, start, copy: what tools do that have no volume."""
        made = self.create(Image=NAME, Cmd=["python3", "-c", "print(open('/tmp/in').read(), open('/workspace/in').read())"], WorkingDir="/workspace")
        kind = {"Content-Type": "application/x-tar"}
        for path in ("/tmp", "/workspace"):
            self.assert_answer(self.engine.request("PUT", f"/containers/{made}/archive?path={path}", packed(**{"in": path.encode()}), kind))
        answer = self.assert_answer(self.engine.request("GET", f"/containers/{made}/archive?path=/workspace/in"))
        self.assertEqual(unpacked(answer.body), {"in": b"/workspace"})
        self.assert_answer(self.engine.request("PUT", f"/containers/{made}/archive?path=/none", packed(x=b""), kind), 404)
        self.assert_answer(self.engine.post(f"/containers/{made}/start"), 204)
        self.assert_answer(self.engine.post(f"/containers/{made}/wait"))
        self.assertEqual(self.logs(made), (b"/tmp /workspace\n", b""))
        answer = self.assert_answer(self.engine.request("GET", f"/containers/{self.one}/archive?path=/workspace/made/new"))
        self.assertEqual(unpacked(answer.body), {"new": b"x"})

    def test_changes(self) -> None:
        """What was added, and what contains it."""
        changes = self.assert_answer(self.engine.get(f"/containers/{self.one}/changes")).json
        self.assertIn({"Kind": 1, "Path": "/workspace/made/new"}, changes)
        self.assertIn({"Kind": 0, "Path": "/workspace"}, changes)

    def test_export(self) -> None:
        """The whole root, as a tar."""
        answer = self.assert_answer(self.engine.get(f"/containers/{self.one}/export"))
        with tarfile.open(fileobj=io.BytesIO(answer.body)) as tar:
            self.assertIn("workspace/made/new", {name.removeprefix("./") for name in tar.getnames()})

    def test_commit(self) -> None:
        """An image of it, which runs."""
        answer = self.engine.post("/commit", {}, container=self.one, repo="committed", tag="1")
        self.assertRegex(self.assert_answer(answer, 201).json["Id"], r"\Asha256:[0-9a-f]{64}\Z")
        body = {"Image": "committed:1", "Cmd": ["python3", "-c", "print(open('/workspace/made/new').read())"]}
        two = self.assert_answer(self.engine.post("/containers/create", body), 201).json["Id"]
        self.assert_answer(self.engine.post(f"/containers/{two}/start"), 204)
        self.assert_answer(self.engine.post(f"/containers/{two}/wait"))
        self.assertEqual(self.logs(two), (b"x\n", b""))
        self.assert_answer(self.engine.post("/commit", {}, container="none", repo="x"), 404, "No such container: none")


