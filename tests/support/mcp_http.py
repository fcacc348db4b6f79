"""mcp_http - a client of /mcp on `glovebox serve` that may be a hostile one: each message is a request of its own."""

import contextlib
import http.client
import json
from collections.abc import Iterator
from typing import Any, ClassVar

from support.mcp import ENVELOPE, META, MODERN
from support.serve import Reply, Server, ServeCase, take
from support.times import DEADLINE

BOTH = "application/json, text/event-stream"
NAMES = {"tools/call": "name", "resources/read": "uri"}


def events(body: bytes) -> list[dict[str, Any]]:
    """Return the messages of a stream; anything that is none fails."""
    frames = body.decode("ascii").split("\n\n")
    assert frames.pop() == "", body
    messages = []
    for frame in frames:
        first, second = frame.split("\n")
        assert first == "event: message", frame
        assert second.startswith("data: "), frame
        assert len(frame) < 1 << 20, len(frame)
        messages.append(json.loads(second[6:]))
    return messages


class McpHttp:
    """One client, of one version, with one key."""

    def __init__(self, server: Server, version: str = MODERN, token: str = "") -> None:
        self.server = server
        self.version = version
        self.common = {"Authorization": f"Bearer {token}"} if token else {}
        self.name = ""
        self._number = 0

    def headers(self, message: Any, **changed: str | None) -> dict[str, str]:
        """Return those that belong to a message; None leaves one out, and "_" stands for "-"."""
        given: dict[str, str | None] = {"Content-Type": "application/json", "Accept": BOTH, **self.common}
        if self.version not in ("", "2024-11-05", "2025-03-26"):
            given["MCP-Protocol-Version"] = self.version
        if self.version == MODERN and isinstance(message, dict):
            given["Mcp-Method"] = message.get("method")
            given["Mcp-Name"] = message.get("params", {}).get(NAMES.get(message.get("method", ""), ""))
        if self.name:
            given["Mcp-Session-Id"] = self.name
        given |= {name.replace("_", "-"): value for name, value in changed.items()}
        return {name: value for name, value in given.items() if value is not None}

    def message(self, method: str, **params: Any) -> dict[str, Any]:
        """Return a request."""
        self._number += 1
        if self.version == MODERN:
            params = params | {"_meta": ENVELOPE | params.get("_meta", {})}
        return {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}

    def tool(self, tool: str, meta: dict[str, Any] | None = None, /, **given: Any) -> dict[str, Any]:
        """Return a call of a tool."""
        return self.message("tools/call", name=tool, arguments=given, **({"_meta": meta} if meta else {}))

    def post(self, message: Any, **changed: str | None) -> Reply:
        """Send one message; bytes go as they are."""
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        return self.server.ask("POST", "/mcp", body, self.headers(message, **changed))

    def answer(self, message: dict[str, Any], **changed: str | None) -> dict[str, Any]:
        """Send a request, and return the answer to it, which must be one JSON text."""
        reply = self.post(message, **changed)
        assert (reply.status, reply.headers["Content-Type"]) == (200, "application/json"), reply
        reply.body.decode("ascii")
        assert (reply.json["jsonrpc"], reply.json["id"]) == ("2.0", message["id"]), reply.json
        return reply.json

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Make a request that must succeed, and return its result."""
        answer = self.answer(self.message(method, **params))
        assert "result" in answer, answer
        return answer["result"]

    def use(self, tool: str, **given: Any) -> dict[str, Any]:
        """Call a tool, and return its result."""
        return self.answer(self.tool(tool, **given))["result"]

    def run(self, code: str, **given: Any) -> dict[str, Any]:
        """Run code, and return what came of it as one object."""
        result = self.use("execute_python", code=code, **given)
        assert "structuredContent" in result, result
        return result["structuredContent"]

    def begin(self) -> "McpHttp":
        """Shake hands, where the version has that."""
        if self.version == MODERN:
            return self
        client = {"name": "test", "version": "1"}
        message = self.message("initialize", protocolVersion=self.version, capabilities={}, clientInfo=client)
        reply = self.post(message, MCP_Protocol_Version=None)
        assert reply.json["result"]["protocolVersion"] == self.version, reply.json
        self.name = reply.headers["Mcp-Session-Id"]
        assert self.post({"jsonrpc": "2.0", "method": "notifications/initialized"}).status == 202
        return self

    @contextlib.contextmanager
    def under_way(self, message: dict[str, Any], **changed: str | None) -> Iterator[http.client.HTTPConnection]:
        """Send a request, and do not wait for its answer: take() reads it."""
        with contextlib.closing(self.server.connection(DEADLINE)) as client:
            client.request("POST", "/mcp", json.dumps(message), self.headers(message, **changed))
            yield client

    def cancel(self, message: dict[str, Any]) -> Reply:
        """Say that nobody waits for a request any more."""
        params = {"requestId": message["id"], "reason": "a test"}
        return self.post({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})


class McpHttpCase(ServeCase):
    """Tests that share one server."""

    version: ClassVar[str] = MODERN

    def setUp(self) -> None:
        """Make a client."""
        super().setUp()
        self.mcp = McpHttp(self.server, self.version).begin()


__all__ = ["BOTH", "ENVELOPE", "META", "McpHttp", "McpHttpCase", "events", "take"]
