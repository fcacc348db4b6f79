"""POST /v1/files: each spelling of a form that the RFCs have or that clients send, and what is refused of others."""

import contextlib
import os
import shutil
import subprocess
import unittest

from support.messages import message
from support.serve import Reply, take
from support.stored import FileCase, part

FIELD = b'form-data; name="file"; '
END = b"--part--\r\n"

DOTNET = (
    b"--part\r\nContent-Disposition: form-data; name=note\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nhi\r\n"
    b"--part\r\nContent-Disposition: form-data; name=file; filename=a.csv; filename*=utf-8''a.csv\r\n\r\nx,y\r\n--part--\r\n"
)
GO = (
    b'--part\r\nContent-Disposition: form-data; name="file"; filename="say \\"hi\\" \\\\.csv"\r\n'
    b"Content-Type: application/octet-stream\r\n\r\nx,y\r\n--part--\r\n"
)
OKHTTP = (
    b'--part\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n'
    b"Content-Length: 3\r\n\r\nx,y\r\n--part--\r\n"
)
APACHE = (
    b'--part\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv; charset=ISO-8859-1\r\n'
    b"Content-Transfer-Encoding: binary\r\n\r\nx,y\r\n--part--\r\n"
)
DART = b'--part\r\ncontent-type: text/csv\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\nx,y\r\n--part--\r\n'

# The bytes that a client's library writes, and the name that the file gets.
CLIENTS = {
    ".NET": (DOTNET, "a.csv"),
    ".NET, beyond ASCII": (part(b"x,y", b"form-data; name=file; filename=\"=?utf-8?B?w6kuY3N2?=\"; filename*=utf-8''%C3%A9.csv") + END, "é.csv"),
    "Go": (GO, 'say "hi" \\.csv'),
    "a browser, undici": (part(b"x,y", FIELD + b'filename="say %22hi%22 100%25.csv"') + END, 'say "hi" 100%25.csv'),
    "OkHttp": (OKHTTP, "a.csv"),
    "Apache HttpClient": (APACHE, "a.csv"),
    "Dart": (DART, "a.csv"),
    "httpx, which escapes both": (part(b"x,y", FIELD + b'filename="say %22hi%22 \\\\.csv"') + END, 'say "hi" \\.csv'),
    "aiohttp, which encodes all": (part(b"x,y", FIELD + b'filename="a%20b.csv"') + END, "a%20b.csv"),
}  # fmt: skip

# What is wrong with a body, its bytes, and the message.
REFUSED = {
    "nothing": (b"", "multipart_end"),
    "not a form": (b"just text", "multipart_end"),
    "another boundary": ((part(b"x") + END).replace(b"--part", b"--trap"), "multipart_end"),
    "cut off": (part(b"x"), "multipart_end"),
    "bare LF": ((part(b"x") + END).replace(b"\r\n", b"\n"), "multipart_step#boundary"),
    "a content that begins with the boundary": (part(b"--part") + END, "multipart_end"),
    "encoded": (part(b"eCx5", FIELD + b'filename="a"', b"Content-Transfer-Encoding: base64") + END, "multipart_header_take_encoding"),
    "nested": (part(b"--in--", b'form-data; name="file"', b"Content-Type: multipart/mixed; boundary=in") + END, "multipart_header_end#mixed"),
    "no name": (part(b"x", b'form-data; filename="x"') + END, "multipart_header_end#name:"),
    "no disposition": (b"--part\r\nContent-Type: text/csv\r\n\r\nx\r\n" + END, "multipart_header_end#Content-Disposition"),
    "long headers": (part(b"x", FIELD, b"X: " + b"y" * 8192) + END, "multipart_add_to_line#bytes"),
}  # fmt: skip


class Spellings(FileCase):
    """Forms that are taken."""

    def test_of_each_client(self) -> None:
        for client, (body, name) in CLIENTS.items():
            with self.subTest(client):
                self.assert_stored(self.send(body), name, b"x,y")

    def test_boundaries(self) -> None:
        table = {
            'multipart/form-data; boundary="a b"': "a b",
            "Multipart/Form-Data;Boundary=----=_Part_1.2; charset=utf-8": "----=_Part_1.2",
            'multipart/form-data; charset="utf-8"; boundary="x"': "x",
            "multipart/form-data; boundary=*****": "*****",
            f"multipart/form-data; boundary={'b' * 70}": "b" * 70,
        }
        for kind, boundary in table.items():
            with self.subTest(kind=kind):
                body = (part(b"x,y") + END).replace(b"--part", b"--" + boundary.encode())
                self.assert_stored(self.send(body, kind), "x", b"x,y")

    def test_what_stands_around(self) -> None:
        """A preamble, an epilogue and blanks behind a boundary belong to nothing."""
        padded = part(b"x,y").replace(b"--part", b"--part \t")
        for body in (b"preamble\r\n--par\r\n" + part(b"x,y") + END + b"epilogue\r\n--part\r\n", padded + END, part(b"x,y") + END[:-2]):
            with self.subTest(body=body):
                self.assert_stored(self.send(body), "x", b"x,y")

    def test_nothing_was_chosen(self) -> None:
        """A browser sends an empty name and no byte: that is no file, and does not replace one."""
        none = part(b"", FIELD + b'filename=""', b"Content-Type: application/octet-stream")
        self.assert_missing(self.send(none + END))
        self.assert_stored(self.send(part(b"x,y") + none + END), "x", b"x,y")

    def test_cut_at_each_byte(self) -> None:
        """A boundary that comes in two pieces is one, wherever it was cut."""
        content = b"\r\n--par\r\r\n--" * 2
        body = part(content) + END
        for at in range(body.rindex(b"\r\n--part--"), len(body)):
            with self.subTest(at=at):
                pieces = (piece for piece in (body[:at], body[at:]))
                self.assert_stored(self.server.ask("POST", "/v1/files", pieces, {"Content-Type": "multipart/form-data; boundary=part"}), "x", content)

    @unittest.skipUnless(shutil.which("curl"), "cannot: there is no curl")
    def test_names_that_curl_escapes(self) -> None:
        self.file('a"b.csv', b"x,y")
        url = f"http://127.0.0.1:{self.server.port}/v1/files"
        for flags in ((), ("--form-escape",)):
            command = ["curl", "-sS", "--fail", *flags, "-F", "file=@\"a\\\"b.csv\"", url]  # fmt: skip
            with self.subTest(flags=flags):
                said = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=True)
                self.assertIn('"a\\"b.csv"', said.stdout)


class Refused(FileCase):
    """Forms that are not: one line says what is wrong, nothing is stored, and the connection goes on."""

    def assert_refused(self, reply: Reply, name: str) -> None:
        """Assert that a reply has the message of that name."""
        self.assertEqual(reply.status, 422, reply)
        self.assertRegex(reply.detail, message(name))
        self.assert_kept(0)

    def test_what_is_malformed(self) -> None:
        for what, (body, name) in REFUSED.items():
            with self.subTest(what):
                self.assert_refused(self.send(body), name)

    def test_boundaries(self) -> None:
        table = {"": "multipart_header_boundary#no", "; boundary=": "multipart_header_copy_boundary#characters", f"; boundary={'b' * 71}": "multipart_header_copy_boundary#characters"}
        for parameters, name in table.items():
            with self.subTest(parameters):
                self.assert_refused(self.send(part(b"x") + END, f"multipart/form-data{parameters}"), name)

    def test_a_second_part_that_is_malformed(self) -> None:
        """The first one was on the disk already, and is not kept."""
        body = part(os.urandom(300000)) + part(b"x", b'form-data; name="note') + END
        self.assert_refused(self.send(body), "parameter_next#quote")

    def test_the_connection_goes_on(self) -> None:
        with contextlib.closing(self.server.connection()) as client:
            for body, status in ((part(b"x"), 422), (DOTNET, 201)):
                client.request("POST", "/v1/files", body, {"Content-Type": "multipart/form-data; boundary=part"})
                self.assertEqual(take(client).status, status)
