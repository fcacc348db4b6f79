"""serve - what HTTP adds to a warm run, on the same supervisor and in the same minutes.

One client that keeps its connection (tools/bench-http.c), beside tools/bench-warm -s, which does the same without HTTP;
many clients at once (wrk, a Debian package); the memory of the server; and a large file there and
back.
"""

import contextlib
import hashlib
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from measure import Failed

HELLO = 'print("hi")'
LARGE = 100 * 1000 * 1000
MANY = 200
MEMORY_REQUESTS = 5000
ROUNDS = 5
# The 99th percentile of 400 is the fourth slowest: it differs by a millisecond from one lot to the next. Of 1,600 it is the 16th.
LATENCY_REQUESTS, LATENCY_ROUNDS = 1600, 20
LOAD = Path(__file__).with_name("load.lua")

# Our targets.
OVER_MS = 0.5
RATE_OF_REQUESTS = 0.9
MEMORY_MB, GROWTH_MB = 12, 0.5
TRANSFER_MB_S = 200

Found = dict[str, float]
# Ask for that many requests, one every 50 ms: how long each took, in ms.
Plain = Callable[[int], list[float]]
# Ask for that many, two at a time: how many a second.
PlainRate = Callable[[int], float]


class Client:
    """One connection that is kept, and as little of a client as can be."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=120)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = bytearray(1 << 20)

    def send(self, method: str, path: str, *body: bytes, kind: str = "application/json") -> None:
        """Send one request."""
        length = sum(map(len, body))
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
        if length < 1 << 16:
            self.socket.sendall(head.encode() + b"".join(body))
            return
        for part in (head.encode(), *body):
            self.socket.sendall(part)

    def receive(self, status: int, take: Callable[[memoryview], object] | None = None) -> bytes:
        """Return the body of a reply with this status, or have it taken piece by piece."""
        view = memoryview(self.buffer)
        have = 0
        while (end := self.buffer.find(b"\r\n\r\n", 0, have)) < 0:
            have += self._more(view[have:])
        head = bytes(view[:end])
        if not head.startswith(b"HTTP/1.1 %d " % status):
            raise Failed(f"serve: {bytes(view[:have])[:300]!r}")
        (length,) = re.findall(rb"(?i)\ncontent-length: (\d+)", head)
        left = int(length) - (have - end - 4)
        body = bytes(view[end + 4 : have])
        if take:
            take(memoryview(body))
        while left > 0:
            got = self._more(view[: min(left, len(view))])
            left -= got
            if take:
                take(view[:got])
            else:
                body += view[:got]
        return body

    def _more(self, room: memoryview) -> int:
        got = self.socket.recv_into(room)
        if not got:
            raise Failed("serve: the connection has ended")
        return got

    def run(self) -> None:
        """Run the program, and see that it did."""
        self.send("POST", "/v1/execute", json.dumps({"code": HELLO, "timeout_ms": 60000}).encode())
        if b'"stdout":"hi\\n"' not in self.receive(200):
            raise Failed("serve: a program did not print what it should")


@contextlib.contextmanager
def started(glovebox: str, image: str, env: dict[str, str]) -> Iterator[tuple[int, int, Path]]:
    """A server on that supervisor: its pid, its port and its folder."""
    folder = Path(tempfile.mkdtemp(prefix="glovebox-bench-", dir=os.environ.get("TMPDIR")))
    command = [glovebox, "serve", "--image", image, "--listen", "127.0.0.1:0", "--files", str(folder / "files")]
    command += ["--access-log", "off"] + ([] if os.geteuid() else ["--as", "root"])  # on root's own supervisor
    process = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr
        said = next((line for line in process.stderr if "serving on" in line), "")
        if not said:
            raise Failed(f"glovebox serve ended with {process.wait()}")
        yield process.pid, int(said.strip().rpartition(":")[2]), folder
    finally:
        process.terminate()
        process.communicate()
        shutil.rmtree(folder, ignore_errors=True)


# -- what is measured ----------------------------------------------------------------------


def spread(values: list[float]) -> Found:
    """The median and the 99th percentile."""
    ordered = sorted(values)
    return {"median": statistics.median(ordered), "p99": ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]}


def http_ms(client: Path, port: int, count: int) -> list[float]:
    """Ask for that many, one every 50 ms: how long each took."""
    body = json.dumps({"code": HELLO, "timeout_ms": 60000})
    command = [str(client), "-n", str(count + 1), "-p", "50", str(port), body, json.dumps({"stdout": "hi\n"})[1:-1].replace(" ", "")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(f"serve: {done.stderr[-300:]}")
    return [int(line) / 1e3 for line in done.stdout.split()][1:]  # the first has a new connection


def measure_latency(client: Path, port: int, plain: Plain, count: int, rounds: int) -> dict[str, Found]:
    """One client, 50 ms after its last request; in turns with the same without HTTP."""
    times: dict[str, list[float]] = {"http": [], "plain": []}
    http_ms(client, port, 1)
    for _ in range(rounds):
        times["http"] += http_ms(client, port, count // rounds)
        times["plain"] += plain(count // rounds)
    return {name: spread(values) for name, values in times.items()}


def load(port: int, clients: int, seconds: int) -> Found:
    """Many clients, each of which asks again as soon as it has its answer; see load.lua."""
    command = ["wrk", "-t1", f"-c{clients}", f"-d{seconds}s", "--timeout", "60s", "-s", str(LOAD)]
    done = subprocess.run([*command, f"http://127.0.0.1:{port}/v1/execute"], capture_output=True, text=True, check=False)
    try:
        *_, last = done.stdout.splitlines()
        requests, ran, refused, failed, us, median, p99 = map(int, last.split())
    except ValueError as error:
        raise Failed(f"wrk: {done.stdout[-300:]} {done.stderr[-300:]}") from error
    wrong = failed + requests - ran - refused
    return {"ran": ran, "refused": refused, "wrong": wrong, "rate": ran / us * 1e6, "median": median / 1e3, "p99": p99 / 1e3}


def measure_rates(port: int, plain: PlainRate, count: int, seconds: int) -> Found:
    """Two at a time, in turns with the same without HTTP: the medians of the rounds."""
    rates: dict[str, list[float]] = {"http": [], "plain": []}
    for _ in range(ROUNDS):
        rates["http"].append(load(port, 2, seconds)["rate"])
        rates["plain"].append(plain(count))
    return {name: statistics.median(values) for name, values in rates.items()}


def _memory_mb(pid: int, name: str) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.partition(f"{name}:")[2].split()[0]) * 1024 / 1e6


def measure_memory(pid: int, port: int, count: int) -> Found:
    """After a tenth of the requests, and after all of them."""
    client = Client(port)
    for _ in range(count // 10):
        client.run()
    before = _memory_mb(pid, "VmRSS")
    for _ in range(count - count // 10):
        client.run()
    return {"requests": count, "resident": _memory_mb(pid, "VmRSS"), "growth": _memory_mb(pid, "VmRSS") - before}


def _disk_mb_s(folder: Path, content: bytes) -> Found:
    """How fast the disk takes these bytes for good, and a program gets them back."""
    path = folder / "disk"
    began = time.monotonic()
    with path.open("wb", 0) as file:
        file.write(content)
        os.fsync(file.fileno())
    wrote = time.monotonic()
    path.read_bytes()
    read = time.monotonic()
    path.unlink()
    return {"up": LARGE / 1e6 / (wrote - began), "down": LARGE / 1e6 / (read - wrote)}


def _transfer_mb_s(port: int, content: bytes) -> Found:
    """An upload, and the same bytes back."""
    client = Client(port)
    head = b'--part\r\nContent-Disposition: form-data; name="file"; filename="large"\r\n\r\n'
    began = time.monotonic()
    client.send("POST", "/v1/files", head, content, b"\r\n--part--\r\n", kind="multipart/form-data; boundary=part")
    file_id = json.loads(client.receive(201))["file_id"]
    there = time.monotonic()
    received = hashlib.blake2b()
    pieces: list[int] = []
    client.send("GET", f"/v1/files/{file_id}")
    client.receive(200, lambda piece: pieces.append(len(piece)))
    back = time.monotonic()
    client.send("GET", f"/v1/files/{file_id}")  # once more, to compare it: that takes longer than to get it
    client.receive(200, received.update)
    client.send("DELETE", f"/v1/files/{file_id}")
    client.socket.recv(4096)
    if sum(pieces) != LARGE or received.digest() != hashlib.blake2b(content).digest():
        raise Failed("serve: a large file came back as another one")
    return {"up": LARGE / 1e6 / (there - began), "down": LARGE / 1e6 / (back - there)}


def measure_transfer(pid: int, port: int, folder: Path) -> dict[str, Found]:
    """A large file there and back, in turns with the disk alone; medians, and the memory that it took."""
    content = os.urandom(LARGE)
    found: dict[str, list[Found]] = {"http": [], "disk": []}
    for _ in range(ROUNDS):
        found["disk"].append(_disk_mb_s(folder, content))
        found["http"].append(_transfer_mb_s(port, content))
    medians = {name: {way: statistics.median(one[way] for one in all_) for way in ("up", "down")} for name, all_ in found.items()}
    return medians | {"memory": {"peak": _memory_mb(pid, "VmHWM")}}


def measure(glovebox: str, image: str, env: dict[str, str], plain: Plain, plain_rate: PlainRate, quick: bool) -> dict:
    """What > figures; without wrk, what needs it is left out."""
    with started(glovebox, image, env) as (pid, port, folder):
        client = Path(glovebox).parents[1] / "tools/bench-http"
        count, rounds = (10, 5) if quick else (LATENCY_REQUESTS, LATENCY_ROUNDS)
        found: dict = {"latency": measure_latency(client, port, plain, count, rounds)}
        if shutil.which("wrk"):
            found["rates"] = measure_rates(port, plain_rate, 24 if quick else 400, 1 if quick else 3)
            found["many"] = load(port, MANY, 2 if quick else 60)
        else:
            print("bench: serve under load is left out: no wrk (apt-get install wrk)", file=sys.stderr)
        found["memory"] = measure_memory(pid, port, 50 if quick else MEMORY_REQUESTS)
        found["memory"]["peak"] = _memory_mb(pid, "VmHWM")
        found["transfer"] = measure_transfer(pid, port, folder)
    return found


# -- what is reported ----------------------------------------------------------------------


def targets(image: str, found: dict) -> Iterator[tuple[str, float, float, str, bool]]:
    """As warm.targets()."""
    http, plain = found["latency"]["http"], found["latency"]["plain"]
    for name in ("median", "p99"):
        yield f"serve, over the same without HTTP, {name}, {image}", http[name] - plain[name], OVER_MS, "ms", True
    if "rates" in found:
        limit = RATE_OF_REQUESTS * found["rates"]["plain"]
        yield f"serve, runs per second, 2 at a time, {image}", found["rates"]["http"], limit, "", False
        yield f"serve, {MANY} clients, what was no answer and no 429, {image}", found["many"]["wrong"], 0, "", True
    memory, transfer = found["memory"], found["transfer"]
    yield f"serve, peak memory under load, {image}", memory["peak"], MEMORY_MB, "MB", True
    yield f"serve, growth over {memory['requests']} requests, {image}", memory["growth"], GROWTH_MB, "MB", True
    yield f"serve, peak memory with large files, {image}", transfer["memory"]["peak"], MEMORY_MB, "MB", True
    for way, text in (("up", "upload"), ("down", "download")):
        limit = min(TRANSFER_MB_S, transfer["disk"][way])
        yield f"serve, {text} of {LARGE // 1000000} MB, {image}", transfer["http"][way], limit, "MB/s", False


def table(found: dict) -> list[str]:
    """Lines of Markdown."""
    lines = ["| `glovebox serve`, one client, ms | median | p99 |", "|---" * 3 + "|"]
    for name, title in (("plain", "without HTTP"), ("http", "HTTP")):
        cell = found["latency"][name]
        lines.append(f"| {title} | {cell['median']:.2f} | {cell['p99']:.2f} |")
    lines.append("")
    if "rates" in found:
        rates, many = found["rates"], found["many"]
        lines.append(f"- 2 at a time: {rates['http']:.0f} a second, without HTTP {rates['plain']:.0f}")
        lines.append(
            f"- {MANY} clients: {many['ran']} runs, {many['rate']:.0f} a second, {many['refused']} refused with 429, "
            f"{many['wrong']} wrong; median {many['median']:.0f} ms, p99 {many['p99']:.0f}"
        )
    memory, transfer = found["memory"], found["transfer"]
    ways = ", ".join(f"{way} {transfer['http'][way]:.0f} (the disk {transfer['disk'][way]:.0f})" for way in ("up", "down"))
    return lines + [
        f"- memory in MB: {memory['resident']:.1f} after {memory['requests']} requests, {memory['growth']:+.2f} since the first "
        f"tenth; {memory['peak']:.1f} at most, with large files {transfer['memory']['peak']:.1f}",
        f"- {LARGE // 1000000} MB, MB/s: {ways}",
    ]
