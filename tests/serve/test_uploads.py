"""POST /v1/files: forms as clients send them, and as nobody should; what is too large."""

import contextlib
import http.client
import os
import shutil
import threading
import unittest
from collections.abc import Iterator

from support.messages import sentence
from support.run import execute
from support.serve import Reply, form, take
from support.stored import HEAD, KIND, FileCase, kept, part
from support.times import wait_until

PIECE = 1 << 20


class Uploads(FileCase):
    """Forms as clients send them, and as nobody should."""

    def test_as_browsers_do(self) -> None:
        content = bytes(range(256)) * 300
        for name in ("x.csv", "a b.txt", "Zürich 東京 \U0001f600.png", "out/deep/file.txt"):
            with self.subTest(name=name):
                self.assert_stored(self.server.upload(name, content), name, content)
        boundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW"
        body = (part(b"1", b'form-data; name="note"') + part(content) + b"--part--\r\n").replace(b"--part", b"--" + boundary.encode())
        self.assert_stored(self.send(body, f"multipart/form-data; boundary={boundary}"), "x", content)
        self.assert_stored(self.send(part(b"y") + b"--part--\r\n", 'multipart/form-data; boundary="part"'), "x", b"y")

    def test_contents_that_look_like_a_boundary(self) -> None:
        for content in (b"", b"\r\n", b"x--part", b"\r\n--par", b"\r\n--parT", b"\n--part--\r\n", b"\r\n\r\n--\r\n", b"\r" * 5000, b"\r\n--" * 3000):
            with self.subTest(content=content[:20]):
                self.assert_stored(self.server.upload("x", content), "x", content)

    def test_in_pieces_of_any_size(self) -> None:
        """A boundary that is split over two reads is one all the same."""
        content = os.urandom(3000) + b"\r\n--par" * 30
        body, kind = form("x", content)
        for size in (1, 7, 1000):
            with self.subTest(size=size):
                pieces = (body[at : at + size] for at in range(0, len(body), size))
                self.assert_stored(self.server.ask("POST", "/v1/files", pieces, kind), "x", content)

    @unittest.skipUnless(shutil.which("curl"), "cannot: there is no curl")
    def test_as_curl_does(self) -> None:
        content = os.urandom(3 << 20)
        path = self.file("data.bin", content)
        url = f"http://127.0.0.1:{self.server.port}/v1/files"
        for flags in ([], ["-H", "Transfer-Encoding: chunked"], ["-H", "Expect: 100-continue"], ["--http1.0"]):
            with self.subTest(flags=flags):
                said = execute(["curl", "-sS", "--fail", *flags, "-F", f"file=@{path}", url])
                self.assert_status(said)
                got = execute(["curl", "-sS", "-OJ", f"{url}/{said.json['file_id']}"], cwd=self.subfolder(f"got{''.join(flags)}"))
                self.assert_status(got)
        for found in self.folder.glob("got*/data.bin"):
            self.assertEqual(found.read_bytes(), content)
        self.assertEqual(len(list(self.folder.glob("got*/data.bin"))), 4)

    def test_continue_is_said(self) -> None:
        body = part(b"abc") + b"--part--\r\n"
        with contextlib.closing(self.server.raw()) as client:
            client.sendall(HEAD + b"Content-Length: %d\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n" % len(body))
            self.assertTrue(client.recv(1000).startswith(b"HTTP/1.1 100 "))
            client.sendall(body)
            self.assertIn(b"HTTP/1.1 201 ", client.makefile("rb").read())

    def test_without_a_file(self) -> None:
        table = {
            "only an end": b"--part--\r\n", "another field": part(b"x", b'form-data; name="other"; filename="x"') + b"--part--\r\n",
            "upper case": part(b"x", b'form-data; name="FILE"') + b"--part--\r\n",
        }  # fmt: skip
        for what, body in table.items():
            with self.subTest(what):
                self.assert_missing(self.send(body))
        for kind in ("text/plain", "application/json", "multipart/mixed; boundary=part", "x"):
            with self.subTest(kind=kind):
                self.assert_missing(self.send(part(b"x") + b"--part--\r\n", kind))
        self.assert_missing(self.server.ask("POST", "/v1/files", part(b"x") + b"--part--\r\n"))

    def test_that_stop_in_the_middle(self) -> None:
        """Without its last boundary, a file may be cut off."""
        whole = part(b"content") + b"--part--\r\n"
        for end in (len(whole) - 3, len(whole) - 4, len(whole) - 5, len(whole) - 10, len(whole) - 14, whole.index(b"tent"), whole.index(b"content"), 50, 20, 5):
            with self.subTest(sent=whole[:end]):
                reply = self.send(whole[:end])
                self.assertIn(reply.status, (400, 422), reply)

    def test_what_is_no_form_of_files(self) -> None:
        for kind in ("application/x-www-form-urlencoded", "text/plain", "multipart/mixed; boundary=part"):
            for body in (b"file=hi", part(b"hi") + b"--part--\r\n"):
                with self.subTest(kind=kind, body=body):
                    self.assertEqual(self.send(body, kind).status, 422)
        self.assert_kept(0)

    def test_two_files_in_one_form(self) -> None:
        """The last one counts, as for the reference, and only that stays."""
        twice = part(b"first") + part(b"second", b'form-data; name="file"; filename="y"') + b"--part--\r\n"
        self.assert_stored(self.send(twice), "y", b"second")
        self.assert_kept(1)

    def test_names_that_are_none(self) -> None:
        table = {b"form-data; name=\"file\"": "unnamed", b'form-data; name="file"; filename=""': "unnamed",
                 b'form-data; name="file"; filename="../../etc/passwd"': "../../etc/passwd",
                 b'form-data; name="file"; filename="a\tb\x01\x7f"': "a_b__", b'form-data; name="file"; filename="\xff\xfe"': "\ufffd\ufffd"}  # fmt: skip
        for disposition, name in table.items():
            with self.subTest(disposition=disposition):
                self.assert_stored(self.send(part(b"x", disposition) + b"--part--\r\n"), name, b"x")
        long = b'form-data; name="file"; filename="' + "é".encode() * 1000 + b'"'
        self.assert_stored(self.send(part(b"x", long) + b"--part--\r\n"), "é" * 127, b"x")

    def test_huge_headers_of_a_part(self) -> None:
        for size in (1000, 30000, 200000, 2 << 20):
            with self.subTest(size=size):
                reply = self.send(part(b"x", b'form-data; name="file"; filename="x"', b"X-More: " + b"y" * size) + b"--part--\r\n")
                self.assertIn(reply.status, (201, 413, 422), reply)
                reply = self.send(part(b"x", b'form-data; name="file"; filename="' + b"y" * size + b'"') + b"--part--\r\n")
                self.assertIn(reply.status, (201, 413, 422), reply)
        many = part(b"x", b'form-data; name="file"; filename="x"', *[b"X-%d: y" % n for n in range(5000)])
        self.assertIn(self.send(many + b"--part--\r\n").status, (201, 422))
        fields = [part(b"x", b'form-data; name="f%d"' % n) for n in range(5000)]
        self.assert_stored(self.send(b"".join(fields[:99]) + part(b"x") + b"--part--\r\n"), "x", b"x")
        self.assertEqual(self.send(b"".join(fields) + part(b"x") + b"--part--\r\n").status, 422)

    def test_a_boundary_of_any_length(self) -> None:
        for length in (1, 70, 1000, 8000):
            with self.subTest(length=length):
                boundary = "b" * length
                body = part(b"x").replace(b"--part", b"--" + boundary.encode()) + f"--{boundary}--\r\n".encode()
                self.assertIn(self.send(body, f"multipart/form-data; boundary={boundary}").status, (201, 422, 431))

    def test_a_client_that_leaves(self) -> None:
        """In a name, in a content, before the last boundary: nothing stays."""
        whole = part(b"y" * 300000) + b"--part--\r\n"
        for sent in (whole[:30], whole[:200000], whole[:-4]):
            for length in (b"Content-Length: %d\r\n\r\n" % len(whole), b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(whole)):
                with self.subTest(sent=len(sent), length=length), contextlib.closing(self.server.raw()) as client:
                    client.sendall(HEAD + length + sent)
                    if len(sent) > 1000:
                        self.assertTrue(wait_until(lambda: kept(self.server)["incoming"], 30), "it has begun")
        self.assertEqual(self.listed(), [])
        self.assert_kept(0)

    def test_many_at_once(self) -> None:
        contents = [bytes([n]) * 300000 for n in range(8)]
        replies: list[Reply] = []
        threads = [threading.Thread(target=lambda c=content: replies.append(self.server.upload("x", c))) for content in contents]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        got = {self.server.get(f"/v1/files/{reply.json['file_id']}").body for reply in replies}
        self.assertEqual(got, set(contents))


class Limits(FileCase):
    """What is too large, for one file and for all."""

    flags = ("--max-file", "1", "--max-files", "2m")

    def test_a_file_that_is_too_large(self) -> None:
        self.assertEqual(self.server.upload("x", b"x" * PIECE).status, 201)
        for size in (PIECE + 1, 3 * PIECE, 20 * PIECE):
            with self.subTest(size=size):
                reply = self.server.upload("x", b"y" * size)
                self.assertEqual((reply.status, reply.json), (413, {"detail": sentence("files_refuse#File", 1)}))
        self.assert_kept(1)

    def test_what_is_refused_by_its_headers(self) -> None:
        """Nobody sends a terabyte first: nothing of it is asked for."""
        put = b"PUT /v1/sessions/%s/files/x HTTP/1.1\r\nHost: localhost\r\n"
        mine = self.server.post("/v1/sessions", {}).json["session_id"].encode()
        table = {HEAD: 413, HEAD.replace(b"multipart/form-data; boundary=part", b"text/plain"): 413, put % mine: 413, put % b"nope": 404}
        for head, status in table.items():
            with self.subTest(head=head):
                [reply] = self.exchange(head + b"Content-Length: 1000000000000\r\nExpect: 100-continue\r\n\r\n")
                self.assertEqual((reply.status, reply.headers["Connection"]), (status, "close"))
        self.assert_kept(0)

    def test_without_an_end(self) -> None:
        """What is refused already is read for a while, so that the client sees why, and no longer."""
        field = b'--part\r\nContent-Disposition: form-data; name="%s"; filename="x"\r\n\r\n'
        session = b"PUT /v1/sessions/%s/files/x HTTP/1.1\r\nHost: localhost\r\n"
        mine = self.server.post("/v1/sessions", {}).json["session_id"].encode()
        table = {
            "a file": (HEAD, field % b"file"),
            "another field": (HEAD, field % b"note"),
            "no field": (HEAD, b""),
            "no form": (HEAD.replace(b"multipart/form-data; boundary=part", b"text/plain"), b""),
            "a session's file": (session % mine, b""),
            "nobody's": (session % b"nope", b""),
        }
        for name, (head, first) in table.items():
            with self.subTest(name), contextlib.closing(self.server.raw()) as client:
                client.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n")
                chunk = b"y" * PIECE
                with self.assertRaises(OSError):
                    for piece in (first, *[chunk] * 300):
                        if piece:
                            client.sendall(b"%x\r\n" % len(piece) + piece + b"\r\n")
        self.assert_kept(0)

    def test_more_than_there_may_be(self) -> None:
        ids = [self.uploaded("x", bytes([n]) * (PIECE - 10)) for n in range(2)]
        reply = self.server.upload("x", b"z" * 21)
        self.assertEqual(reply.status, 413, reply)
        self.assertNotIn("exceeds maximum", reply.detail)
        self.assertEqual(self.server.upload("x", b"").status, 413, "an empty one takes a block")
        self.server.delete(f"/v1/files/{ids[0]}")
        self.assertEqual(self.server.upload("x", b"z" * 21).status, 201)

    def test_uploads_that_are_coming_count(self) -> None:
        whole = part(b"y" * (PIECE - 1000)) + b"--part--\r\n"
        with contextlib.ExitStack() as clients:
            for _ in range(2):
                client = clients.enter_context(contextlib.closing(self.server.raw()))
                client.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(whole) + whole[:-1000])
            self.assertTrue(wait_until(lambda: kept(self.server)["incoming"] == 2, 30))
            sizes = lambda: [path.stat().st_size for path in (self.server.files / "incoming").iterdir()]  # noqa: E731
            self.assertTrue(wait_until(lambda: min(sizes()) > PIECE - 20000, 30), "nearly all has come; 16 KiB are written at once")
            self.assertEqual(self.server.upload("x", b"z" * 200000).status, 413)
        self.assert_kept(0)
        self.assertEqual(self.server.upload("x", b"z" * 200000).status, 201)

    def test_an_output_that_is_too_large(self) -> None:
        """There is no file of it; what fits is there."""
        files = self.execute("open('a', 'wb').write(bytes(3 << 20)); open('b', 'w').write('x'); None")["files"]
        ids = {file["path"]: file["file_id"] for file in files}
        self.assertIsNone(ids.get("a"))
        self.assertEqual(self.server.get(f"/v1/files/{ids['b']}").body, b"x")


class Large(FileCase):
    """What is large goes through in pieces."""

    SIZE = 100 << 20

    def pieces(self, size: int = SIZE) -> Iterator[bytes]:
        """Yield a form with a large file."""
        body, _ = form("large", b"@")
        head, tail = body.split(b"@")
        yield head
        for number in range(size // PIECE):
            yield number.to_bytes(4, "little") * (PIECE // 4)
        yield tail

    def test_one_that_is_too_large_is_told_so(self) -> None:
        """Although its length is known, or is not: clients see no reply to what nobody reads."""
        size = self.SIZE + (50 << 20)
        length = size + sum(len(piece) for piece in self.pieces(0))
        for headers in (KIND, KIND | {"Content-Length": str(length)}):
            with self.subTest(headers=headers), contextlib.closing(self.server.connection()) as client:
                client.request("POST", "/v1/files", self.pieces(size), headers, encode_chunked="Content-Length" not in headers)
                reply = take(client)
                self.assertEqual((reply.status, reply.detail), (413, sentence("files_refuse#File", 100)))

    def test_memory_stays_small(self) -> None:
        with contextlib.closing(self.server.connection()) as client:
            client.request("POST", "/v1/files", self.pieces(), KIND, encode_chunked=True)
            reply = take(client)
        self.assertEqual((reply.status, reply.json["size_bytes"]), (201, self.SIZE), reply)
        with contextlib.closing(self.server.connection()) as client:
            client.request("GET", f"/v1/files/{reply.json['file_id']}")
            response: http.client.HTTPResponse = client.getresponse()
            for number in range(self.SIZE // PIECE):
                self.assertEqual(response.read(PIECE)[:4], number.to_bytes(4, "little"))
            self.assertEqual(response.read(), b"")
        self.assertLess(self.server.peak_bytes(), 12 << 20)
