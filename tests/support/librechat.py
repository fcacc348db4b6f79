"""librechat - the API of LibreChat's code interpreter, asked by raw HTTP."""

import json
import re
from collections.abc import Iterator
from typing import Any

from support.faces import connect
from support.serve import JSON, Reply, ServeCase, Server, take

FLAGS = ("--face", "librechat=127.0.0.1:0")
BASE = "/v1"
ID = re.compile(r"[A-Za-z0-9_-]{21}")
NONE = "0" * 21  # an id that nothing has
BOUNDARY = "--------------------------librechat"
KIND = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
REFUSED = (400, 403, 404, 422)
HIDDEN = (403, 404)

File = dict[str, Any]


def ask(server: Server, method: str, path: str, body: Any = None, key: str = "", **headers: str) -> Reply:
    """One request to it."""
    connection = connect(server, "librechat")
    is_raw = body is None or isinstance(body, bytes) or hasattr(body, "__next__")
    sent = {**({} if body is None else JSON), **headers}
    if key:
        sent["X-API-Key"] = key
    try:
        connection.request(method, BASE + path, body if is_raw else json.dumps(body), sent)
        return take(connection)
    finally:
        connection.close()


def multipart(*files: tuple[str, bytes], **fields: str) -> bytes:
    """A form as form-data of npm writes it: fields, then files, each a part `file`."""
    parts = [f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode() for name, value in fields.items()]
    for name, content in files:
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: text/plain\r\n\r\n'
        parts.append(head.encode() + content + b"\r\n")
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


def in_pieces(body: bytes) -> Iterator[bytes]:
    """A body whose length is not said."""
    yield from (body[at : at + 7000] for at in range(0, len(body), 7000))


def place(file: File, session: str) -> str:
    """The session in whose storage a file is."""
    return file.get("storage_session_id") or file.get("session_id") or session


def send(server: Server, *files: tuple[str, bytes], key: str = "") -> Reply:
    """Upload files, as LibreChat does for a user."""
    return ask(server, "POST", "/upload", multipart(*files, kind="user", id="64f0c0ffee64f0c0ffee64f0"), key, **KIND)


class LibreCase(ServeCase):
    """A server that has it."""

    flags = FLAGS

    def answer(self, code: str, lang: str = "py", server: Server | None = None, key: str = "", **more: Any) -> Reply:
        """The reply to some code."""
        return ask(server or self.server, "POST", "/exec", {"lang": lang, "code": code, **more}, key)

    def ran(self, code: str, lang: str = "py", server: Server | None = None, key: str = "", **more: Any) -> dict[str, Any]:
        """What some code did."""
        return self.checked(self.answer(code, lang, server, key, **more))

    def checked(self, reply: Reply) -> dict[str, Any]:
        """The members that clients read are there, as they read them."""
        self.assertEqual((reply.status, reply.headers["Content-Type"].split(";")[0]), (200, "application/json"), reply)
        said = reply.json
        self.assertRegex(said["session_id"], rf"\A{ID.pattern}\Z")
        self.assertEqual([type(said[name]) for name in ("stdout", "stderr", "files")], [str, str, list])
        for file in said["files"]:
            self.assertRegex(file["id"], rf"\A{ID.pattern}\Z")
            self.assertRegex(place(file, said["session_id"]), rf"\A{ID.pattern}\Z")
            self.assertFalse(file["name"].startswith("/"), file)
        return said

    def made(self, said: dict[str, Any]) -> dict[str, File]:
        """The files that some code made or changed, by name."""
        return {file["name"]: file for file in said["files"] if not file.get("inherited")}

    def stored(self, name: str, content: bytes, server: Server | None = None, key: str = "") -> File:
        """Upload a file; return how the next execution is told of it."""
        reply = send(server or self.server, (name, content), key=key)
        self.assertEqual((reply.status, reply.json["message"]), (200, "success"), reply)
        self.assertEqual([file["filename"] for file in reply.json["files"]], [name])
        return self.reference(reply.json, reply.json["files"][0]["fileId"], name)

    def reference(self, said: dict[str, Any], ident: str, name: str) -> File:
        """A file, as clients of today name it."""
        session = said.get("storage_session_id") or said["session_id"]
        self.assertRegex(session + ident, rf"\A{ID.pattern * 2}\Z")
        return {"id": ident, "resource_id": "64f0c0ffee64f0c0ffee64f0", "storage_session_id": session, "name": name, "kind": "user"}

    def given_back(self, said: dict[str, Any], name: str) -> File:
        """A file that some code made, as the next execution is told of it."""
        file = self.made(said)[name]
        return self.reference({"session_id": place(file, said["session_id"])}, file["id"], name)

    def download(self, file: File, server: Server | None = None, key: str = "") -> Reply:
        """The reply to a download."""
        return ask(server or self.server, "GET", f"/download/{file['storage_session_id']}/{file['id']}?kind=user&id=64f0c0ffee64f0c0ffee64f0", key=key)

    def content(self, file: File, server: Server | None = None, key: str = "") -> bytes:
        """The bytes of a file."""
        reply = self.download(file, server, key)
        self.assertEqual(reply.status, 200, reply)
        return reply.body

    def assert_error(self, reply: Reply, *statuses: int) -> str:
        """It is one of these, in this API's form; return what it says."""
        self.assertIn(reply.status, statuses, reply)
        said = reply.json["error"]
        self.assertIsInstance(said, str, reply)
        self.assertTrue(said, reply)
        return said

    def running(self, server: Server | None = None) -> list[dict[str, Any]]:
        """What the server runs now."""
        return (server or self.server).get("/v1/executions").json["running"]
