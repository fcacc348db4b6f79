"""--face librechat: files that clients send, that code makes, and that clients fetch."""

import os
import re
from datetime import datetime
from pathlib import Path
from typing import Any

from support.faces import connect
from support.librechat import BASE, HIDDEN, ID, KIND, NONE, REFUSED, LibreCase, ask, in_pieces, multipart, send
from support.processes import descriptors
from support.times import wait_until

BYTES = bytes(range(256)) * 3
DETAILS = ("", "?detail=simple", "?detail=summary", "?detail=full", "?detail=normalized")


def moment(text: str) -> datetime:
    """A moment as JavaScript writes it."""
    return datetime.fromisoformat(text)


class Uploads(LibreCase):
    """POST /upload and /upload/batch."""

    def test_one(self) -> None:
        for name in ("a.txt", "ä b.csv", "no_extension", "b.tar.gz", "a'b.txt"):
            with self.subTest(name):
                file = self.stored(name, BYTES)
                self.assertEqual(self.content(file), BYTES)
                self.assertEqual(self.ran(f"print(len(open({name!r}, 'rb').read()))", files=[file])["stdout"], f"{len(BYTES)}\n")

    def test_both_names_of_its_session(self) -> None:
        said = send(self.server, ("a.txt", b"x")).json
        self.assertEqual({said["session_id"], said["storage_session_id"]}, {said["session_id"]})

    def test_fields_are_optional(self) -> None:
        for fields in ({}, {"entity_id": "asst_1"}, {"kind": "skill", "id": "s1", "version": "7", "read_only": "true"}, {"kind": "agent", "id": "agent_1"}):
            with self.subTest(fields):
                said = ask(self.server, "POST", "/upload", multipart(("a.txt", b"x"), **fields), **KIND).json
                self.assertEqual((said["message"], len(said["files"])), ("success", 1))

    def test_a_file_that_has_come_needs_no_descriptor(self) -> None:
        body = multipart(*((f"{number}.txt", b"x") for number in range(90)))[:-20]
        connection = connect(self.server, "librechat")
        self.addCleanup(connection.close)
        connection.putrequest("POST", f"{BASE}/upload")
        for name, value in {**KIND, "Content-Length": str(len(body) + 20)}.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        self.assertTrue(wait_until(lambda: len(list((self.server.files / "incoming").iterdir())) >= 89))
        self.assertLess(descriptors(self.server.process.pid), 80)

    def test_a_length_that_is_not_said(self) -> None:
        body = multipart(("a.txt", b"x" * 1_000_000), kind="user", id="u")
        reply = ask(self.server, "POST", "/upload", in_pieces(body), **KIND)
        self.assertEqual(reply.status, 200, reply)
        self.assertEqual(len(self.content(self.reference(reply.json, reply.json["files"][0]["fileId"], "a.txt"))), 1_000_000)

    def test_an_empty_one(self) -> None:
        file = self.stored("empty.txt", b"")
        self.assertEqual(self.content(file), b"")
        self.assertEqual(self.ran("import os; print(os.path.getsize('empty.txt'))", files=[file])["stdout"], "0\n")

    def test_a_batch(self) -> None:
        body = multipart(("a.txt", b"1"), ("skill/b.md", b"2"), ("c.bin", BYTES), kind="skill", id="s1", version="1", read_only="true")
        reply = ask(self.server, "POST", "/upload/batch", body, **KIND)
        self.assertEqual(reply.status, 200, reply)
        said = reply.json
        self.assertEqual((said["message"], said["succeeded"], said["failed"]), ("success", 3, 0))
        self.assertEqual(said["session_id"], said["storage_session_id"])
        self.assertEqual([(file["status"], file["filename"]) for file in said["files"]], [("success", name) for name in ("a.txt", "skill/b.md", "c.bin")])
        self.assertEqual(len({file["fileId"] for file in said["files"]}), 3)
        files = [self.reference(said, file["fileId"], file["filename"]) for file in said["files"]]
        self.assertEqual([self.content(file) for file in files], [b"1", b"2", BYTES])
        self.assertEqual(self.ran("print(open('a.txt').read(), open('skill/b.md').read())", files=files)["stdout"], "1 2\n")

    def test_what_is_no_form(self) -> None:
        for path in ("/upload", "/upload/batch"):
            for body, headers in (
                (b"{}", {}),
                (b"text", {"Content-Type": "text/plain"}),
                (b"x", KIND),
                (multipart(), KIND),
                (multipart(kind="user", id="u"), KIND),
            ):
                with self.subTest(f"{path} {body!r}"):
                    self.assert_error(ask(self.server, "POST", path, body, **headers), 400, 415, 422)

    def test_names_that_lead_out(self) -> None:
        for name in ("../../evil.txt", "/etc/evil.txt", "a/../../evil.txt", "..", "a/./b.txt", "x" * 300, "a\\\\..\\\\b.txt"):
            with self.subTest(name[:20]):
                reply = send(self.server, (name, b"evil"))
                if reply.status != 200:
                    self.assert_error(reply, *REFUSED)
                    continue
                (file,) = reply.json["files"]
                self.assertNotIn("..", file["filename"].split("/"))
                self.assertFalse(file["filename"].startswith("/"), file)
                reference = self.reference(reply.json, file["fileId"], file["filename"])
                found = self.answer("import os; print(*[n for _, _, ns in os.walk('/mnt/data') for n in ns], sep='\\n')", files=[reference])
                if found.status == 200:
                    self.assertIn(file["filename"].rsplit("/", 1)[-1], found.json["stdout"].splitlines())
                else:
                    self.assert_error(found, *REFUSED)
        self.assertFalse(Path("/etc/evil.txt").exists())


class Inputs(LibreCase):
    """Files that code finds."""

    def test_where_it_is(self) -> None:
        file = self.stored("a.txt", b"content")
        for name in ("a.txt", "other.csv", "deep/er/a b.txt", "ü.txt"):
            with self.subTest(name):
                given = [{**file, "name": name}]
                self.assertEqual(self.ran(f"print(open('/mnt/data/{name}').read())", files=given)["stdout"], "content\n")
                self.assertEqual(self.ran(f"cat '{name}'", "bash", files=given)["stdout"], "content")

    def test_as_older_clients_name_it(self) -> None:
        file = self.stored("a.txt", b"content")
        given = {"id": file["id"], "session_id": file["storage_session_id"], "name": "a.txt"}
        self.assertEqual(self.ran("print(open('a.txt').read())", files=[given])["stdout"], "content\n")
        self.assertEqual(self.ran("print(open('a.txt').read())", files=[{**given, "entity_id": "asst_1"}])["stdout"], "content\n")

    def test_kinds(self) -> None:
        file = self.stored("a.txt", b"content")
        for more in ({"kind": "agent"}, {"kind": "skill", "version": 3}):
            self.assertEqual(self.ran("print(open('a.txt').read())", files=[{**file, **more}])["stdout"], "content\n")

    def test_the_last_of_a_name(self) -> None:
        first, second = self.stored("a.txt", b"first"), self.stored("a.txt", b"second")
        reply = self.answer("print(open('a.txt').read())", files=[first, second])
        self.assertTrue(reply.json["stdout"] == "second\n" if reply.status == 200 else self.assert_error(reply, *REFUSED), reply)
        self.assertEqual(self.ran("print(open('a.txt').read())", files=[first, first])["stdout"], "first\n")

    def test_one_that_does_not_change(self) -> None:
        file = self.stored("a.txt", b"content")
        said = self.ran("open('a.txt').read(); open('b.txt', 'w').write('made')", files=[file])
        self.assertEqual(list(self.made(said)), ["b.txt"])
        echoed = [(one["id"], one.get("storage_session_id")) for one in said["files"] if one["name"] == "a.txt"]
        self.assertIn(echoed, ([], [(file["id"], file["storage_session_id"])]))

    def test_one_that_changes(self) -> None:
        file = self.stored("a.txt", b"content")
        said = self.ran("open('a.txt', 'a').write(' more')", files=[file])
        self.assertEqual(self.content(self.given_back(said, "a.txt")), b"content more")
        self.assertEqual(self.content(file), b"content")
        again = self.ran("print(open('a.txt').read())", files=[self.given_back(said, "a.txt")])
        self.assertEqual((again["stdout"], self.made(again)), ("content more\n", {}))

    def test_one_that_changes_its_time_only(self) -> None:
        file = self.stored("a.txt", b"content")
        said = self.ran("import os; os.utime('a.txt', (1, 1))", files=[file])
        for made in self.made(said):
            self.assertEqual(self.content(self.given_back(said, made)), b"content")

    def test_one_that_is_removed(self) -> None:
        file = self.stored("a.txt", b"content")
        said = self.ran("import os; os.unlink('a.txt')", files=[file])
        self.assertEqual((said["files"], said["stderr"]), ([], ""))
        self.assertEqual(self.content(file), b"content")

    def test_references_that_are_wrong(self) -> None:
        file, other = self.stored("a.txt", b"content"), self.stored("b.txt", b"content")
        for more in (
            {"id": NONE},
            {"storage_session_id": NONE},
            {"storage_session_id": other["storage_session_id"]},
            {"id": ""},
            {"id": "short"},
            {"id": file["id"] + "x"},
            {"id": "../../../../etc/passwd"[:21]},
            {"id": f"{file['id']}/../{file['id']}"},
            {"id": 7},
            {"id": None},
            {"storage_session_id": None, "session_id": None},
            {"storage_session_id": "." * 21},
            {"name": None},
            {"name": 3},
        ):
            with self.subTest(more):
                self.assert_error(self.answer("print(1)", files=[{**file, **more}]), *REFUSED)

    def test_names_that_lead_out(self) -> None:
        file = self.stored("a.txt", b"content")
        for name in (
            "../a.txt",
            "..",
            ".",
            "",
            "/",
            "a/../../b",
            "a/..",
            "/etc/evil.txt",
            "/mnt/data/../evil.txt",
            "a//../b",
            "a\0b",
            "x" * 300,
            "a/" * 600 + "b",
            "a.txt/",
        ):
            with self.subTest(name[:30]):
                self.assert_error(self.answer("print(1)", files=[{**file, "name": name}]), *REFUSED)

    def test_a_name_below_a_file(self) -> None:
        file = self.stored("a.txt", b"content")
        reply = self.answer("print(1)", files=[{**file, "name": "a"}, {**file, "name": "a/b"}])
        self.assertTrue(reply.status == 200 or self.assert_error(reply, *REFUSED, 409))
        self.assertEqual(self.ran("print(1)")["stdout"], "1\n")

    def test_many(self) -> None:
        files = [{**self.stored("a.txt", b"content"), "name": f"{number}.txt"} for number in range(50)]
        self.assertEqual(self.ran("import os; print(len([n for n in os.listdir() if n.endswith('.txt')]))", files=files)["stdout"], "50\n")


class Outputs(LibreCase):
    """Files that code makes."""

    def test_made(self) -> None:
        code = "import os; os.makedirs('deep/er'); open('a.bin', 'wb').write(bytes(range(256)) * 3); open('deep/er/b.csv', 'w').write('x')"
        said = self.ran(code)
        self.assertEqual(sorted(self.made(said)), ["a.bin", "deep/er/b.csv"])
        self.assertEqual([self.content(self.given_back(said, name)) for name in ("a.bin", "deep/er/b.csv")], [BYTES, b"x"])
        older = [ask(self.server, "GET", f"/download/{said['session_id']}/{self.made(said)[name]['id']}").body for name in ("a.bin", "deep/er/b.csv")]
        self.assertEqual(older, [BYTES, b"x"])

    def test_found_again(self) -> None:
        for name in ("a.txt", "deep/a b.csv", "müß.json", "it's.md", 'say "hi".txt', "100%.log", "-x.txt", "a;b.txt"):
            with self.subTest(name):
                code = f"import os; n = {name!r}; os.makedirs(os.path.dirname(n) or '.', exist_ok=True); open(n, 'w').write('made')"
                said = self.ran(code)
                file = self.given_back(said, name)
                self.assertEqual(self.ran(f"print(open({name!r}).read())", files=[file])["stdout"], "made\n")
                reply = self.download(file)
                self.assertEqual((reply.status, reply.body), (200, b"made"))
                self.assertNotIn("inline", (reply.headers.get("Content-Disposition") or "attachment").lower())

    def test_of_code_that_fails(self) -> None:
        said = self.ran("open('a.txt', 'w').write('made'); 1 / 0")
        self.assertIn("ZeroDivisionError", said["stderr"])
        self.assertIn(list(self.made(said)), ([], ["a.txt"]))

    def test_elsewhere(self) -> None:
        self.assertEqual(self.ran("open('/tmp/a.txt', 'w').write('x'); import os; os.makedirs('empty')")["files"], [])

    def test_names_that_are_hostile(self) -> None:
        code = r"""
for name in (b'\xff.txt', b'a\nX-Evil: 1\n\n.txt', b'a\rb.txt', b' .txt', b'x' * 250 + b'.txt', b'\\..\\a.txt', '\u202etxt.exe'.encode()):
    open(name, 'w').write('made')
"""
        said = self.ran(code)
        self.assertNotIn("Traceback", said["stderr"])
        for name in self.made(said):
            with self.subTest(name):
                reply = self.download(self.given_back(said, name))
                self.assertEqual((reply.status, reply.body, reply.headers.get("X-Evil")), (200, b"made", None))

    def test_what_is_no_file(self) -> None:
        secret = self.file("secret.txt", b"secret")
        os.chmod(secret, 0o644)
        os.chmod(self.folder, 0o755)
        code = f"""
import os, socket
os.symlink({str(secret)!r}, 'link.txt')
os.symlink('/etc', 'tree')
os.symlink('loop.txt', 'loop.txt')
os.mkfifo('pipe.txt')
socket.socket(socket.AF_UNIX).bind('socket.txt')
open('a.txt', 'w').write('made')
"""
        said = self.ran(code)
        self.assertNotIn("Traceback", said["stderr"])
        self.assertIn("a.txt", self.made(said))
        self.assertFalse({"pipe.txt", "socket.txt", "loop.txt"} & set(self.made(said)))
        for name in self.made(said):
            self.assertNotIn(b"secret", self.content(self.given_back(said, name)))
            self.assertFalse(name.startswith("tree/"), name)

    def test_a_file_that_nobody_may_read(self) -> None:
        said = self.ran("import os; open('a.txt', 'w').write('made'); os.chmod('a.txt', 0); os.mkdir('d'); os.chmod('d', 0)")
        for name in self.made(said):
            self.assertEqual(self.content(self.given_back(said, name)), b"made")

    def test_many(self) -> None:
        reply = self.answer("for number in range(3000): open(f'{number}.txt', 'w').write('x')")
        if reply.status == 200:
            self.assertLessEqual(len(self.checked(reply)["files"]), 3000)
            self.assertTrue(reply.json["files"])
        else:
            self.assert_error(reply, 400, 413, 422, 507)

    def test_what_is_lost_is_told(self) -> None:
        said = self.ran("for n in range(1000):\n    open(f'{n}.txt', 'w').close()")
        self.assertLess(len(said["files"]), 1000)
        self.assertIn("/mnt/data", said["stderr"])

    def test_what_comes_back_can_be_sent_again(self) -> None:
        first = self.ran("open('a\\\\b.txt', 'w').close(); open('out', 'w').write('x'); open('c', 'w').close()")
        again = [{"id": file["id"], "name": file["name"], "storage_session_id": file["storage_session_id"]} for file in first["files"]]
        second = self.ran("import os\nos.remove('out'); os.mkdir('out'); open('out/a', 'w').write('y')", files=again)
        again += [{"id": file["id"], "name": file["name"], "storage_session_id": file["storage_session_id"]} for file in second["files"]]
        self.assertEqual(self.ran("print(open('out/a').read())", files=again)["stdout"], "y\n")

    def test_a_huge_one(self) -> None:
        reply = self.answer("f = open('huge.bin', 'wb'); f.truncate(1 << 40); open('a.txt', 'w').write('made')")
        if reply.status == 200:
            made = self.made(self.checked(reply))
            self.assertLess(len(self.content(made["huge.bin"])) if "huge.bin" in made else 0, 1 << 20)
        else:
            self.assert_error(reply, 400, 413, 422, 507)
        self.assertEqual(self.ran("print(1)")["stdout"], "1\n")

    def test_deep_trees(self) -> None:
        code = "import os\nfor _ in range(300):\n    os.mkdir('d'); os.chdir('d')\nopen('deep.txt', 'w').write('x')\nopen('/mnt/data/a.txt', 'w').write('made')"
        self.assertIn("a.txt", self.made(self.ran(code)))


class Listings(LibreCase):
    """GET /files/SESSION, GET /sessions/SESSION/objects/FILE, DELETE."""

    def test_of_each_detail(self) -> None:
        file = self.stored("a b.csv", b"content")
        session, ident = file["storage_session_id"], file["id"]
        listed = {detail: ask(self.server, "GET", f"/files/{session}{detail}") for detail in DETAILS}
        self.assertEqual({reply.status for reply in listed.values()}, {200})
        found: dict[str, Any] = {detail: reply.json[0] for detail, reply in listed.items() if len(reply.json) == 1}
        self.assertEqual(sorted(found), sorted(DETAILS))
        for name in (found[""], found["?detail=simple"], found["?detail=summary"]["name"], found["?detail=full"]["name"]):
            self.assertRegex(name, rf"\A{re.escape(session)}/{re.escape(ident)}(\.csv)?\Z")
        for detail in ("?detail=summary", "?detail=full", "?detail=normalized"):
            self.assertEqual(found[detail]["size"], 7)
            self.assertLess(abs((moment(found[detail]["lastModified"]) - datetime.now().astimezone()).total_seconds()), 1000)
        self.assertEqual(found["?detail=full"]["metadata"]["original-filename"], "a b.csv")
        self.assertEqual([found["?detail=normalized"][name] for name in ("id", "name", "storage_session_id")], [ident, "a b.csv", session])

    def test_of_what_code_made(self) -> None:
        said = self.ran("open('a.txt', 'w').write('made'); open('b.txt', 'w').write('made')")
        listed = ask(self.server, "GET", f"/files/{said['session_id']}?detail=full").json
        names = {entry["metadata"]["original-filename"]: entry["name"].split("/")[1].split(".")[0] for entry in listed}
        self.assertEqual(names, {name: file["id"] for name, file in self.made(said).items()})

    def test_one(self) -> None:
        file = self.stored("a b.csv", b"content")
        path = f"/sessions/{file['storage_session_id']}/objects/{file['id']}?kind=user&id=u"
        said = ask(self.server, "GET", path).json
        self.assertEqual((said["originalFilename"], said["size"]), ("a b.csv", 7))
        self.assertLess(abs((moment(said["lastModified"]) - datetime.now().astimezone()).total_seconds()), 1000)

    def test_removed(self) -> None:
        for form in ("/files/{}/{}", "/sessions/{}/objects/{}"):
            with self.subTest(form):
                file = self.stored("a.txt", b"content")
                path = form.format(file["storage_session_id"], file["id"]) + "?kind=user&id=u"
                self.assertIn(ask(self.server, "DELETE", path).status, (200, 204))
                self.assert_error(ask(self.server, "DELETE", path), 404)
                self.assert_error(self.download(file), *HIDDEN)
                self.assert_error(self.answer("1", files=[file]), *REFUSED)
                reply = ask(self.server, "GET", f"/files/{file['storage_session_id']}")
                self.assertTrue(reply.json == [] or self.assert_error(reply, *HIDDEN))

    def test_what_is_not_there(self) -> None:
        file = self.stored("a.txt", b"content")
        for session, ident in ((NONE, file["id"]), (file["storage_session_id"], NONE), (NONE, NONE)):
            for method, form in (("GET", "/download/{}/{}"), ("GET", "/sessions/{}/objects/{}"), ("DELETE", "/files/{}/{}")):
                with self.subTest(f"{method} {form} {session} {ident}"):
                    self.assert_error(ask(self.server, method, form.format(session, ident)), *HIDDEN)
        reply = ask(self.server, "GET", f"/files/{NONE}")
        self.assertTrue(reply.json == [] or self.assert_error(reply, *HIDDEN))

    def test_ids_that_are_none(self) -> None:
        file = self.stored("a.txt", b"content")
        session = file["storage_session_id"]
        for ident in ("short", file["id"] + "x", file["id"] + ".txt", "%2e%2e", "..", "%2e%2e%2f" * 7, "%00" * 21, "a b".replace(" ", "%20"), "*" * 21):
            with self.subTest(ident):
                self.assert_error(ask(self.server, "GET", f"/download/{session}/{ident}"), *REFUSED)
                self.assert_error(ask(self.server, "GET", f"/download/{ident}/{file['id']}"), *REFUSED)
                self.assertNotEqual(ask(self.server, "GET", f"/files/{ident}").json, [f"{session}/{file['id']}.txt"])

    def test_ids_have_room(self) -> None:
        idents = {self.stored("a.txt", b"x")["id"] for _ in range(20)}
        self.assertEqual(len(idents), 20)
        self.assertTrue(all(ID.fullmatch(ident) for ident in idents))
        self.assertGreater(len(set("".join(idents))), 15)
