"""mcp_client - the official Python client drives `glovebox mcp`, or /mcp; what it saw goes out as one object.

    mcp_client.py MODE COMMAND...
    mcp_client.py MODE URL KEY

It runs in the environment of tools/fetch-clients, where its library is. The library checks each
result by the schema of its tool, and raises if it does not keep to that.
"""

import asyncio
import os
import sys
from collections.abc import Callable
from typing import Any

import anyio
import httpx2
import mcp
from mcp.client.streamable_http import streamable_http_client
from mcp_talk import RefusedError, Result, report, talk


class Client:
    """What mcp_talk wants of it."""

    def __init__(self, client: mcp.Client) -> None:
        self.client = client
        self.version = client.protocol_version
        self.server = client.server_info.name if client.server_info else None

    async def tools(self) -> list[str]:
        """Return their names."""
        return [tool.name for tool in (await self.client.list_tools()).tools]

    async def call(self, name: str, given: dict[str, Any], progress: Callable[[float], None] | None = None) -> Result:
        """Call one."""

        async def at(step: float, total: float | None, message: str | None) -> None:
            assert progress
            progress(step)

        try:
            result = await self.client.call_tool(name, given, progress_callback=at if progress else None)
        except mcp.MCPError as error:
            raise RefusedError(error.code) from error
        texts = [block.text for block in result.content if block.type == "text"]
        links = [str(block.uri) for block in result.content if block.type == "resource_link"]
        return Result(result.structured_content, texts, links, result.is_error)

    async def give_up(self, name: str, given: dict[str, Any]) -> None:
        """Call one, and a second later do not wait for it any more: it tells the server."""
        with anyio.move_on_after(1):
            await self.call(name, given)

    async def read(self, uri: str) -> str:
        """Return the text of a resource."""
        return (await self.client.read_resource(uri)).contents[0].text


async def main(mode: str, command: list[str]) -> None:
    """Connect as `mode` says, talk, hang up."""
    is_http = command[0].startswith("http:")
    if is_http:
        headers = {"Authorization": f"Bearer {command[1]}"}
        server: Any = streamable_http_client(command[0], http_client=httpx2.AsyncClient(headers=headers, timeout=60))
    else:
        server = mcp.StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    async with mcp.Client(server, mode=mode) as client:
        seen = await talk(Client(client), names_sessions=is_http)
        began = anyio.current_time()
    seen["hung_up_s"] = anyio.current_time() - began
    report(seen)


asyncio.run(main(sys.argv[1], sys.argv[2:]))
