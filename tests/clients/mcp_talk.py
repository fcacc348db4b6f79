"""mcp_talk - what each Python client of MCP does with `glovebox mcp`, or /mcp, and what it sees.

It runs where the client's own library is, and knows none of its names: those differ by version.
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

SLEEP = "import time\nkept = 1\nfor _ in range(6000): time.sleep(0.01)"


@dataclass
class Result:
    """What a tool has answered."""

    structured: dict[str, Any]
    texts: list[str]
    links: list[str]
    failed: bool


class RefusedError(Exception):
    """A request was answered with an error of the protocol: its code."""


class Client(Protocol):
    """A client that is connected."""

    version: str
    server: str | None  # if it has asked

    async def tools(self) -> list[str]:
        """Return their names."""

    async def call(self, name: str, given: dict[str, Any], progress: Callable[[float], None] | None = None) -> Result:
        """Call one."""

    async def give_up(self, name: str, given: dict[str, Any]) -> None:
        """Call one, and a second later do not wait for it any more."""

    async def read(self, uri: str) -> str:
        """Return the text of a resource."""


async def talk(client: Client, *, names_sessions: bool) -> dict[str, Any]:
    """Use everything once. If sessions have names, those are the server's, and each call says one."""
    seen: dict[str, Any] = {"version": client.version, "server": client.server, "tools": await client.tools()}
    common: dict[str, str] = {}

    async def use(name: str, **given: Any) -> Result:
        return await client.call(name, common | given)

    async def begin(name: str) -> str:
        """Return what a session of our own name is called."""
        return (await client.call("execute_python", {"code": "1"})).structured["session"] if names_sessions else name

    begun = await use("execute_python", code="x = 41")
    if names_sessions:
        common["session"] = begun.structured["session"]
        seen["named"] = common["session"] in begun.texts[0]
    seen["state"] = (await use("execute_python", code="x + 1")).structured["value"]
    failed = await use("execute_python", code="1 / 0")
    seen["error"] = [failed.failed, failed.texts[0].splitlines()[-1]]
    await use("write_file", path="a/b.txt", content="given")
    seen["read"] = (await use("read_file", path="a/b.txt")).structured["content"]
    links = (await use("execute_python", code="open('new.csv', 'w').write('1,2')")).links
    seen["links"] = [link.replace(common.get("session", "main"), "main") for link in links]
    seen["resource"] = await client.read(links[0])
    seen["files"] = [e["path"] for e in (await use("list_files")).structured["entries"]]
    strange = "print('\U0001f600', chr(0), chr(0x2028), flush=True); __import__('os').write(1, b'\\xff\\n')"
    seen["strange"] = (await use("execute_python", code=strange)).structured["stdout"]
    steps: list[float] = []
    await client.call("execute_python", common | {"code": "import time; time.sleep(1.3)"}, steps.append)
    seen["progress"] = len(steps) > 0 and steps == sorted(set(steps))
    await client.give_up("execute_python", common | {"code": SLEEP})
    seen["after_cancel"] = (await use("execute_python", code="kept")).structured["value"]
    names = [await begin(f"s{i}") for i in range(3)]
    many = [use("execute_python", code=f"{i}", session=names[i % 3]) for i in range(12)]
    seen["many"] = [result.structured["value"] for result in await asyncio.gather(*many)]
    large = (await use("execute_python", code="print('\\u20ac' * 10**6)")).structured
    seen["large"] = [large["truncated"], len(large["stdout"])]
    seen["ended"] = (await use("reset_session")).structured["ended"]
    try:
        await use("nothing")
    except RefusedError as error:
        seen["unknown_tool"] = error.args[0]
    return seen


def report(seen: dict[str, Any]) -> None:
    """Say what was seen, as one object."""
    print(json.dumps(seen))
