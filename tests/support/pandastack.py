"""pandastack - the API of PandaStack's client, asked by raw HTTP."""

import json
from typing import Any

from support.faces import connect
from support.serve import JSON, Reply, ServeCase, Server, take

FLAGS = ("--face", "pandastack=127.0.0.1:0")


def ask(server: Server, method: str, path: str, body: Any = None, key: str = "", **headers: str) -> Reply:
    """One request to it."""
    connection = connect(server, "pandastack")
    sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    sent_headers = {**(JSON if body is not None else {}), **headers}
    if key:
        sent_headers["Authorization"] = f"Bearer {key}"
    connection.request(method, "/v1" + path, sent, sent_headers)
    try:
        return take(connection)
    finally:
        connection.close()


def events(reply: Reply) -> list[tuple[str, dict[str, Any]]]:
    """The events of a stream."""
    found = []
    for block in reply.body.decode("ascii").split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found


class PandaCase(ServeCase):
    """A server that has it."""

    flags = FLAGS

    def sandbox(self, server: Server | None = None, key: str = "", **body: Any) -> str:
        """A new one's path; it ends with the test."""
        there = server or self.server
        reply = ask(there, "POST", "/sandboxes", body, key)
        self.assertEqual(reply.status, 201, reply)
        path = "/sandboxes/" + reply.json["id"]
        self.addCleanup(lambda: there.process.poll() is None and ask(there, "DELETE", path, key=key))
        return path

    def command(self, path: str, cmd: str, server: Server | None = None, **more: Any) -> Reply:
        """What a command does."""
        return ask(server or self.server, "POST", path + "/exec", {"cmd": cmd, **more})

    def assert_error(self, reply: Reply, status: int, text: str = "") -> None:
        """It is one, in this API's form."""
        self.assertEqual((reply.status, list(reply.json)), (status, ["error"]), reply)
        self.assertIn(text, reply.json["error"])

    def running(self) -> list[dict[str, Any]]:
        """What the server runs now."""
        return self.server.get("/v1/executions").json["running"]
