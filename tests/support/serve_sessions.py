"""serve_sessions - /v1/sessions of a test's own server, and what is said there."""

from typing import Any

from support.serve import Reply, Server, ServeCase

INVENTED = "code-session-" + "0" * 32


class SessionCase(ServeCase):
    """Tests that make sessions."""

    def begin(self, server: Server | None = None, **members: Any) -> str:
        """Begin a session, which ends with the test; return its path."""
        server = server or self.server
        reply = server.post("/v1/sessions", members)
        self.assertEqual((reply.status, reply.headers["Content-Type"]), (201, "application/json"), reply)
        path = "/v1/sessions/" + reply.json["session_id"]
        self.addCleanup(lambda: server.ask("DELETE", path))
        return path

    def call(self, session: str, kind: str, text: str, **members: Any) -> dict[str, Any]:
        """Run something in a session and return the reply, which must be one."""
        member = {"bash": "cmd", "python": "code"}[kind]
        reply = self.server.post(f"{session}/{kind}", {member: text, **members})
        self.assertEqual((reply.status, reply.headers["Content-Type"]), (200, "application/json"), reply)
        return reply.json

    def bash(self, session: str, text: str, **members: Any) -> dict[str, Any]:
        """Run a command line."""
        return self.call(session, "bash", text, **members)

    def python(self, session: str, text: str, **members: Any) -> dict[str, Any]:
        """Run Python."""
        return self.call(session, "python", text, **members)

    def is_not_there(self, reply: Reply, session: str) -> None:
        """Assert that this is what is said of a session that nobody has."""
        name = session.removeprefix("/v1/sessions/")
        self.assertEqual((reply.status, reply.detail), (404, f"Session '{name}' not found"))

    def listed(self, server: Server | None = None) -> list[str]:
        """Return the paths of those that are listed."""
        reply = (server or self.server).get("/v1/sessions")
        self.assertEqual(reply.status, 200, reply)
        return ["/v1/sessions/" + session["session_id"] for session in reply.json["sessions"]]
