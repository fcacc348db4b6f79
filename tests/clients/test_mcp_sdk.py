"""The official Python client of MCP, unmodified, against `glovebox mcp` and /mcp (make check-clients)."""

import json
import os
import subprocess
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.case import Case
from support.mcp import MODERN
from support.run import GLOVEBOX, ROOT, places
from support.serve import Server, add_key
from support.times import DEADLINE, is_slow

CLIENTS = Path(os.environ.get("GLOVEBOX_CLIENTS", ROOT / "build/clients"))
TOOLS = ["execute_python", "reset_session", "list_files", "read_file", "write_file"]


class ClientCase(Case):
    """What it sees is the same over both transports."""

    @classmethod
    def setUpClass(cls) -> None:
        """Skip where it is not installed."""
        if not (CLIENTS / "bin/python").exists():
            raise unittest.SkipTest("cannot: the clients are missing (make check-clients)")
        super().setUpClass()

    def drive(self, mode: str, version: str, *command: object, env: dict[str, str]) -> dict[str, Any]:
        """Let it use everything once, compare what it saw, and return what is the transport's own."""
        client = [CLIENTS / "bin/python", Path(__file__).with_name("mcp_client.py"), mode]
        result = subprocess.run([*client, *command], env=env, capture_output=True, timeout=DEADLINE, check=False)
        self.assertEqual((result.returncode, result.stderr.decode()[-2000:]), (0, ""))
        seen = json.loads(result.stdout)
        own = {key: seen.pop(key) for key in ("hung_up_s", "named") if key in seen}
        expected = {
            "version": version,
            "server": None if mode == MODERN else "glovebox",
            "tools": TOOLS,
            "state": "42",
            "error": [True, "ZeroDivisionError: division by zero"],
            "read": "given",
            "links": ["glovebox:///main/new.csv"],
            "resource": "1,2",
            "files": ["a", "new.csv", "a/b.txt"],
            "strange": "\U0001f600 \0 \u2028\n\ufffd\n",
            "progress": True,
            "after_cancel": "1",
            "many": [str(i) for i in range(12)],
            "large": [True, 16666],
            "ended": True,
            "unknown_tool": -32602,
        }
        self.assertEqual(seen, expected)
        return own


class NewestWays:
    """Each way in which the newest one connects, over either transport."""

    talks: Callable[[str, str], None]

    def test_newest_way(self) -> None:
        self.talks("auto", MODERN)

    def test_version_without_a_question(self) -> None:
        self.talks(MODERN, MODERN)

    def test_handshake(self) -> None:
        self.talks("legacy", "2025-11-25")


class PythonClient(NewestWays, ClientCase):
    """It starts the program itself."""

    def talks(self, mode: str, version: str) -> None:
        """Let it talk, and see that nothing of the program stays."""
        runtime = self.folder / "run"
        runtime.mkdir(mode=0o700)
        env = {"PATH": os.environ["PATH"]} | places()
        env |= {"XDG_RUNTIME_DIR": str(runtime), "TMPDIR": str(self.folder)}
        own = self.drive(mode, version, GLOVEBOX, "mcp", "--image", "host", env=env)
        self.assertEqual(list(self.folder.glob("glovebox-*")), [])
        if not is_slow():  # beyond that it kills
            self.assertLess(own["hung_up_s"], 6)


class PythonClientOverHttp(NewestWays, ClientCase):
    """It asks a server, with a key."""

    def talks(self, mode: str, version: str) -> None:
        """Let it talk."""
        token = add_key(self.folder / "keys", "client")
        server = Server("--keys", str(self.folder / "keys"))
        self.addCleanup(server.discard)
        server.wait_ready()
        own = self.drive(mode, version, f"http://127.0.0.1:{server.port}/mcp", token, env={"PATH": os.environ["PATH"]})
        self.assertTrue(own["named"])
