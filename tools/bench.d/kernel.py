"""kernel - how soon a kernel for Jupyter is there, what its protocol adds to a call, and its memory."""

import re
import sys
import tempfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path

import warm

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from support.jupyter import Client, Kernel  # noqa: E402 - found through the line above

READY_MS, CELL_MS, MEMORY_MB = 300, 2, 8  # our targets


class Bench(unittest.TestCase):
    """What ends kernels."""


def _start(bench: Bench, folder: Path, supervisor: warm.Warm) -> tuple[float, Client, int]:
    """Start a kernel; return after how many milliseconds it answers, its client and its process."""
    began = time.monotonic()
    kernel = Kernel(bench, folder, "--no-workspace", "--image", supervisor.image, env=supervisor.env, program=supervisor.glovebox)
    kernel.client.ask("shell", "kernel_info_request")
    took = (time.monotonic() - began) * 1e3
    kernel.client.listen()
    return took, kernel.client, kernel.process.pid


def _memory_mb(pid: int) -> float:
    """Memory of a process that it does not share with its file."""
    text = Path(f"/proc/{pid}/status").read_text()
    return sum(int(kb) for kb in re.findall(r"Rss(?:Anon|Shmem):\s+(\d+)", text)) / 1024


def measure(supervisor: warm.Warm, over: Callable[[Callable[[], object], Callable[[], object], int], float], call: Callable[[], object],
            count: int) -> dict[str, float]:  # fmt: skip
    """Return the figures. `call` is `1+1` in a session, `over` takes the difference."""
    bench = Bench()
    try:
        with tempfile.TemporaryDirectory(prefix="glovebox-bench-") as folder:
            ready, client, pid = min((_start(bench, Path(folder), supervisor) for _ in range(3)), key=lambda found: found[0])
            cell = over(lambda: client.execute("1+1"), call, count)
            return {"kernel_ready": ready, "kernel_cell": cell, "kernel_memory": _memory_mb(pid)}
    finally:
        bench.doCleanups()
