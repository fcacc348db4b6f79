"""faces - what the APIs of other services add, beside the server's own and `glovebox exec`, in the same rounds."""

import base64
import contextlib
import http.client
import json
import os
import re
import shutil
import statistics
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import columns
import kernel
import warm
from measure import Failed, run_ms

ROUNDS = 60
BYTES = 32 << 20
FACES = ("e2b", "librechat", "agent-sandbox")
CREATE_MS, CODE_MS, COMMAND_MS, SHARE = 5, 1, 3, 0.5  # our targets
JSON = {"Content-Type": "application/json"}
STREAM = {"Content-Type": "application/connect+json"}


class Client:
    """A connection that is kept, to one address of a server."""

    def __init__(self, url: str) -> None:
        self.connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)

    def ask(self, method: str, path: str, body: bytes | dict[str, Any] | None = None, **headers: str) -> bytes:
        """The body of a reply, which must be good."""
        sent = json.dumps(body).encode() if isinstance(body, dict) else body
        self.connection.request(method, path, sent, {**JSON, **headers})
        reply = self.connection.getresponse()
        found = reply.read()
        if reply.status >= 300:
            raise Failed(f"{method} {path}: {reply.status} {found[:300]!r}")
        return found


@contextlib.contextmanager
def started(found: warm.Warm) -> Iterator[list[Client]]:
    """A server on that supervisor: its own address, and those of FACES."""
    folder = tempfile.mkdtemp(prefix="glovebox-bench-")
    command = [found.glovebox, "serve", "--image", found.image, "--listen", "127.0.0.1:0", "--files", f"{folder}/files"]
    command += [word for face in FACES for word in ("--face", f"{face}=127.0.0.1:0")]
    command += ["--access-log", "off"] + ([] if os.geteuid() else ["--as", "root"])
    process = subprocess.Popen(command, env=found.env, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr
        urls: dict[str, str] = {}
        while len(urls) <= len(FACES):
            line = process.stderr.readline()
            if not line:
                raise Failed(f"glovebox serve ended with {process.wait()}")
            urls |= dict(re.findall(r"serving (?:([\w-]+) )?on (\S+)", line))
        yield [Client(urls[face]) for face in ("", *FACES)]
    finally:
        process.terminate()
        process.communicate()
        shutil.rmtree(folder, ignore_errors=True)


def _ms(work: Callable[[], object]) -> float:
    began = time.monotonic()
    work()
    return (time.monotonic() - began) * 1e3


def _over(ours: Callable[[], object], floor: Callable[[], object], count: int) -> float:
    """Milliseconds over something in the same round."""
    ours(), floor()
    return statistics.median(_ms(ours) - _ms(floor) for _ in range(count))


def _envelope(message: dict[str, Any]) -> bytes:
    text = json.dumps(message).encode()
    return struct.pack(">BI", 0, len(text)) + text


def _form(content: bytes) -> tuple[bytes, dict[str, str]]:
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'
    return head + content + b"\r\n--x--\r\n", {"Content-Type": "multipart/form-data; boundary=x"}


def _loopback_mb_s(size: int) -> float:
    """Bytes a second through the disk and a socket of this machine: cat | nc without either."""
    with tempfile.TemporaryDirectory() as folder:
        seconds = min(
            _ms(lambda: subprocess.run(["sh", "-c", f"head -c {size} /dev/zero | cat > {folder}/f; cat {folder}/f | cat > /dev/null"], check=True))
            for _ in range(3)
        )
    return 2 * size / 1e3 / seconds


def _others(own: Client, librechat: Client, agents: Client, execute: Callable[[], object], count: int) -> dict[str, float]:
    """The same of LibreChat's executions and of agent-sandbox's commands."""
    code = "open('made', 'w').write('x')"

    def run() -> None:
        own.ask("POST", "/v1/execute", {"code": code})

    def exec_() -> None:
        librechat.ask("POST", "/v1/exec", {"lang": "py", "code": code})

    def rounds() -> None:
        body: dict[str, Any] = {"code": "print(await look())", "tools": [{"name": "look"}]}
        said = json.loads(librechat.ask("POST", "/v1/exec/programmatic", body))
        results = [{"call_id": call["id"], "result": 1} for call in said["tool_calls"]]
        librechat.ask("POST", "/v1/exec/programmatic", {"continuation_token": said["continuation_token"], "tool_results": results})

    def command() -> None:
        agents.ask("POST", "/execute", {"command": "/bin/true"})

    return {"exec": _over(exec_, run, count), "rounds": _over(rounds, exec_, count), "line": _over(command, execute, count)}


def measure(place: columns.Place, quick: bool) -> dict[str, float]:
    """Milliseconds over the server's own routes, and bytes a second."""
    count = 5 if quick else ROUNDS
    size = BYTES // (16 if quick else 1)
    with warm.started(place.glovebox, place.image) as supervisor, started(supervisor) as (own, e2b, librechat, agents):

        def create() -> None:
            made = json.loads(e2b.ask("POST", "/v2/sandboxes", {"templateID": "base"}))
            e2b.ask("DELETE", f"/sandboxes/{made['sandboxID']}")

        def begin() -> None:
            own.ask("DELETE", "/v1/sessions/" + json.loads(own.ask("POST", "/v1/sessions", {}))["session_id"])

        found = {"create": _over(create, begin, count)}
        made = json.loads(e2b.ask("POST", "/v2/sandboxes", {"templateID": "base", "timeout": 600}))
        session = json.loads(own.ask("POST", "/v1/sessions", {}))["session_id"]
        box = {"E2b-Sandbox-Id": made["sandboxID"], "X-Access-Token": made["envdAccessToken"]}
        name = "code-session-" + made["sandboxID"][1:]

        def call() -> None:
            own.ask("POST", f"/v1/sessions/{session}/python", {"code": "1+1"})

        def code() -> None:
            e2b.ask("POST", "/execute", {"code": "1+1"}, **box)

        def command() -> None:
            e2b.ask("POST", "/process.Process/Start", _envelope({"process": {"cmd": "/bin/true"}, "stdin": False}), **{**box, **STREAM})

        found["code"] = _over(code, call, count)
        found["command"] = _over(command, lambda: run_ms((supervisor.glovebox, "exec", name, "/bin/true"), supervisor.env), count)
        found |= kernel.measure(supervisor, _over, call, count)
        body, form = _form(base64.b64encode(os.urandom(1 << 20)) * (size >> 20 or 1))
        up = min(_ms(lambda: e2b.ask("POST", "/files?path=f", body, **{**box, **form})) for _ in range(3))
        down = min(_ms(lambda: e2b.ask("GET", "/files?path=f", **box)) for _ in range(3))
        floor = _loopback_mb_s(len(body))
        found |= _others(own, librechat, agents, lambda: run_ms((supervisor.glovebox, "exec", name, "/bin/true"), supervisor.env), count)
        return {**found, "up": len(body) / 1e3 / up / floor, "down": len(body) / 1e3 / down / floor}


def table(found: dict[str, float]) -> list[str]:
    """One line for each figure."""
    rows = [
        ("E2B: create and kill, over a session's beginning and end", f"{found['create']:.2f} ms"),
        ("E2B: run_code of `1+1`, over a session's call", f"{found['code']:.2f} ms"),
        ("E2B: a command, over `glovebox exec` of it", f"{found['command']:.2f} ms"),
        ("E2B: a file there, of what a disk and pipes carry", f"{found['up']:.2f}"),
        ("E2B: and back", f"{found['down']:.2f}"),
        ("LibreChat: an execution that leaves a file, over the server's own", f"{found['exec']:.2f} ms"),
        ("LibreChat: a program with one call of a tool, over an execution", f"{found['rounds']:.2f} ms"),
        ("agent-sandbox: a command, over `glovebox exec` of it", f"{found['line']:.2f} ms"),
        ("Jupyter: from the start of a kernel to its first reply, of three the least", f"{found['kernel_ready']:.0f} ms"),
        ("Jupyter: a cell with `1+1`, over a session's call", f"{found['kernel_cell']:.2f} ms"),
        ("Jupyter: memory of the kernel, beside its session", f"{found['kernel_memory']:.1f} MB"),
    ]
    return ["## Clients of other services", "", "| | |", "|---|---|", *(f"| {title} | {value} |" for title, value in rows), ""]


def targets(found: dict[str, float]) -> list[tuple[str, float | None, float, str, bool]]:
    """Return what is to be reached: text, value, bound, unit, whether at most."""
    return [
        ("E2B: create over a session's beginning", found["create"], CREATE_MS, "ms", True),
        ("E2B: run_code of `1+1` over a session's call", found["code"], CODE_MS, "ms", True),
        ("E2B: a command over `exec`", found["command"], COMMAND_MS, "ms", True),
        ("E2B: a file there, of what a disk and pipes carry", found["up"], SHARE, "", False),
        ("E2B: and back", found["down"], SHARE, "", False),
        ("LibreChat: an execution over the server's own", found["exec"], CODE_MS, "ms", True),
        ("agent-sandbox: a command over `exec`", found["line"], COMMAND_MS, "ms", True),
        ("Jupyter: a kernel is there", found["kernel_ready"], kernel.READY_MS, "ms", True),
        ("Jupyter: a cell over a session's call", found["kernel_cell"], kernel.CELL_MS, "ms", True),
        ("Jupyter: memory of a kernel", found["kernel_memory"], kernel.MEMORY_MB, "MB", True),
    ]
