"""The official clients of MCP, unmodified, against `glovebox mcp` and /mcp (make check-clients)."""

import json
import os
import shutil
import subprocess
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from support.case import Case
from support.mcp import MODERN
from support.run import GLOVEBOX, ROOT, places
from support.serve import Server, add_key
from support.times import DEADLINE, is_slow

CLIENTS = Path(os.environ.get("GLOVEBOX_CLIENTS", ROOT / "build/clients"))
HERE = Path(__file__).parent
TOOLS = ["execute_python", "reset_session", "list_files", "read_file", "write_file"]
PYTHON = (CLIENTS / "bin/python", HERE / "mcp_client.py")
OLD_PYTHON = (CLIENTS / "older/bin/python", HERE / "mcp_old_client.py")
MODULES = CLIENTS / "node/node_modules/@modelcontextprotocol"
TYPESCRIPT = (shutil.which("node") or "node", HERE / "mcp_client.mjs", MODULES / "client")
OLD_TYPESCRIPT = (*TYPESCRIPT[:2], MODULES / "sdk")


class ClientCase(Case):
    """A client sees the same over both transports, and as any other does."""

    client: ClassVar[tuple[str | Path, ...]]

    @classmethod
    def setUpClass(cls) -> None:
        """Skip where it is not installed."""
        if not all(Path(part).exists() for part in cls.client):
            raise unittest.SkipTest("cannot: the client is missing (make check-clients, with node for TypeScript)")
        super().setUpClass()

    def drive(self, mode: str, version: str, *command: object, env: dict[str, str]) -> dict[str, Any]:
        """Let it use everything once, compare what it saw, and return what is the transport's own."""
        result = subprocess.run([*self.client, mode, *command], env=env, capture_output=True, timeout=DEADLINE, check=False)
        self.assertEqual((result.returncode, result.stderr.decode()[-2000:]), (0, ""))
        seen = json.loads(result.stdout)
        own = {key: seen.pop(key) for key in ("hung_up_s", "named", "server") if key in seen}
        expected = {
            "version": version,
            "tools": TOOLS,
            "state": "42",
            "error": [True, "ZeroDivisionError: division by zero"],
            "read": "given",
            "links": ["glovebox:///main/new.csv"],
            "resource": "1,2",
            "files": ["a", "new.csv", "a/b.txt"],
            "strange": "\U0001f600  \u2028\n\ufffd\n",
            "progress": True,
            "after_cancel": "1",
            "many": [str(i) for i in range(12)],
            "large": [True, 16666],
            "ended": True,
            "unknown_tool": -32602,
        }
        self.assertEqual(seen, expected)
        self.assertEqual(own["server"], self.server_name(mode))
        return own

    def server_name(self, mode: str) -> str | None:
        """Return what it knows of the server: not all ask."""
        return None if mode == MODERN else "glovebox"


class OverStdio(ClientCase):
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


class OverHttp(ClientCase):
    """It asks a server, with a key."""

    def talks(self, mode: str, version: str) -> None:
        """Let it talk."""
        token = add_key(self.folder / "keys", "client")
        server = Server("--keys", str(self.folder / "keys"))
        self.addCleanup(server.discard)
        server.wait_ready()
        own = self.drive(mode, version, f"http://127.0.0.1:{server.port}/mcp", token, env={"PATH": os.environ["PATH"]})
        # One with an Mcp-Session-Id has state without a name; the server names the sessions of others.
        self.assertEqual(own["named"], mode != "legacy")


class Handshake:
    """The one way in which clients connected before 2026-07-28."""

    talks: Callable[[str, str], None]
    version = "2025-11-25"

    def test_handshake(self) -> None:
        self.talks("legacy", self.version)


class NewestWays(Handshake):
    """Each way in which a newer one connects."""

    def test_newest_way(self) -> None:
        self.talks("auto", MODERN)


class PinnedWay:
    """Another: it asks nothing, because it knows the version."""

    talks: Callable[[str, str], None]

    def test_version_without_a_question(self) -> None:
        self.talks(MODERN, MODERN)


class PythonClient(NewestWays, PinnedWay, OverStdio):
    """Python, its newest."""

    client = PYTHON


class PythonClientOverHttp(NewestWays, PinnedWay, OverHttp):
    """The same."""

    client = PYTHON


class OldPythonClient(Handshake, OverStdio):
    """Python, as many have it still."""

    client = OLD_PYTHON
    version = "2025-06-18"


class OldPythonClientOverHttp(Handshake, OverHttp):
    """The same."""

    client = OLD_PYTHON
    version = "2025-06-18"


class TypeScriptClient(NewestWays, OverStdio):
    """TypeScript, its newest."""

    client = TYPESCRIPT


class TypeScriptClientOverHttp(NewestWays, OverHttp):
    """The same."""

    client = TYPESCRIPT


class OldTypeScriptClient(Handshake, OverStdio):
    """TypeScript, the package of most programs."""

    client = OLD_TYPESCRIPT


class OldTypeScriptClientOverHttp(Handshake, OverHttp):
    """The same."""

    client = OLD_TYPESCRIPT
