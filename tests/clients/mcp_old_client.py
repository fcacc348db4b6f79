"""mcp_old_client - the official Python client as it was in 2025, which knows only a handshake.

    mcp_old_client.py MODE COMMAND...
    mcp_old_client.py MODE URL KEY

Like mcp_client.py, in the environment that has older.txt. It has one mode.
"""

import asyncio
import os
import sys
from collections.abc import Callable
from typing import Any

import anyio
from mcp import ClientSession, McpError, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client
from mcp_talk import RefusedError, Result, report, talk
from pydantic import AnyUrl


class Client:
    """What mcp_talk wants of it."""

    def __init__(self, session: ClientSession, begun: types.InitializeResult) -> None:
        self.session = session
        self.version = str(begun.protocolVersion)
        self.server = begun.serverInfo.name

    async def tools(self) -> list[str]:
        """Return their names."""
        return [tool.name for tool in (await self.session.list_tools()).tools]

    async def call(self, name: str, given: dict[str, Any], progress: Callable[[float], None] | None = None) -> Result:
        """Call one."""

        async def at(step: float, total: float | None, message: str | None) -> None:
            assert progress
            progress(step)

        try:
            result = await self.session.call_tool(name, given, progress_callback=at if progress else None)
        except McpError as error:
            raise RefusedError(error.error.code) from error
        texts = [block.text for block in result.content if block.type == "text"]
        links = [str(block.uri) for block in result.content if block.type == "resource_link"]
        return Result(result.structuredContent or {}, texts, links, result.isError)

    async def give_up(self, name: str, given: dict[str, Any]) -> None:
        """Call one, and a second later do not wait for it any more: telling the server is up to us.

        The number of a request is said nowhere else.
        """
        number = self.session._request_id  # noqa: SLF001
        with anyio.move_on_after(1):
            await self.call(name, given)
        cancelled = types.CancelledNotificationParams(requestId=number, reason="enough")
        notification = types.CancelledNotification(method="notifications/cancelled", params=cancelled)
        await self.session.send_notification(types.ClientNotification(notification))

    async def read(self, uri: str) -> str:
        """Return the text of a resource."""
        (content,) = (await self.session.read_resource(AnyUrl(uri))).contents
        assert isinstance(content, types.TextResourceContents)
        return content.text


async def main(mode: str, command: list[str]) -> None:
    """Connect, talk, hang up."""
    assert mode == "legacy"
    is_http = command[0].startswith("http:")
    if is_http:
        transport: Any = streamablehttp_client(command[0], {"Authorization": f"Bearer {command[1]}"}, timeout=60)
    else:
        transport = stdio_client(StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ)))
    async with transport as (source, sink, *_):
        async with ClientSession(source, sink) as session:
            seen = await talk(Client(session, await session.initialize()), names_sessions=is_http)
        began = anyio.current_time()
    seen["hung_up_s"] = anyio.current_time() - began
    report(seen)


asyncio.run(main(sys.argv[1], sys.argv[2:]))
