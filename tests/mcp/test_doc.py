"""docs/mcp.md and README.md: what a client is told to start works, and the flags are those there are."""

import json
import re
import subprocess
from typing import Any

from support.mcp import McpCase
from support.run import GLOVEBOX, ROOT, execute

DOC = (ROOT / "docs/mcp.md").read_text()


class Document(McpCase):
    """What is printed there."""

    def started(self, settings: dict[str, Any]) -> list[str]:
        """Return the command of a client's settings, with the program that is tested."""
        (server,) = settings["mcpServers"].values()
        self.assertEqual(server.keys(), {"command", "args"})
        self.assertEqual(server["command"], "glovebox")
        return [GLOVEBOX, *server["args"]]

    def test_settings_of_a_client(self) -> None:
        block, _ = re.findall(r"```json\n(.*?)```", DOC, re.DOTALL)
        (short,) = re.findall(r"`(\{\"mcpServers\".*?\})` ", (ROOT / "README.md").read_text())
        command = self.started(json.loads(block))
        self.assertEqual(command, self.started(json.loads(short)))
        ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
        env = {"PATH": "/usr/bin:/bin", "TMPDIR": str(self.folder), "GLOVEBOX_MCP_IMAGE": "host"}
        program = self.start(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert program.stdin and program.stdout
        program.stdin.write(ping)
        program.stdin.flush()
        self.assertEqual(json.loads(program.stdout.readline())["result"], {})
        program.stdin.close()
        self.assertEqual(program.wait(100), 0)

    def test_settings_of_a_client_for_http(self) -> None:
        _, block = re.findall(r"```json\n(.*?)```", DOC, re.DOTALL)
        (server,) = json.loads(block)["mcpServers"].values()
        text = execute([GLOVEBOX, "serve", "--help"]).out
        address, port = (re.findall(rf"(?m)--{name} .*\[(.*)\]$", text)[0] for name in ("host", "port"))
        self.assertEqual(server, {"type": "http", "url": f"http://{address}:{port}/mcp"})

    def test_tools(self) -> None:
        table = DOC.split("|---|---|---|\n")[1].split("\n\n")[0]
        rows = re.findall(r"^\| (\w+) \| ([\w, ]+) \|", table, re.MULTILINE)
        tools = {tool["name"]: tool["inputSchema"]["properties"] for tool in self.mcp.ask("tools/list")["tools"]}
        self.assertEqual({name: set(words.split(", ")) for name, words in rows},
                         {name: set(properties) for name, properties in tools.items()})  # fmt: skip

    def test_flags(self) -> None:
        said = execute([GLOVEBOX, "mcp", "--help"]).out
        rows = dict(re.findall(r"^\| --([\w-]+) \| (\S+) \|", DOC, re.MULTILINE))
        self.assertEqual(len(rows), 6)
        for name, default in rows.items():
            self.assertRegex(said, rf"--{name} [^\n]*(?:\n +[^-\n][^\n]*)*\[{default}\]")
        for name in re.findall(r"`--([\w-]+)`", DOC):
            self.assertIn(f"--{name}", said)
