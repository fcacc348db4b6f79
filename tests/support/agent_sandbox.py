"""agent_sandbox - the runtime API of agent-sandbox, asked by raw HTTP."""

import json
from typing import Any
from urllib.parse import quote

from support.faces import connect
from support.serve import JSON, Reply, ServeCase, Server, form, take

FLAGS = ("--face", "agent-sandbox=127.0.0.1:0")
BASE = "/app"  # where commands begin and files lie
CODES = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 409: "CONFLICT", 422: "INVALID_ARGUMENT"}


def headers_of(box: str = "", key: str = "", namespace: str = "") -> dict[str, str]:
    """Those by which a client says whose sandbox it means."""
    headers = {"X-Sandbox-ID": box, "X-Sandbox-Namespace": namespace, "X-API-Key": key}
    return {name: value for name, value in headers.items() if value}


def ask(server: Server, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None, **whose: str) -> Reply:
    """One request to it; what is not bytes goes as JSON."""
    connection = connect(server, "agent-sandbox")
    sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    is_json = body is not None and not isinstance(body, bytes)
    connection.request(method, path, sent, {**(JSON if is_json else {}), **headers_of(**whose), **(headers or {})})
    try:
        return take(connection)
    finally:
        connection.close()


def named(route: str, path: str) -> str:
    """Where clients ask for a path."""
    return f"/{route}/{quote(path, safe='')}"


class AgentCase(ServeCase):
    """A server that has it, and a sandbox of each test's own."""

    flags = FLAGS

    @property
    def box(self) -> str:
        """Its name: a label, as short as one must be."""
        return self.id().rpartition(".")[2].replace("_", "-")[:63].strip("-")

    def get(self, path: str, **whose: str) -> Reply:
        """GET of the test's own sandbox."""
        return ask(self.server, "GET", path, **{"box": self.box, **whose})

    def run_command(self, command: str, server: Server | None = None, **more: Any) -> dict[str, Any]:
        """What a command does, which must have been answered."""
        reply = self.execute_in(self.box, command, server, **more)
        self.assertEqual((reply.status, reply.headers["Content-Type"]), (200, "application/json"), reply)
        return reply.json

    def execute_in(self, box: str, command: str, server: Server | None = None, **more: Any) -> Reply:
        """The reply to one in any sandbox."""
        return ask(server or self.server, "POST", "/execute", {"command": command, **more}, box=box)

    def upload(self, name: str, content: bytes, field: str = "file", **whose: str) -> Reply:
        """Upload a file."""
        body, kind = form(name, content, field)
        return ask(self.server, "POST", "/upload", body, kind, **{"box": self.box, **whose})

    def assert_error(self, reply: Reply, status: int, text: str = "") -> None:
        """It is one, in a form that every client of this API reads."""
        self.assertEqual(reply.status, status, reply)
        self.assertEqual(set(reply.json), {"code", "message", "detail"})
        self.assertEqual((reply.json["code"], reply.json["detail"]), (CODES.get(status, reply.json["code"]), reply.json["message"]))
        self.assertIn(text, reply.json["message"])

    def running(self, server: Server | None = None) -> list[dict[str, Any]]:
        """What the server runs now."""
        return (server or self.server).get("/v1/executions").json["running"]

    def processes(self, server: Server | None = None) -> str:
        """The names of those in the sandbox."""
        return self.run_command("sh -c 'cat /proc/[0-9]*/comm'", server)["stdout"]
