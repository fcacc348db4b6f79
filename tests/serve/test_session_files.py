"""Sessions of a server: the files in them, and their states."""

import contextlib
import hashlib
import io
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from support.messages import message, sentence
from support.serve import Reply
from support.serve_sessions import INVENTED, SessionCase
from support.times import wait_until


class Archive(SessionCase):
    """All files at once."""

    def archive(self, session: str, left_out: int = 0) -> tarfile.TarFile:
        """Return the archive, opened strictly."""
        reply = self.server.get(session + "/files.tar")
        self.assertEqual((reply.status, reply.headers["Content-Type"], reply.headers["X-Left-Out"]), (200, "application/x-tar", str(left_out)), reply.body[:200])
        self.assertEqual(reply.headers["Content-Disposition"], 'attachment; filename="workspace.tar"')
        self.assertEqual(len(reply.body) % 512, 0)
        self.folder.joinpath("workspace.tar").write_bytes(reply.body)
        archive = tarfile.open(fileobj=io.BytesIO(reply.body), mode="r:", errorlevel=2, ignore_zeros=False)
        self.addCleanup(archive.close)
        return archive

    def content(self, archive: tarfile.TarFile, name: str) -> bytes:
        """Return the content of a file in it."""
        file = archive.extractfile(name)
        assert file
        return file.read()

    def test_there_is_nothing(self) -> None:
        self.assertEqual(self.archive(self.begin()).getnames(), [])

    def test_files_directories_and_links(self) -> None:
        session = self.begin()
        self.bash(session, "mkdir -p a/empty; head -c 100000 /dev/zero | tr '\\0' x > a/b; printf 512%509s > exact; : > none; chmod 751 exact; touch -d @1700000000 exact; ln -s a/b link; ln -s /etc/passwd a/0; ln exact twin")
        archive = self.archive(session)
        names = archive.getnames()
        self.assertEqual(sorted(names), ["a", "a/0", "a/b", "a/empty", "exact", "link", "none", "twin"])
        self.assertEqual(set(names[-2:]), {"a/0", "link"}, "links are the last")
        self.assertEqual(self.content(archive, "a/b"), b"x" * 100000)
        self.assertEqual((len(self.content(archive, "exact")), self.content(archive, "none")), (512, b""))
        exact = archive.getmember("exact")
        self.assertEqual((exact.mode, exact.mtime, exact.uid, exact.gid, exact.uname), (0o751, 1700000000, 0, 0, ""))
        self.assertTrue(archive.getmember("a/empty").isdir() and archive.getmember("twin").isreg())
        self.assertEqual((archive.getmember("a/0").linkname, archive.getmember("link").issym()), ("/etc/passwd", True))

    def test_others_can_read_it(self) -> None:
        session = self.begin()
        self.bash(session, f"mkdir -p $(printf '%0200d/' 1 2 3); echo deep > $(printf '%0200d/' 1 2 3)x; echo odd > $'\\xff\\n-rf'; printf 1 > {'y' * 100}; printf 2 > {'z' * 101}")
        names = self.archive(session).getnames()
        for program in ("tar", "bsdtar"):
            if not shutil.which(program):
                continue
            with self.subTest(program=program), tempfile.TemporaryDirectory() as place:
                done = subprocess.run([program, "-xf", self.folder / "workspace.tar", "-C", place], capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                found = {os.fsdecode(path.relative_to(place)) for path in Path(place).rglob("*")}
                self.assertEqual(found, set(names))
                self.assertEqual(Path(place, "0" * 199 + "1", "0" * 199 + "2", "0" * 199 + "3", "x").read_text(), "deep\n")
                self.assertEqual(Path(place, os.fsdecode(b"\xff\n-rf")).read_text(), "odd\n")

    def test_names_of_every_length(self) -> None:
        session = self.begin()
        code = "import os\nfor n in range(90, 256): open('f' * n, 'w').write(str(n)); os.makedirs('d' * n + '/' + 'e' * (n // 2)); os.symlink('t' * n, 'l' * n)"
        self.assertEqual(self.python(session, code)["exit_code"], 0)
        archive = self.archive(session)
        for n in range(90, 256):
            self.assertEqual(self.content(archive, "f" * n), str(n).encode())
            self.assertTrue(archive.getmember("d" * n + "/" + "e" * (n // 2)).isdir())
            self.assertEqual(archive.getmember("l" * n).linkname, "t" * n)

    def test_long_names_that_are_no_text(self) -> None:
        session = self.begin()
        self.bash(session, "printf x > $(printf '\\xff%.0s' $(seq 200)); ln -s $(printf '\\xfe%.0s' $(seq 200)) link")
        archive = self.archive(session)
        self.assertEqual([os.fsencode(name) for name in archive.getnames()], [b"\xff" * 200, b"link"])
        self.assertEqual(os.fsencode(archive.getmember("link").linkname), b"\xfe" * 200)

    def test_what_has_no_place_in_it(self) -> None:
        session = self.begin()
        code = "import os, socket\nos.mkfifo('pipe')\nsocket.socket(socket.AF_UNIX).bind('socket')\nfor n in ('closed', 'dir'): os.mkdir(n)\nopen('closed/x', 'w'); open('secret', 'w'); open('seen', 'w')\nos.chmod('closed', 0); os.chmod('secret', 0)"
        self.python(session, code)
        self.assertEqual(sorted(self.archive(session, left_out=4).getnames()), ["closed", "dir", "seen"])

    def test_holes_count_as_bytes(self) -> None:
        session = self.begin()
        self.bash(session, "truncate -s 3M hole")
        self.assertEqual(self.content(self.archive(session), "hole"), bytes(3 << 20))
        self.assertEqual(self.bash(session, "truncate -s 200M hole hole2")["exit_code"], 0)
        reply = self.server.get(session + "/files.tar")
        self.assertEqual(reply.status, 422)
        self.assertRegex(reply.detail, message("files_answer_too_large#files", "hole"))
        self.bash(session, "rm hole hole2; head -c 150M /dev/zero > big; ln big twin")
        self.assertEqual(self.server.get(session + "/files.tar").status, 422)

    def test_times_beyond_those_of_old_archives(self) -> None:
        session = self.begin()
        self.bash(session, "touch -d @-5000 before; touch -d @99999999999 after; true")
        archive = self.archive(session)
        self.assertEqual((archive.getmember("before").mtime, archive.getmember("after").mtime), (-5000, 99999999999))

    def test_many_names(self) -> None:
        session = self.begin()
        self.python(session, "for n in range(9999): open(f'{n}', 'w')")
        self.assertEqual(len(self.archive(session).getnames()), 9999)
        self.python(session, "for n in range(9999, 10002): open(f'{n}', 'w')")
        reply = self.server.get(session + "/files.tar")
        self.assertEqual((reply.status, reply.detail), (422, sentence("files_answer_read", 10000)))

    def test_while_it_changes(self) -> None:
        """Whatever becomes of the files, each archive is one."""
        session = self.begin()
        code = (
            "import os, threading, random\n"
            "def change():\n    for n in range(10**9):\n        name = f'{n % 20}'\n        os.system\n"
            "        try:\n            if n % 3 == 0: open(name, 'wb').write(bytes(random.randrange(200000)))\n"
            "            elif n % 3 == 1: os.unlink(name); os.symlink('/etc', name)\n            else: os.unlink(name); os.mkdir(name); os.rmdir(name)\n"
            "        except OSError: pass\n"
            "threading.Thread(target=change, daemon=True).start()"
        )
        self.python(session, code)
        for _ in range(10):
            archive = self.archive(session)
            for member in archive.getmembers():
                if member.isreg():
                    self.assertEqual(len(self.content(archive, member.name)), member.size)
                self.assertFalse(member.name.startswith("/") or ".." in member.name)

    def test_whose_it_is(self) -> None:
        self.is_not_there(self.server.get(f"/v1/sessions/{INVENTED}/files.tar"), f"/v1/sessions/{INVENTED}")


class Files(SessionCase):
    """What lies in /workspace."""

    flags = ("--max-file", "3")

    def put(self, session: str, path: str, content: Any) -> Reply:
        """Put a file."""
        return self.server.ask("PUT", f"{session}/files/{path}", content)

    def names(self, session: str) -> dict[str, int]:
        """Return the files that are listed, with their sizes."""
        reply = self.server.get(session + "/files")
        self.assertEqual((reply.status, reply.json["truncated"], reply.json["unread"]), (200, False, 0), reply)
        return {entry["path"]: entry["size"] for entry in reply.json["files"] if entry["type"] == "file"}

    def test_there_and_back(self) -> None:
        session = self.begin()
        content = bytes(range(256)) * 10000
        reply = self.put(session, "a/b.bin", content)
        self.assertEqual((reply.status, reply.json), (201, {"path": "a/b.bin", "size_bytes": len(content)}))
        self.assertEqual(self.names(session), {"a/b.bin": len(content)})
        reply = self.server.get(session + "/files/a/b.bin")
        self.assertEqual((reply.status, reply.body == content), (200, True))
        self.assertEqual(reply.headers["Content-Type"], "application/octet-stream")
        self.assertIn('filename="b.bin"', reply.headers["Content-Disposition"])
        self.assertEqual(self.server.get(session + "/files/a%2Fb.bin").body, content)
        self.assertEqual(self.bash(session, "sha256sum < a/b.bin")["stdout"].split()[0], hashlib.sha256(content).hexdigest())
        self.assertEqual(self.server.delete(session + "/files/a").status, 204)
        self.assertEqual(self.names(session), {})

    def test_empty_and_chunked(self) -> None:
        session = self.begin()
        self.assertEqual(self.put(session, "empty", b"").json["size_bytes"], 0)
        self.assertEqual(self.server.get(session + "/files/empty").body, b"")
        self.assertEqual(self.put(session, "pieces", (b"x" * 1000 for _ in range(100))).json["size_bytes"], 100000)
        self.assertEqual(self.names(session), {"empty": 0, "pieces": 100000})

    def test_what_the_program_made(self) -> None:
        session = self.begin()
        self.bash(session, "printf made > 'a name %'; mkdir d; ln -s /etc/passwd link; mkfifo pipe; printf x > $'\\xff'")
        self.assertEqual(self.server.get(session + "/files/a%20name%20%25").body, b"made")
        self.assertEqual(self.server.get(session + "/files/%ff").body, b"x")
        for path in ("link", "pipe", "d", "d/"):
            with self.subTest(path=path):
                self.assertEqual(self.server.get(f"{session}/files/{path}").status, 422)

    def test_paths_that_are_none(self) -> None:
        session = self.begin()
        for path in ("../x", "a/../../x", "%2e%2e/x", "/etc/passwd", "x" * 300):
            with self.subTest(path=path):
                self.assertEqual(self.server.get(f"{session}/files/{path}").status, 422)
                self.assertEqual(self.put(session, path, b"x").status, 422)
        self.assertEqual(self.server.get(session + "/files/a%00b").status, 404)
        self.assertEqual(self.server.delete(session + "/files/.").status, 422)
        for reply in (self.server.get(session + "/files/none"), self.server.delete(session + "/files/none")):
            self.assertEqual(reply.status, 404)
            self.assertNotIn("Session", reply.detail)

    def test_too_much(self) -> None:
        session = self.begin()
        self.assertEqual(self.put(session, "most", b"x" * (3 << 20)).status, 201)
        reply = self.put(session, "more", b"x" * ((3 << 20) + 1))
        self.assertEqual((reply.status, reply.detail), (413, sentence("files_refuse#File", 3)))
        self.bash(session, "head -c 400000000 /dev/zero > full")
        reply = self.put(session, "more", b"x" * (1 << 20))
        self.assertEqual(reply.status, 507, reply)
        self.assertNotIn("more", self.names(session))

    def test_session_that_is_not_there(self) -> None:
        for path in ("/files", "/files/x"):
            self.is_not_there(self.server.get(f"/v1/sessions/{INVENTED}{path}"), INVENTED)
        self.is_not_there(self.server.delete(f"/v1/sessions/{INVENTED}/files/x"), INVENTED)
        for content in (b"", b"x" * 1000000):
            self.is_not_there(self.put(f"/v1/sessions/{INVENTED}", "x", content), INVENTED)
        session = self.begin()
        self.server.delete(session)
        self.is_not_there(self.put(session, "x", b"x"), session)
        self.is_not_there(self.server.get(session + "/files/x"), session)

    def test_nothing_stays_on_the_disk(self) -> None:
        session = self.begin()
        self.put(session, "x", b"x" * 1000)
        self.server.get(session + "/files/x")
        self.server.get(session + "/files/none")
        with contextlib.closing(self.server.raw()) as client:
            head = f"PUT {session}/files/y HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"
            client.sendall(head.encode() + b"y" * 500)
        self.assertTrue(wait_until(lambda: not list((self.server.files / "scratch").iterdir())))
        self.assertEqual(self.names(session), {"x": 1000})


class States(SessionCase):
    """Checkpoints, and rest."""

    def checkpoint(self, session: str, name: Any) -> Reply:
        """Make a checkpoint."""
        return self.server.post(session + "/checkpoint", {"name": name})

    def rollback(self, session: str, name: Any) -> Reply:
        """Return to one."""
        return self.server.post(session + "/rollback", {"name": name})

    def test_back_and_again(self) -> None:
        session = self.begin()
        self.python(session, "x = 1; _ = open('kept', 'w').write('1')")
        reply = self.checkpoint(session, "first")
        self.assertEqual((reply.status, reply.json["name"]), (200, "first"), reply)
        for _ in range(2):
            self.python(session, "x = 2; _ = open('kept', 'w').write('2'); _ = open('more', 'w')")
            self.assertEqual(self.rollback(session, "first").status, 200)
            self.assertEqual(self.python(session, "import os; x, open('kept').read(), os.listdir()")["value"]["text/plain"], "(1, '1', ['kept'])")
        (entry,) = (s for s in self.server.get("/v1/sessions").json["sessions"] if session.endswith(s["session_id"]))
        self.assertEqual((entry["checkpoints"], entry["frozen"], entry["busy"]), (1, False, False))

    def test_threads(self) -> None:
        session = self.begin()
        self.assertEqual(self.checkpoint(session, "without").json["threads"], [])
        self.python(session, "import threading; t = threading.Thread(target=threading.Event().wait, name='beat', daemon=True); t.start()")
        threads = [{"name": "beat", "count": 1, "remade": False}]
        self.assertEqual(self.checkpoint(session, "with").json["threads"], threads)
        reply = self.rollback(session, "with")
        self.assertEqual(reply.status, 409, reply)
        self.assertIn("1 thread of beat", reply.json["detail"])
        reply = self.server.post(session + "/rollback", {"name": "with", "force": True})
        self.assertEqual(reply.status, 200, reply)
        self.assertEqual(self.rollback(session, "without").status, 200)

    def test_names(self) -> None:
        session = self.begin()
        self.assertEqual(self.rollback(session, "none").status, 422)
        self.assertEqual(self.checkpoint(session, "once").status, 200)
        self.assertEqual(self.checkpoint(session, "once").status, 422)
        for name in ("", "x" * 64):
            with self.subTest(name=name[:10]):
                self.assertEqual(self.checkpoint(session, name).status, 422)
        for body in ({}, {"name": 1}, {"name": None}):
            self.assertEqual(self.server.post(session + "/checkpoint", body).status, 422)
        self.assertEqual(self.python(session, "1")["value"]["text/plain"], "1")

    def test_freeze(self) -> None:
        session = self.begin()
        self.python(session, "x = 1")
        for _ in range(2):
            reply = self.server.post(session + "/freeze", {})
            self.assertEqual((reply.status, set(reply.json)), (200, {"resident_bytes", "swapped_bytes"}), reply)
        (entry,) = (s for s in self.server.get("/v1/sessions").json["sessions"] if session.endswith(s["session_id"]))
        self.assertTrue(entry["frozen"])
        self.assertEqual(self.server.ask("PUT", session + "/files/f", b"x").status, 201)
        self.assertEqual(self.python(session, "x, open('f').read()")["value"]["text/plain"], "(1, 'x')")

    def test_session_that_is_not_there(self) -> None:
        for path in ("checkpoint", "rollback", "freeze"):
            self.is_not_there(self.server.post(f"/v1/sessions/{INVENTED}/{path}", {"name": "x"}), INVENTED)
