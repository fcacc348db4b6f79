"""network - what a list of hosts costs, beside plain loopback in the same minutes.

A server on this machine's loopback is reached directly, and by the same program from a sandbox
(--allow-host), in turns: bytes a second, a new connection with one byte there and back, many
connections at once, the memory of glovebox-egress, and what the list adds to the start of a run.
"""

import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import warm
from measure import Failed

BULK = 1 << 30
CONNECTIONS = 200
AT_ONCE = 500
ROUNDS = 5
STARTS = 40

# Our targets.
BULK_SHARE = 0.8
OVER_MS = 1.0
START_MS = 3.0
MEMORY_MB = 4.0
IDLE_KB = 16.0

Found = dict[str, float]

# The same program inside and outside: HOST PORT WHAT SIZE; it prints one JSON document.
CLIENT = """
import json, resource, socket, statistics, sys, time
host, port, what, size = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
address = (socket.gethostbyname(host), port)
def connect(word):
    s = socket.create_connection(address)
    s.sendall(word)
    return s
def bulk():
    buffer, left = bytearray(1 << 18), size
    with connect(b"b") as s:
        s.sendall(size.to_bytes(8, "big"))
        start = time.monotonic()
        while left:
            n = s.recv_into(buffer)
            if not n: sys.exit("cut")
            left -= n
        return size / (time.monotonic() - start)
def once():
    start = time.monotonic()
    with connect(b"e") as s:
        s.recv(1)
    return (time.monotonic() - start) * 1000
def many():
    all_of_them = [connect(b"e") for _ in range(size)]
    got = sum(len(s.recv(1)) for s in all_of_them)
    print(json.dumps(got), flush=True)
    sys.stdin.readline()
    return 0
if what == "bulk":
    print(json.dumps(bulk()))
elif what == "once":
    once()
    print(json.dumps(statistics.median(once() for _ in range(size))))
else:
    many()
"""


class Server:
    """Answers each connection by its first byte: "b" bytes without end, "e" one byte and waits."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port = self.socket.getsockname()[1]
        self.bytes = os.memfd_create("bench")
        os.ftruncate(self.bytes, 1 << 26)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        """Accept until the socket is closed."""
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.socket.accept()
                threading.Thread(target=self.answer, args=(client,), daemon=True).start()

    def answer(self, client: socket.socket) -> None:
        """Serve one connection."""
        with client, contextlib.suppress(OSError):
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if client.recv(1) == b"e":
                client.sendall(b"e")
                client.recv(1)
                return
            left = int.from_bytes(client.recv(8), "big")
            while left:
                left -= os.sendfile(client.fileno(), self.bytes, 0, min(left, 1 << 26))


def outside(port: int) -> list[str]:
    """Return the command that measures without a sandbox."""
    return [sys.executable, "-c", CLIENT, "127.0.0.1", str(port)]


def inside(glovebox: str, port: int) -> list[str]:
    """Return the command that measures in one."""
    flags = ["--warm=never", "-i", f"--allow-host={port}", "--egress-connections=1000", "--ulimit=nofile=4096"]
    return [glovebox, "run", *flags, "host", "python3", "-c", CLIENT, "host.glovebox.internal", str(port)]


def ask(command: list[str], what: str, size: int) -> float:
    """Measure once."""
    done = subprocess.run([*command, what, str(size)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(f"network: {what}: {done.stderr.strip()[-300:]}")
    return float(json.loads(done.stdout))


@contextlib.contextmanager
def running(command: list[str], size: int) -> Iterator[int]:
    """Have so many connections open; yield the pid of glovebox-egress."""
    with subprocess.Popen([*command, "many", str(size)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin and process.stdout
        got = process.stdout.readline()
        if got.strip() != str(size):
            raise Failed(f"network: {got.strip() or 'none'} of {size} connections at once")
        try:
            yield egress_of(process.pid)
        finally:
            process.stdin.close()


def egress_of(parent: int) -> int:
    """Return the child that serves the network."""
    for child in Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="utf-8").split():
        with contextlib.suppress(OSError):
            if Path(f"/proc/{child}/comm").read_text(encoding="utf-8").strip() == "glovebox-egress":
                return int(child)
    raise Failed("network: there is no glovebox-egress")


def resident_kb(pid: int) -> float:
    """Return what a process has in memory."""
    text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return float(next(line.split()[1] for line in text.splitlines() if line.startswith("VmRSS")))


def memory(command: list[str]) -> Found:
    """Return what it has with one connection, and what each of many adds."""
    with running(command, 1) as pid:
        least = resident_kb(pid)
    with running(command, AT_ONCE) as pid:
        most = resident_kb(pid)
    return {"memory_mb": least * 1024 / 1e6, "idle_kb": (most - least) * 1024 / 1000 / (AT_ONCE - 1)}


def start_ms(glovebox: str, flags: list[str], env: dict[str, str]) -> float:
    """Return how long one run takes that does nothing."""
    start = time.monotonic()
    subprocess.run([glovebox, "run", *flags, "host", "python3", "-c", "pass"], check=True, stdin=subprocess.DEVNULL, env=env)
    return (time.monotonic() - start) * 1000


def starts(glovebox: str, port: int, how: str, rounds: int, env: dict[str, str]) -> float:
    """Return what the list adds to a start."""
    without, with_list = [], []
    for _ in range(rounds):
        time.sleep(0.05)  # the pool is full again
        without.append(start_ms(glovebox, [f"--warm={how}"], env))
        time.sleep(0.05)
        with_list.append(start_ms(glovebox, [f"--warm={how}", f"--allow-host={port}"], env))
    return statistics.median(with_list) - statistics.median(without)


def measure(glovebox: str, quick: bool) -> Found:
    """Measure all of it."""
    server = Server()
    rounds = 1 if quick else ROUNDS
    count = STARTS // (8 if quick else 1)
    plain, ours = outside(server.port), inside(glovebox, server.port)
    found: dict[str, list[float]] = {"plain_bulk": [], "bulk": [], "plain_once": [], "once": []}
    try:
        for _ in range(rounds):
            for name, command in (("plain_", plain), ("", ours)):
                found[f"{name}bulk"].append(ask(command, "bulk", BULK))
                found[f"{name}once"].append(ask(command, "once", CONNECTIONS))
        medians = {name: statistics.median(values) for name, values in found.items()}
        cold = starts(glovebox, server.port, "never", count, dict(os.environ))
        with warm.started(glovebox, "host") as supervisor:
            from_cell = starts(glovebox, server.port, "require", count, supervisor.env)
        return medians | memory(ours) | {"start_cold_ms": cold, "start_warm_ms": from_cell}
    finally:
        server.socket.close()


def targets(found: dict[str, Any]) -> list[tuple[str, float | None, float, str, bool]]:
    """Return what is to be reached: text, value, bound, unit, whether at most."""
    if not found:
        return []
    return [
        ("bulk download through a list, of plain loopback", found["bulk"] / found["plain_bulk"], BULK_SHARE, "", False),
        ("a new connection through a list, over plain loopback", found["once"] - found["plain_once"], OVER_MS, "ms", True),
        ("what a list adds to a cold start", found["start_cold_ms"], START_MS, "ms", True),
        ("what a list adds to a warm start", found["start_warm_ms"], START_MS, "ms", True),
        ("memory of glovebox-egress", found["memory_mb"], MEMORY_MB, "MB", True),
        (f"and of each of {AT_ONCE} connections that are idle", found["idle_kb"], IDLE_KB, "kB", True),
    ]
