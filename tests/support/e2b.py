"""e2b - a client of `glovebox serve --face e2b`, as E2B's own are on the wire."""

import base64
import contextlib
import http.client
import json
import struct
from collections.abc import Iterator
from typing import Any

from support.faces import connect
from support.serve import JSON, Reply, ServeCase, Server, take

FLAGS = ("--face", "e2b=127.0.0.1:0")
STREAM = {"Content-Type": "application/connect+json", "Connect-Protocol-Version": "1"}
PROCESS, TREE = "/process.Process/", "/filesystem.Filesystem/"
GONE = {"message": "The sandbox was not found", "code": 502}
HOME = "/home/user"
END = 2  # flag of a stream's last envelope
BOUNDARY = "e2bboundary"
FORM = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}


def envelope(message: Any, flags: int = 0) -> bytes:
    """Return a message of a stream."""
    text = json.dumps(message).encode()
    return struct.pack(">BI", flags, len(text)) + text


def multipart(*files: tuple[str, bytes]) -> bytes:
    """A form with files."""
    parts = [f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode() + content + b"\r\n" for name, content in files]
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


class Box:
    """A sandbox, and what its clients send."""

    def __init__(self, server: Server, created: dict[str, Any], **headers: str) -> None:
        """Take the reply of a create."""
        self.server = server
        self.id = created["sandboxID"]
        self.token = created.get("envdAccessToken")
        self.headers = headers

    def reach(self, method: str, path: str, body: Any = None, **headers: str) -> Reply:
        """One request into it, as its clients name and prove it."""
        token = {"X-Access-Token": self.token} if self.token else {}
        return ask(self.server, method, path, body, **{"E2b-Sandbox-Id": self.id, **token, **headers})

    def control(self, method: str, tail: str = "", body: Any = None) -> Reply:
        """One request about it."""
        return ask(self.server, method, f"/sandboxes/{self.id}{tail}", body, **self.headers)

    def lines(self, code: str, **members: Any) -> list[dict[str, Any]]:
        """Run code; return the lines of the reply."""
        reply = self.reach("POST", "/execute", {"code": code, **members})
        assert reply.status == 200, reply
        return [json.loads(line) for line in reply.body.splitlines()]

    @contextlib.contextmanager
    def executing(self, **body: Any) -> Iterator[http.client.HTTPResponse]:
        """Run code, whose lines are read while it runs."""
        connection = connect(self.server, "e2b")
        connection.request("POST", "/execute", json.dumps(body), {"E2b-Sandbox-Id": self.id, "X-Access-Token": self.token or "", **JSON})
        try:
            yield connection.getresponse()
        finally:
            connection.close()

    def text(self, code: str, **members: Any) -> str:
        """Run code; return what it printed."""
        return "".join(line["text"] for line in self.lines(code, **members) if line["type"] == "stdout")

    def call(self, method: str, **message: Any) -> Reply:
        """A call with one answer."""
        return self.reach("POST", method, message, **{"Connect-Protocol-Version": "1"})

    def tree(self, method: str, **message: Any) -> Reply:
        """A call of the file system."""
        return self.call(TREE + method, **message)

    @contextlib.contextmanager
    def stream(self, method: str, message: Any, **headers: str) -> Iterator["Stream"]:
        """A call whose answer is a stream."""
        connection = connect(self.server, "e2b")
        names = {"E2b-Sandbox-Id": self.id, "X-Access-Token": self.token or "", **STREAM, **headers}
        connection.request("POST", method, envelope(message), names)
        stream = Stream(connection)
        try:
            yield stream
        finally:
            stream.response.close()
            connection.close()

    def start(self, command: str, stdin: bool = False, headers: dict[str, str] | None = None, **process: Any) -> "contextlib.AbstractContextManager[Stream]":
        """Start a command line, as clients do."""
        line = {"cmd": "/bin/bash", "args": ["-c", command], **process}
        return self.stream(PROCESS + "Start", {"process": line, "stdin": stdin}, **(headers or {}))

    def run(self, command: str, **options: Any) -> tuple[str, str, dict[str, Any]]:
        """Run one to its end: what it printed, and how it ended."""
        with self.start(command, **options) as stream:
            return stream.finish()


class Stream:
    """The answer of a call that is a stream."""

    def __init__(self, connection: http.client.HTTPConnection) -> None:
        """Read its head."""
        self.connection = connection
        self.response = connection.getresponse()
        self.pid = 0
        self.out = {"stdout": b"", "stderr": b"", "pty": b""}
        self.end: dict[str, Any] = {}

    def message(self) -> tuple[int, dict[str, Any]]:
        """Return the next envelope."""
        flags, length = struct.unpack(">BI", self.response.read(5))
        return flags, json.loads(self.response.read(length))

    def next(self) -> dict[str, Any]:
        """Return the next event, and note it."""
        flags, message = self.message()
        if flags == END:
            return {"close": message}
        event = message["event"]
        self.pid = event.get("start", {}).get("pid", self.pid)
        for name, text in event.get("data", {}).items():
            self.out[name] += base64.b64decode(text)
        self.end = event.get("end", self.end)
        return event

    def begun(self) -> "Stream":
        """Wait until it runs."""
        assert "start" in self.next() and self.pid
        return self

    def until(self, text: bytes, name: str = "stdout") -> None:
        """Wait until it has printed this."""
        while text not in self.out[name]:
            self.next()

    def close(self) -> dict[str, Any]:
        """Wait for the last envelope."""
        while "close" not in (event := self.next()):
            pass
        return event["close"]

    def finish(self) -> tuple[str, str, dict[str, Any]]:
        """Wait for a good end: what it printed, and how it ended."""
        assert self.close() == {}
        return self.out["stdout"].decode(), self.out["stderr"].decode(), self.end


def ask(server: Server, method: str, path: str, body: Any = None, **headers: str) -> Reply:
    """One request."""
    connection = connect(server, "e2b")
    sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    connection.request(method, path, sent, {**(JSON if isinstance(body, dict) else {}), **headers})
    try:
        return take(connection)
    finally:
        connection.close()


class E2bCase(ServeCase):
    """A server that has it, and sandboxes of a test's own."""

    flags = FLAGS

    def create(self, server: Server | None = None, path: str = "/v2/sandboxes", headers: dict[str, str] | None = None, **members: Any) -> Box:
        """Begin a sandbox, which ends with the test."""
        reply = ask(server or self.server, "POST", path, {"templateID": "base", **members}, **(headers or {}))
        self.assertEqual(reply.status, 201, reply)
        box = Box(server or self.server, reply.json, **(headers or {}))
        self.addCleanup(self.forget, box)
        return box

    @staticmethod
    def forget(box: Box) -> None:
        """End a sandbox, if its server is still there."""
        with contextlib.suppress(ConnectionRefusedError):
            box.control("DELETE")

    def assert_error(self, reply: Reply, status: int, word: str = "") -> None:
        """Assert the form in which clients read errors."""
        self.assertEqual((reply.status, reply.json["code"]), (status, status), reply)
        self.assertIn(word, reply.json["message"])

    def assert_gone(self, reply: Reply) -> None:
        """Assert that clients take the sandbox for gone."""
        self.assertEqual((reply.status, {**reply.json, "sandboxId": ""}), (502, {**GONE, "sandboxId": ""}), reply)
