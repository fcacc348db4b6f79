"""librechat_tools - a client of LibreChat's API that performs the tools of a program."""

from typing import Any

from support.librechat import FLAGS, LibreCase, ask
from support.serve import Reply, Server

SUM: dict[str, Any] = {
    "name": "sum-of",
    "description": "Add numbers.",
    "parameters": {"type": "object", "properties": {"first": {"type": "number"}, "second": {"type": "number"}}, "required": ["first"]},
}
LOOK: dict[str, Any] = {"name": "look_up", "parameters": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}}
TOOLS = [SUM, LOOK]


class ToolCase(LibreCase):
    """A client that performs tools."""

    flags = (*FLAGS, "--drain", "0s")

    def post(self, body: Any, server: Server | None = None, key: str = "") -> Reply:
        """One request."""
        return ask(server or self.server, "POST", "/exec/programmatic", body, key)

    def begin(self, code: str, server: Server | None = None, key: str = "", **more: Any) -> dict[str, Any]:
        """Its first answer."""
        reply = self.post({"code": code, "tools": TOOLS, "timeout": 60_000, **more}, server, key)
        self.assertEqual(reply.status, 200, reply)
        return reply.json

    def go_on(self, said: dict[str, Any], *results: Any, server: Server | None = None, key: str = "") -> dict[str, Any]:
        """Give it the results of all that it asks for; an exception is an error."""
        reply = self.post({"continuation_token": said["continuation_token"], "tool_results": self.results(said, *results)}, server, key)
        self.assertEqual(reply.status, 200, reply)
        return reply.json

    def results(self, said: dict[str, Any], *results: Any) -> list[dict[str, Any]]:
        """Results as the client writes them."""
        self.assertEqual(said["status"], "tool_call_required", said)
        self.assertEqual(len(said["tool_calls"]), len(results), said)
        return [
            {"call_id": call["id"], "result": None, "is_error": True, "error_message": str(result)}
            if isinstance(result, Exception)
            else {"call_id": call["id"], "result": result, "is_error": False}
            for call, result in zip(said["tool_calls"], results, strict=True)
        ]

    def calls(self, said: dict[str, Any]) -> list[tuple[str, Any]]:
        """What it asks for: names and inputs."""
        self.assertEqual(said["status"], "tool_call_required", said)
        return [(call["name"], call["input"]) for call in said["tool_calls"]]

    def asked(self, code: str, **more: Any) -> list[tuple[str, Any]]:
        """What some code asks for first; it ends."""
        said = self.begin(code, **more)
        found = self.calls(said)
        self.finished(self.go_on(said, *found))
        return found

    def perform(self, code: str, answers: dict[str, Any], **more: Any) -> dict[str, Any]:
        """Perform it to its end, with an answer for each tool, however many calls each round has."""
        said = self.begin(code, **more)
        for _ in range(20):
            if said["status"] != "tool_call_required":
                return said
            said = self.go_on(said, *[answers[name](given) for name, given in self.calls(said)])
        raise AssertionError(said)

    def finished(self, said: dict[str, Any]) -> str:
        """It is over; return what it printed."""
        self.assertEqual((said["status"], said.get("stderr", "")), ("completed", ""), said)
        return said["stdout"]
