"""mcp_client - the official Python client drives `glovebox mcp`, or /mcp; what it saw goes out as one object.

    mcp_client.py MODE COMMAND...
    mcp_client.py MODE URL KEY

It runs in the environment of tools/fetch-clients, where its library is. The library checks each
result by the schema of its tool, and raises if it does not keep to that.
"""

import asyncio
import json
import os
import sys
from typing import Any

import anyio
import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

SLEEP = "import time\nkept = 1\nfor _ in range(6000): time.sleep(0.01)"


async def talk(client: Client, *, names_sessions: bool) -> dict[str, Any]:
    """Use everything once. If sessions have names, those are the server's, and each call says one."""
    seen: dict[str, Any] = {"version": client.protocol_version}
    seen["server"] = client.server_info.name if client.server_info else None  # if it has asked
    seen["tools"] = [tool.name for tool in (await client.list_tools()).tools]

    common: dict[str, str] = {}

    async def use(name: str, **given: Any) -> Any:
        return await client.call_tool(name, common | given)

    async def begin(name: str) -> str:
        """Return what a session of our own name is called."""
        if not names_sessions:
            return name
        return (await client.call_tool("execute_python", {"code": "1"})).structured_content["session"]

    steps: list[float] = []

    async def progress(at: float, total: float | None, message: str | None) -> None:
        steps.append(at)

    begun = await use("execute_python", code="x = 41")
    if names_sessions:
        common["session"] = begun.structured_content["session"]
        seen["named"] = common["session"] in begun.content[0].text
    seen["state"] = (await use("execute_python", code="x + 1")).structured_content["value"]
    failed = await use("execute_python", code="1 / 0")
    seen["error"] = [failed.is_error, failed.content[0].text.splitlines()[-1]]
    await use("write_file", path="a/b.txt", content="given")
    seen["read"] = (await use("read_file", path="a/b.txt")).structured_content["content"]
    made = await use("execute_python", code="open('new.csv', 'w').write('1,2')")
    links = [str(block.uri) for block in made.content if block.type == "resource_link"]
    seen["links"] = [link.replace(common.get("session", "main"), "main") for link in links]
    seen["resource"] = (await client.read_resource(links[0])).contents[0].text
    seen["files"] = [e["path"] for e in (await use("list_files")).structured_content["entries"]]
    strange = "print('\U0001f600', chr(0), chr(0x2028), flush=True); __import__('os').write(1, b'\\xff\\n')"
    seen["strange"] = (await use("execute_python", code=strange)).structured_content["stdout"]
    slow = "import time; time.sleep(1.3)"
    await client.call_tool("execute_python", common | {"code": slow}, progress_callback=progress)
    seen["progress"] = len(steps) > 0 and steps == sorted(set(steps))
    with anyio.move_on_after(1):
        await use("execute_python", code=SLEEP)
    seen["after_cancel"] = (await use("execute_python", code="kept")).structured_content["value"]
    names = [await begin(f"s{i}") for i in range(3)]
    many = [use("execute_python", code=f"{i}", session=names[i % 3]) for i in range(12)]
    seen["many"] = [result.structured_content["value"] for result in await asyncio.gather(*many)]
    large = await use("execute_python", code="print('\\u20ac' * 10**6)")
    seen["large"] = [large.structured_content["truncated"], len(large.structured_content["stdout"])]
    seen["ended"] = (await use("reset_session")).structured_content["ended"]
    try:
        await use("nothing")
    except MCPError as error:
        seen["unknown_tool"] = error.code
    return seen


async def main(mode: str, command: list[str]) -> None:
    """Connect as `mode` says, talk, hang up."""
    is_http = command[0].startswith("http:")
    if is_http:
        headers = {"Authorization": f"Bearer {command[1]}"}
        server: Any = streamable_http_client(command[0], http_client=httpx2.AsyncClient(headers=headers, timeout=60))
    else:
        server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    async with Client(server, mode=mode) as client:
        seen = await talk(client, names_sessions=is_http)
        began = anyio.current_time()
    seen["hung_up_s"] = anyio.current_time() - began
    print(json.dumps(seen))


asyncio.run(main(sys.argv[1], sys.argv[2:]))
