"""/v1/files: what there is and what there is not, runs with files, how long they stay, disks that fill up."""

import contextlib
import hashlib
import os
import unittest
from pathlib import Path

from support.messages import sentence
from support.run import IS_ROOT, execute
from support.serve import Reply, ServeCase, Server
from support.stored import FileCase, kept, part
from support.times import wait_until

UNKNOWN = "00000000-0000-4000-8000-000000000000"


class Downloads(FileCase):
    """What there is, by its id, and nothing else."""

    def test_list(self) -> None:
        ids = [self.uploaded(f"n{number}", b"x" * number) for number in range(3)]
        files = self.listed()
        self.assertEqual([file["file_id"] for file in files], ids)
        self.assertEqual([(file["filename"], file["size_bytes"]) for file in files], [("n0", 0), ("n1", 1), ("n2", 2)])
        self.assertTrue(all(isinstance(file["upload_time"], float) for file in files))
        self.assertEqual(set(files[0]), {"file_id", "filename", "size_bytes", "upload_time"})

    def test_headers(self) -> None:
        """They hold no more than one line, whatever the name; whoever shows it saves a plain name."""
        table = {
            "x.csv": 'attachment; filename="x.csv"; filename*=UTF-8\'\'x.csv',
            "a/b/c.txt": 'attachment; filename="c.txt"; filename*=UTF-8\'\'c.txt',
            "Zürich \U0001f600": "attachment; filename=\"Z_rich _\"; filename*=UTF-8''Z%C3%BCrich%20%F0%9F%98%80",
            "..": "attachment; filename=\"unnamed\"; filename*=UTF-8''unnamed",
            "a\\b%41": "attachment; filename=\"a_b_41\"; filename*=UTF-8''a%5Cb%2541",
        }
        for name, disposition in table.items():
            with self.subTest(name=name):
                reply = self.server.get(f"/v1/files/{self.uploaded(name, b'<script>')}")
                self.assertEqual((reply.status, reply.body), (200, b"<script>"))
                self.assertEqual(reply.headers["Content-Disposition"], disposition)
                self.assertEqual((reply.headers["Content-Type"], reply.headers["Content-Length"]), ("application/octet-stream", "8"))
        for evil in (b'a"; filename="b', b"a\r\nX-Evil: 1", b"a\nX-Evil: 1", b"a\0b", b"a\xc2\x85b", b"a\xe2\x80\xa8b"):
            reply = self.send(part(b"x", b'form-data; name="file"; filename="' + evil + b'"') + b"--part--\r\n")
            if reply.status == 201:
                reply = self.server.get(f"/v1/files/{reply.json['file_id']}")
                self.assertIsNone(reply.headers["X-Evil"])
                self.assertEqual(reply.headers["Content-Disposition"].count('"'), 2)

    def test_only_the_content_is_sent(self) -> None:
        """Not what the store writes behind it."""
        for content in (b"", b"0123456789", b"x" * 300000):
            with contextlib.closing(self.server.raw()) as client:
                client.sendall(b"GET /v1/files/%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" % self.uploaded("x", content).encode())
                (_, _, body) = client.makefile("rb").read().partition(b"\r\n\r\n")
            self.assertEqual(body, content)

    def test_head(self) -> None:
        id_ = self.uploaded("x", b"y" * 1000)
        reply = self.server.ask("HEAD", f"/v1/files/{id_}")
        self.assertEqual((reply.status, reply.body, reply.headers["Content-Length"]), (200, b"", "1000"))
        self.assertEqual(self.server.ask("HEAD", f"/v1/files/{UNKNOWN}").status, 404)

    def test_part_of_a_file(self) -> None:
        """Range is optional: a whole file is an answer, a wrong part is none."""
        id_ = self.uploaded("x", b"0123456789")
        for wanted in ("bytes=2-4", "bytes=-3", "bytes=5-", "bytes=99-", "bytes=4-2", "bytes=0-0,2-3", "lines=1-2", "bytes=99999999999999999999-"):
            with self.subTest(range=wanted):
                reply = self.server.get(f"/v1/files/{id_}", Range=wanted)
                self.assertIn(reply.status, (200, 206, 416))
                if reply.status == 200:
                    self.assertEqual((reply.body, reply.headers["Content-Range"]), (b"0123456789", None))

    def test_delete(self) -> None:
        id_ = self.uploaded("x", b"y")
        path = f"/v1/files/{id_}"
        reply = self.server.delete(path)
        self.assertEqual((reply.status, reply.body), (204, b""))
        for method in ("DELETE", "GET"):
            reply = self.server.ask(method, path)
            self.assertEqual((reply.status, reply.json), (404, {"detail": sentence("files_refuse_id", id_)}))
        self.assert_kept(0)

    def test_equal_contents_are_files_of_their_own(self) -> None:
        first, second = self.uploaded("a", b"same"), self.uploaded("b", b"same")
        self.server.delete(f"/v1/files/{first}")
        self.assertEqual(self.server.get(f"/v1/files/{second}").body, b"same")

    def test_delete_while_it_is_read(self) -> None:
        content = os.urandom(8 << 20)
        id_ = self.uploaded("x", content)
        with contextlib.closing(self.server.connection()) as client:
            client.request("GET", f"/v1/files/{id_}")
            response = client.getresponse()
            first = response.read(1000)
            self.assertEqual(self.server.delete(f"/v1/files/{id_}").status, 204)
            self.assertEqual(hashlib.sha256(first + response.read()).digest(), hashlib.sha256(content).digest())

    def test_a_client_that_leaves_in_the_middle(self) -> None:
        id_ = self.uploaded("x", b"y" * (16 << 20))
        for _ in range(5):
            with contextlib.closing(self.server.raw()) as client:
                client.sendall(b"GET /v1/files/%s HTTP/1.1\r\nHost: localhost\r\n\r\n" % id_.encode())
                client.recv(1000)
        place = f"/proc/{self.server.process.pid}/fd"

        def opened() -> bool:
            links = []
            for fd in os.listdir(place):
                with contextlib.suppress(FileNotFoundError):  # closed since
                    links.append(os.readlink(f"{place}/{fd}"))
            return any("/files/files/" in link for link in links)

        self.assertTrue(wait_until(lambda: not opened(), 30), "its file is open no more")

    def test_ids_that_are_none(self) -> None:
        """Each is answered as one that there is not, by all routes, whatever lies on the disk."""
        good = self.uploaded("x", b"secret")
        wrong = [
            UNKNOWN, good.upper(), good[:-1], good + "0", good + "x", good.replace("-", ""), "{" + good + "}", f"{good}.meta.json",
            f"..%2Ffiles%2F{good}", f"../files/{good}", "..", ".", "%2e", "%2e%2e", "%2e%2e%2fetc%2fpasswd", "%2Fetc%2Fpasswd",
            f"{good}%2F", f"{good}%20", f"{good}%0a", f"%2F{good}", f".%2F{good}", good.replace("-", "%2F", 1), "x" * 10000, "%ff%fe", "%C3%A9", "*", "null", "%22", "''", "lock",
        ]  # fmt: skip
        for id_ in wrong:
            for method in ("GET", "DELETE", "HEAD"):
                with self.subTest(id=id_[:80], method=method):
                    self.assertEqual(self.server.ask(method, f"/v1/files/{id_}").status, 404)
        for id_ in (f"{good}%00", f"%00{good}", "%00", f"{good}%", f"{good}%zz", "%"):
            with self.subTest(id=id_):
                self.assertIn(self.server.get(f"/v1/files/{id_}").status, (400, 404))
        for id_ in (*wrong, "/etc/passwd", "../lock", "", f"{good}\n", f"{good}/"):
            with self.subTest(file_id=id_[:80]):
                reply = self.server.post("/v1/execute", {"code": "1", "files": [{"path": "a", "file_id": id_}]})
                self.assertEqual(reply.status, 404, reply)
                if len(id_) <= 100:
                    self.assertEqual(reply.detail, sentence("staging_explain", id_, "a"))
        self.assertEqual(self.server.get("/v1/files/" + good.replace("-", "%2d")).body, b"secret")


class Staged(FileCase):
    """Files into a run, and what it leaves."""

    def run_with(self, code: str, **paths: str) -> dict[str, str]:
        """Run a program with files; return the ids of what came out by their paths."""
        files = [{"path": path.replace("__", "/").replace("_", "."), "file_id": id_} for path, id_ in paths.items()]
        reply = self.execute(code, files=files)
        self.assertEqual((reply["exit_code"], reply["stderr"]), (0, ""))
        self.assertTrue(all(set(file) >= {"path", "kind", "file_id"} and file["kind"] == "file" for file in reply["files"]))
        return {file["path"]: file["file_id"] for file in reply["files"]}

    def test_in_and_out(self) -> None:
        content = os.urandom(200000)
        id_ = self.uploaded("anything", content)
        out = self.run_with("d = open('in/a.bin', 'rb').read()\nopen('out.bin', 'wb').write(d[::-1])\nNone", in__a_bin=id_)
        self.assertEqual(list(out), ["out.bin"])
        reply = self.server.get(f"/v1/files/{out['out.bin']}")
        self.assertEqual(reply.body, content[::-1])
        self.assertIn('filename="out.bin"', reply.headers["Content-Disposition"])
        self.assertEqual({file["file_id"] for file in self.listed()}, {id_, out["out.bin"]})

    def test_only_what_has_changed_comes_out(self) -> None:
        ids = {name: self.uploaded(name, name.encode()) for name in ("same", "touched", "changed", "gone", "moved", "longer")}
        ids["late"] = self.uploaded("late", bytes(100000))
        code = """if True:
            import os
            open('touched', 'w').write('touched')
            open('changed', 'w').write('CHANGED')
            open('longer', 'a').write('!')
            os.pwrite(os.open('late', os.O_WRONLY), b'!', 99999)
            os.remove('gone'); os.rename('moved', 'elsewhere')
            os.makedirs('empty/deep'); os.symlink('/etc/passwd', 'link'); os.mkfifo('fifo'); os.link('same', 'again')
            os.makedirs('deep/er'); open('deep/er/new', 'w').write('new'); open('none', 'w')
            """
        out = self.run_with(code, **ids)
        self.assertEqual(set(out), {"changed", "longer", "late", "elsewhere", "again", "deep/er/new", "none"})
        self.assertEqual(self.server.get(f"/v1/files/{out['changed']}").body, b"CHANGED")
        self.assertFalse(set(out.values()) & set(ids.values()))
        self.assertEqual(self.server.get(f"/v1/files/{ids['changed']}").body, b"changed")

    def test_a_run_gets_the_content_alone(self) -> None:
        """Not what the store writes behind it, which tells the file's owner and name."""
        for content in (b"", b"x" * 65536):
            reply = self.execute("d = open('a', 'rb').read(); print(len(d))", files=[{"path": "a", "file_id": self.uploaded("x", content)}])
            self.assertEqual((reply["stdout"], reply["files"]), (f"{len(content)}\n", []))

    def test_what_a_run_gets_is_its_own(self) -> None:
        id_ = self.uploaded("x", b"original")
        self.run_with("import os\nfd = os.open('a', os.O_RDWR)\nos.pwrite(fd, b'OVER', 0)\nos.chmod('a', 0)\nNone", a=id_)
        self.assertEqual(self.server.get(f"/v1/files/{id_}").body, b"original")

    def test_names_of_outputs(self) -> None:
        """Whatever a program calls its files: the list stays a list, and headers stay one line."""
        code = "for n in (b'\\xff.txt', b'a\\nb', '\U0001f600'.encode(), b'a\"b', b'x' * 255):\n    open(n, 'w').write('1')"
        files = self.execute(code)["files"]
        self.assertEqual((len(files), [f["path_hex"] for f in files if "path_hex" in f]), (5, [b"\xff.txt".hex()]))
        for file in self.listed():
            reply = self.server.get(f"/v1/files/{file['file_id']}")
            self.assertEqual((reply.status, reply.body), (200, b"1"))

    def test_what_is_not_listed_is_said(self) -> None:
        """Beyond their number, and what is no file."""
        make = "for n in range(%d): open(f'{n:03}', 'w').close()\nNone"
        table = {make % 256: (256, False), make % 257: (256, True), "import os; os.symlink('/', 'a'); open('b', 'w').close()": (1, True),
                 "import os; os.makedirs('/'.join(['d'] * 70)); open('b', 'w').close()": (1, True)}  # fmt: skip
        for code, (count, truncated) in table.items():
            with self.subTest(code=code):
                reply = self.execute(code)
                self.assertEqual((len(reply["files"]), reply["files_truncated"], reply["truncated"]), (count, truncated, False))

    def test_the_first_that_is_missing_is_said(self) -> None:
        id_ = self.uploaded("x", b"x")
        files = [{"path": "a", "file_id": id_}, {"path": "../b", "file_id": UNKNOWN}]
        reply = self.server.post("/v1/execute", {"code": "1", "files": files})
        self.assertEqual((reply.status, reply.detail), (404, sentence("staging_explain", UNKNOWN, "../b")))
        table = {
            "/a": "relative", "a/../b": "contain", "": "empty", "./.": "empty",
            "./__main__.py": "reserved",
        }  # fmt: skip
        for path, said in table.items():
            reply = self.server.post("/v1/execute", {"code": "1", "files": [{"path": path, "file_id": id_}]})
            self.assertEqual((reply.status, reply.detail), (422, sentence(f"staging_clean_path#{said}")))


class Lives(ServeCase):
    """How long files stay."""

    flags = ("--file-ttl", "2")

    def test_they_end_by_themselves(self) -> None:
        id_ = self.uploaded("x", b"y")
        output = self.execute("open('out', 'w').write('z'); None")["files"][0]["file_id"]
        self.assertTrue(wait_until(lambda: self.server.get("/v1/files").json == {"files": []}, 30), "they end")
        for gone in (id_, output):
            self.assertEqual(self.server.get(f"/v1/files/{gone}").status, 404)
        self.assertEqual(kept(self.server), {"files": 0, "incoming": 0, "scratch": 0})


# In a mount namespace of its own; for an ordinary user as root of a user namespace.
SMALL_DISK = (
    "unshare", "-m" if IS_ROOT else "-Urm", "sh", "-c",
    'mkdir "$0" && mount -t tmpfs -o size=1m,nr_inodes=40,mode=700 none "$0" && exec "$@"', "FOLDER/files",
)  # fmt: skip


class FullDisk(FileCase):
    """A store whose disk fills up: what does not fit is told, and costs nothing else."""

    @classmethod
    def setUpClass(cls) -> None:
        """Start the server on a small disk."""
        super(ServeCase, cls).setUpClass()
        if execute(["unshare", SMALL_DISK[1], "mount", "-t", "tmpfs", "none", "/mnt"]).status:
            raise unittest.SkipTest("cannot: no tmpfs can be mounted here")
        cls.server = Server(below=SMALL_DISK)
        cls.addClassCleanup(cls.server.discard)
        if not cls.server.address and not IS_ROOT:
            raise unittest.SkipTest(f"cannot: no server starts in a user namespace here: {cls.server.said}")
        cls.server.files = Path(f"/proc/{cls.server.process.pid}/root{cls.server.files}")
        cls.server.wait_ready()

    def assert_full(self, reply: Reply) -> None:
        """Assert that there was no room."""
        self.assertEqual((reply.status, reply.json), (507, {"detail": sentence("files_refuse#disk")}))

    def test_an_upload_that_does_not_fit(self) -> None:
        first = self.uploaded("first", b"first")
        for size in (1 << 20, 3 << 20):
            self.assert_full(self.server.upload("large", b"x" * size))
        self.assert_kept(1)
        second = self.uploaded("second", b"y" * 500000)
        self.assertEqual(self.server.get(f"/v1/files/{first}").body, b"first")
        self.assertEqual(self.server.get(f"/v1/files/{second}").body, b"y" * 500000)

    def test_no_room_for_names(self) -> None:
        ids = []
        while len(ids) < 40 and (reply := self.server.upload("x", b"%d" % len(ids))).status == 201:
            ids.append(reply.json["file_id"])
        self.assert_full(reply)
        self.assertIn(self.server.post("/v1/execute", {"code": "print(1)", "timeout_ms": 30000}).status, (200, 507))
        self.assert_kept(len(ids))
        self.assertEqual([self.server.get(f"/v1/files/{id_}").body for id_ in ids], [b"%d" % n for n in range(len(ids))])
        self.server.delete(f"/v1/files/{ids[0]}")
        self.assertEqual(self.server.upload("x", b"again").status, 201)

    def test_outputs_that_do_not_fit(self) -> None:
        id_ = self.uploaded("kept", b"kept")
        code = "open('small', 'w').write('x'); open('large', 'wb').write(bytes(range(256)) * 8000); print('ran')"
        reply = self.execute(code)
        self.assertEqual((reply["stdout"], [file["path"] for file in reply["files"]]), ("ran\n", ["small"]))
        self.server.delete(f"/v1/files/{reply['files'][0]['file_id']}")
        self.assert_kept(1)
        self.assertEqual(self.server.get(f"/v1/files/{id_}").body, b"kept")
        self.assertEqual(self.execute("print('lives')")["stdout"], "lives\n")
