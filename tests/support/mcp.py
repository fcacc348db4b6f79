"""mcp - `glovebox mcp` of a test's own, and a client that may be a hostile one.

It speaks in lines of JSON, and keeps every line that comes back. What belongs to a process is found by
its temporary directory; nothing of it may stay.
"""

import json
import os
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any, ClassVar

from support.case import Case
from support.processes import is_alive, pids
from support.run import GLOVEBOX, places
from support.times import DEADLINE, wait_until

HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"
ENVELOPE = {META + "protocolVersion": MODERN, META + "clientCapabilities": {}}


class Mcp:
    """One process of `glovebox mcp`, with all that belongs to it."""

    def __init__(
        self, *flags: str, runtime: Path | None = None, variables: dict[str, str] | None = None, **options: Any
    ) -> None:
        """Start it; `runtime` is where a warm supervisor of the user may be."""
        self.folder = Path(tempfile.mkdtemp(prefix="mcp-"))
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        place = runtime or self.folder / "run"
        place.mkdir(mode=0o700, exist_ok=True)
        env = {"PATH": os.environ["PATH"]} | places()
        env |= {"XDG_RUNTIME_DIR": str(place), "TMPDIR": str(self.temporary)} | (variables or {})
        options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        command = [GLOVEBOX, "mcp", "--image", "host", *flags]
        self.process = subprocess.Popen(command, env=env, **options)
        self.lines: queue.Queue[bytes] = queue.Queue()
        self.said = b""
        self.version = ""
        self._number = 0
        self._kept: list[Any] = []
        self._readers = [threading.Thread(target=work, daemon=True) for work in (self._read, self._listen)]
        for reader in self._readers:
            reader.start()

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self.lines.put(line)
        self.lines.put(b"")

    def _listen(self) -> None:
        for line in self.process.stderr or ():
            self.said += line

    # -- saying

    def write(self, text: bytes) -> None:
        """Send bytes as they are."""
        assert self.process.stdin
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def send(self, message: Any) -> None:
        """Send one message."""
        self.write(json.dumps(message).encode() + b"\n")

    def request(self, method: str, **params: Any) -> int:
        """Send a request, and return its id."""
        self._number += 1
        self.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": self._filled(params)})
        return self._number

    def _filled(self, params: dict[str, Any]) -> dict[str, Any]:
        if self.version != MODERN:
            return params
        return params | {"_meta": ENVELOPE | params.get("_meta", {})}

    def call(self, tool: str, meta: dict[str, Any] | None = None, /, **given: Any) -> int:
        """Send a call of a tool, and return its id."""
        more = {"_meta": meta} if meta else {}
        return self.request("tools/call", name=tool, arguments=given, **more)

    def cancel(self, number: int | str) -> None:
        """Send that nobody waits for a request any more."""
        params = {"requestId": number, "reason": "a test"}
        self.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})

    # -- hearing

    def message(self) -> Any:
        """Return the next message."""
        line = self.lines.get(timeout=DEADLINE)
        if not line:
            raise AssertionError(f"it has ended: {self.said!r}")
        line.decode("ascii")
        message = json.loads(line)
        parts = message if isinstance(message, list) else [message]
        assert parts and all(part["jsonrpc"] == "2.0" for part in parts), message
        return message

    def answer(self, number: int | str | None) -> dict[str, Any]:
        """Return the answer to a request; others are kept until they are asked for."""
        for kept in self._kept:
            if kept.get("id", "") == number:
                self._kept.remove(kept)
                return kept
        while (message := self.message()).get("id", "") != number:
            self._kept.append(message)
        return message

    def notes(self) -> list[dict[str, Any]]:
        """Return the notifications that came while answers were waited for."""
        return [kept for kept in self._kept if "method" in kept]

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Make a request that must succeed, and return its result."""
        answer = self.answer(self.request(method, **params))
        assert "result" in answer, answer
        return answer["result"]

    def fails(self, method: str, **params: Any) -> dict[str, Any]:
        """Make a request that must fail, and return its error."""
        answer = self.answer(self.request(method, **params))
        assert "error" in answer and "result" not in answer, answer
        return answer["error"]

    def use(self, tool: str, **given: Any) -> dict[str, Any]:
        """Call a tool, and return its result."""
        return self.answer(self.call(tool, **given))["result"]

    def run(self, code: str, **given: Any) -> dict[str, Any]:
        """Run code, and return what came of it as one object."""
        result = self.use("execute_python", code=code, **given)
        assert "structuredContent" in result, result
        return result["structuredContent"]

    def begin(self, version: str = "2025-11-25") -> "Mcp":
        """Choose a version, by the handshake if it has one."""
        self.version = version
        if version != MODERN:
            client = {"name": "test", "version": "1"}
            self.ask("initialize", protocolVersion=version, capabilities={}, clientInfo=client)
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    # -- what belongs to it

    def family(self) -> list[int]:
        """Return the processes that were started with its directories, itself among them."""
        wanted = f"TMPDIR={self.temporary}".encode()

        def is_ours(pid: int) -> bool:
            try:
                return wanted in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            except OSError:
                return False

        return [pid for pid in pids() if is_ours(pid) and is_alive(pid)]

    def supervisor(self) -> int:
        """Return the supervisor that it has started."""
        (place,) = self.temporary.glob("glovebox-agent-*")
        env = {"PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": str(place)}
        command = [GLOVEBOX, "warm", "status", "--json"]
        return json.loads(subprocess.run(command, env=env, capture_output=True, check=True).stdout)["pid"]

    def hang_up(self) -> int:
        """Close its standard input, as clients do at the end; return its exit status."""
        assert self.process.stdin
        self.process.stdin.close()
        return self.process.wait(DEADLINE)

    def discard(self) -> None:
        """End it if it runs, assert that nothing stays, and remove its folder."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(DEADLINE)
        finally:
            self.process.kill()
            self.process.wait()
        for reader in self._readers:
            reader.join(10)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                stream.close()
        gone = wait_until(lambda: not self.family())
        left = list(self.temporary.glob("glovebox-*"))
        shutil.rmtree(self.folder, ignore_errors=True)
        if not gone or left:
            raise AssertionError(f"stays: {self.family()} {left}, said {self.said!r}")


class McpCase(Case):
    """Tests that share one process, `self.mcp`."""

    flags: ClassVar[tuple[str, ...]] = ()
    version: ClassVar[str] = "2025-11-25"
    mcp: ClassVar[Mcp]

    @classmethod
    def setUpClass(cls) -> None:
        """Start it."""
        super().setUpClass()
        cls.mcp = Mcp(*cls.flags)
        cls.addClassCleanup(cls.mcp.discard)
        cls.mcp.begin(cls.version)

    def start_mcp(self, *flags: str, version: str = "2025-11-25", **options: Any) -> Mcp:
        """Start one more, which ends with the test."""
        mcp = Mcp(*flags, **options)
        self.addCleanup(mcp.discard)
        return mcp.begin(version) if version else mcp
