"""engine - the cost of the Engine's socket: calls as a client makes them, beside the commands that they stand for.

What docker-py's containers.run() asks is asked of the Engine of Docker as well, where a daemon answers.
"""

import contextlib
import dataclasses
import json
import os
import re
import socket
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import columns
from measure import Failed, run_ms

LISTED = 100
CALLS = 10000
LOG_BYTES = 30 << 20
# Our targets.
EXEC_MS, RUN_SHARE, LIST_MS, LOG_MB, MEMORY_MB = 3, 0.6, 15, 300, 10


@dataclasses.dataclass
class Client:
    """A socket, and the image of what runs there."""

    path: str
    image: str
    note: str

    def call(self, method: str, path: str, body: object = None) -> Any:
        """One request; its body as JSON, or as bytes where it is none."""
        sent = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: engine\r\nContent-Type: application/json\r\nContent-Length: {len(sent)}\r\nConnection: close\r\n\r\n"
        with socket.socket(socket.AF_UNIX) as stream:
            stream.connect(self.path)
            stream.sendall(head.encode() + sent)
            answer = b"".join(iter(lambda: stream.recv(1 << 20), b""))
        status, _, text = answer.partition(b"\r\n\r\n")
        if int(status.split()[1]) >= 400:
            raise Failed(f"{method} {path}: {text.decode(errors='replace')}")
        with contextlib.suppress(ValueError):
            return json.loads(text)
        return text

    def create(self, *command: str, **more: object) -> str:
        """Make a container."""
        return str(self.call("POST", "/containers/create", {"Image": self.image, "Cmd": command, **more})["Id"])

    def start(self, *command: str, **more: object) -> str:
        """Make one and start it."""
        name = self.create(*command, **more)
        self.call("POST", f"/containers/{name}/start")
        return name

    def remove(self, *names: str) -> None:
        """Kill and forget some."""
        for name in names:
            self.call("DELETE", f"/containers/{name}?force=1")


@contextlib.contextmanager
def ours(place: columns.Place, state: str) -> Iterator[tuple[Client, subprocess.Popen[bytes], dict[str, str]]]:
    """`glovebox engine` with records of its own."""
    env = dict(os.environ, XDG_STATE_HOME=f"{state}/state")
    path = f"{state}/socket"
    with subprocess.Popen([place.glovebox, "engine", "--listen", f"unix:{path}"], env=env, stderr=subprocess.PIPE) as process:
        try:
            if process.stderr is None or not process.stderr.readline():
                raise Failed("glovebox engine does not start")
            yield Client(path, place.image, "glovebox"), process, env
        finally:
            process.terminate()


def _milliseconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def _run(client: Client) -> None:
    """As docker-py's containers.run() with remove=True."""
    name = client.create("python3", "-S", "-c", 'print("hi")')
    client.call("GET", f"/containers/{name}/json")
    client.call("POST", f"/containers/{name}/start")
    client.call("GET", f"/containers/{name}/logs?stdout=1&stderr=0&follow=1&timestamps=0&tail=all")
    client.call("GET", f"/containers/{name}/json")
    client.call("POST", f"/containers/{name}/wait")
    client.call("DELETE", f"/containers/{name}?v=False&link=False&force=False")


def _exec(client: Client, box: str) -> None:
    made = client.call("POST", f"/containers/{box}/exec", {"Cmd": ["/bin/true"], "AttachStdout": True, "AttachStderr": True})["Id"]
    client.call("POST", f"/exec/{made}/start", {"Detach": False, "Tty": False})
    if client.call("GET", f"/exec/{made}/json")["ExitCode"] != 0:
        raise Failed("exec of /bin/true")


def _resident_mb(pid: int) -> float:
    found = re.search(r"^VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(encoding="ascii"), re.M)
    return int(found[1]) * 1024 / 1e6 if found else 0


def _ours(place: columns.Place, quick: bool) -> dict[str, float]:
    found: dict[str, float] = {}
    count = 3 if quick else 40
    with tempfile.TemporaryDirectory() as state, ours(place, state) as (client, process, env):
        box = client.start("sleep", "1000")
        command = (place.glovebox, "exec", box, "/bin/true")
        pairs = [(_milliseconds(lambda: _exec(client, box)), run_ms(command, env)[0]) for _ in range(count)]
        found["exec"] = statistics.median(mine - plain for mine, plain in pairs)
        found["run"] = statistics.median(_milliseconds(lambda: _run(client)) for _ in range(count))
        names = [client.create("true") for _ in range(5 if quick else LISTED)]
        found["list"] = statistics.median(_milliseconds(lambda: client.call("GET", "/containers/json?all=1")) for _ in range(10))
        client.remove(*names)
        size = LOG_BYTES // (32 if quick else 1)
        printer = client.start("sh", "-c", f"head -c {size} /dev/zero")
        client.call("POST", f"/containers/{printer}/wait")
        taken = [_milliseconds(lambda: client.call("GET", f"/containers/{printer}/logs?stdout=1")) for _ in range(5)]
        found["logs"] = size / 1e3 / statistics.median(taken)
        client.remove(printer, box)
        for _ in range(100 if quick else CALLS):
            client.call("GET", "/_ping")
        found["memory"] = _resident_mb(process.pid)
    return found


def _peer(place: columns.Place, quick: bool) -> float:
    """The same run by the Engine of Docker. Raises columns.Missing."""
    if place.image == "host":
        raise columns.Missing("needs an image of its own")
    column = columns.docker(place)
    try:
        client = Client(os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock").removeprefix("unix://"), columns.docker_image(), "docker")
        return statistics.median(_milliseconds(lambda: _run(client)) for _ in range(3 if quick else 40))
    finally:
        column.close()


def measure(place: columns.Place, quick: bool) -> dict[str, Any]:
    """Milliseconds of calls, megabytes a second of a log, and of memory; the peer's run, or why there is none."""
    found: dict[str, Any] = _ours(place, quick)
    try:
        found["peer"] = _peer(place, quick)
    except columns.Missing as why:
        found["why"] = str(why)
    return found


def table(found: dict[str, Any]) -> list[str]:
    """One line for each figure."""
    if not found:
        return []
    rows = [
        ("`exec true` by three calls, over `glovebox exec`", f"{found['exec']:.2f} ms"),
        ("what docker-py's `containers.run` asks, of `print(\"hi\")`", f"{found['run']:.2f} ms"),
        ("the same of Docker's Engine", f"{found['peer']:.2f} ms" if "peer" in found else f"left out, {found['why']}"),
        (f"a list of {LISTED} containers", f"{found['list']:.2f} ms"),
        ("logs", f"{found['logs']:.0f} MB/s"),
        (f"its memory after {CALLS} calls", f"{found['memory']:.1f} MB"),
    ]
    return ["## The Engine's socket", "", "| | |", "|---|---|", *(f"| {title} | {value} |" for title, value in rows), ""]


def targets(found: dict[str, Any]) -> list[tuple[str, float | None, float, str, bool]]:
    """Return what is to be reached: text, value, bound, unit, whether at most."""
    if not found:
        return []
    share = found["run"] / found["peer"] if "peer" in found else None
    return [
        ("`exec` by the socket, over `glovebox exec`", found["exec"], EXEC_MS, "ms", True),
        ("`containers.run` of Docker's Engine", share, RUN_SHARE, "", True),
        (f"a list of {LISTED} containers by the socket", found["list"], LIST_MS, "ms", True),
        ("logs by the socket", found["logs"], LOG_MB, "MB/s", False),
        (f"memory of the socket's process after {CALLS} calls", found["memory"], MEMORY_MB, "MB", True),
    ]
