"""stored - tests of the files that a server keeps, and forms as nobody should send them."""

import re
from typing import Any

from support.serve import Reply, ServeCase, Server
from support.times import wait_until

ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
KIND = {"Content-Type": "multipart/form-data; boundary=part"}
HEAD = b"POST /v1/files HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=part\r\n"


def part(content: bytes, disposition: bytes = b'form-data; name="file"; filename="x"', *lines: bytes) -> bytes:
    """Return one part of a form, with the boundary before it."""
    head = b"--part\r\nContent-Disposition: " + disposition + b"\r\n"
    return head + b"".join(line + b"\r\n" for line in lines) + b"\r\n" + content + b"\r\n"


def kept(server: Server) -> dict[str, int]:
    """Return how many names there are in each directory of a store; an empty one in scratch may wait for the next run."""
    found = {place.name: len(list(place.iterdir())) for place in server.files.iterdir() if place.is_dir()}
    spare = [place for place in (server.files / "scratch").iterdir() if not any(place.iterdir())]
    return found | {"scratch": found["scratch"] - len(spare[:1])}


class FileCase(ServeCase):
    """Tests of files, on a store that is empty in the end."""

    def tearDown(self) -> None:
        """Delete what the test has left; nothing else may be there."""
        for file in self.listed():
            self.assertEqual(self.server.delete(f"/v1/files/{file['file_id']}").status, 204)
        self.assert_kept(0)

    def assert_kept(self, count: int) -> None:
        """Assert how many files there are on the disk, and that nothing else is."""
        wanted = {"files": count, "incoming": 0, "scratch": 0}
        wait_until(lambda: kept(self.server) == wanted, 10)
        self.assertEqual(kept(self.server), wanted)

    def listed(self) -> list[dict[str, Any]]:
        """Return what the list of files has."""
        reply = self.server.get("/v1/files")
        self.assertEqual((reply.status, list(reply.json)), (200, ["files"]))
        return reply.json["files"]

    def send(self, body: bytes, kind: str = KIND["Content-Type"]) -> Reply:
        """Send bytes as a form."""
        return self.server.ask("POST", "/v1/files", body, {"Content-Type": kind})

    def assert_stored(self, reply: Reply, name: str, content: bytes) -> str:
        """Assert what became of an upload, and return its id."""
        self.assertEqual(reply.status, 201, reply)
        self.assertEqual(set(reply.json), {"file_id", "filename", "size_bytes"})
        self.assertEqual((reply.json["filename"], reply.json["size_bytes"]), (name, len(content)))
        self.assertTrue(ID.fullmatch(reply.json["file_id"]), reply)
        self.assertEqual(self.server.get(f"/v1/files/{reply.json['file_id']}").body, content)
        return reply.json["file_id"]

    def assert_missing(self, reply: Reply) -> None:
        """Assert that a form was refused, as one without a file."""
        self.assertEqual(reply.status, 422, reply)
        (entry,) = reply.detail
        self.assertEqual((entry["type"], entry["loc"], entry["msg"]), ("missing", ["body", "file"], "Field required"))
