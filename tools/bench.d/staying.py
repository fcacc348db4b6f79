"""staying - the cost of sandboxes that stay.

Whole processes of `glovebox run --detach`, `exec`, `ps`, `logs` and `cp`, as a user runs them, each beside a
plain one of the same round.
"""

import contextlib
import os
import re
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from measure import run_ms

TRUE = ("/bin/true",)
PYTHON = ("python3", "-S", "-c", 'print("hi")')
IDLE = 100
BYTES = 256 << 20
# Our targets.
START_MS, EXEC_MS, PS_MS, IDLE_MB, PIPE_SHARE = 15, 2, 10, 2.5, 0.5

TITLES = {
    "start": "`run -d true`, until it is started, over a plain /bin/true",
    "exec": "`exec true`, over a plain /bin/true",
    "python": "`exec python3 -S -c 'print(\"hi\")'`, over a plain one",
}


class Staying:
    """`glovebox` with state and records of its own."""

    def __init__(self, glovebox: str, state: str) -> None:
        self.glovebox = glovebox
        self.env = dict(os.environ, XDG_STATE_HOME=f"{state}/state", XDG_RUNTIME_DIR=f"{state}/run")
        Path(f"{state}/run").mkdir(mode=0o700)

    def take(self, *words: str) -> float:
        """Milliseconds of one command."""
        return run_ms((self.glovebox, *words), self.env)[0]

    def start(self, name: str, *command: str) -> float:
        """Leave one behind, and how long that took."""
        return self.take("run", "--detach", "--name", name, "host", *command)

    def pids(self) -> list[int]:
        """The monitors that run."""
        said = subprocess.run([self.glovebox, "ps"], env=self.env, check=True, stdout=subprocess.PIPE, text=True).stdout
        return [int(line.split()[2]) for line in said.splitlines()[1:] if line.split()[1] == "run"]

    def remove_all(self) -> None:
        """End all, and forget them."""
        subprocess.run([self.glovebox, "kill", *self.names], env=self.env, check=False, capture_output=True)
        self.take("container", "prune")

    names: tuple[str, ...] = ()


def plain(*command: str) -> float:
    """Milliseconds of a program without a sandbox."""
    return run_ms(("/usr/bin/env", *command) if "/" not in command[0] else command, dict(os.environ))[0]


def _starts(staying: Staying, count: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {"start": [], "exec": [], "python": []}
    staying.start("box", "sleep", "1000")
    for number in range(count):
        floor = plain(*TRUE)
        times["start"].append(staying.start(f"s{number}", "true") - floor)
        times["exec"].append(staying.take("exec", "box", "true") - plain(*TRUE))
        times["python"].append(staying.take("exec", "box", *PYTHON) - plain(*PYTHON))
    staying.names = ("box",)
    staying.remove_all()
    return times


def _private_mb(pid: int) -> float:
    text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    return sum(map(int, re.findall(r"^Private_\w+:\s+(\d+) kB", text, re.M))) * 1024 / 1e6


def _idle(staying: Staying, count: int) -> dict[str, float]:
    staying.names = tuple(f"i{number}" for number in range(count))
    for name in staying.names:
        staying.start(name, "sleep", "1000")
    time.sleep(1)
    private = [_private_mb(pid) for pid in staying.pids()]
    listing = [staying.take("ps") for _ in range(10)]
    staying.remove_all()
    return {"count": len(private), "private": statistics.median(private), "ps": statistics.median(listing)}


def _seconds(work: Callable[[], object]) -> float:
    start = time.monotonic()
    work()
    return time.monotonic() - start


def _bytes(staying: Staying, size: int) -> dict[str, float]:
    """Bytes a second, of what a pipe carries between two programs: cat | cat."""
    fill = f"head -c {size} /dev/zero"
    limits = ("--memory", "1g", "--tmpfs", "/tmp:size=512m", "--output-limit", str(4 * size))
    staying.take("run", "--detach", "--name", "box", *limits, "host", "sh", "-c", f"{fill} > /tmp/f; cat /tmp/f; exec sleep 1000")
    staying.names = ("box",)
    with tempfile.TemporaryDirectory() as scratch:
        staying.take("exec", "box", "sh", "-c", f"while test $(stat -c %s /tmp/f) -lt {size}; do sleep 0.1; done")
        subprocess.run(["sh", "-c", f"{fill} > {scratch}/f"], check=True)
        ways = {
            "pipe": ["sh", "-c", f"cat {scratch}/f | cat > /dev/null"],
            "cp": [staying.glovebox, "cp", "box:/tmp/f", "-"],
            "logs": [staying.glovebox, "logs", "box"],
        }
        with open("/dev/null", "wb") as null:
            found = {
                name: statistics.median(
                    _seconds(lambda: subprocess.run(words, env=staying.env, check=True, stdout=null)) for _ in range(5)  # noqa: B023
                )
                for name, words in ways.items()
            }
    staying.remove_all()
    return {name: found["pipe"] / found[name] for name in ("cp", "logs")}


@contextlib.contextmanager
def _scratch() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as state:
        yield state


def measure(glovebox: str, quick: bool) -> dict[str, Any]:
    """Milliseconds over the floor by name, what idle ones cost, and shares of a pipe."""
    with _scratch() as state:
        staying = Staying(glovebox, state)
        times = _starts(staying, 3 if quick else 40)
        idle = _idle(staying, 5 if quick else IDLE)
        shares = _bytes(staying, BYTES // (32 if quick else 1))
    return {"ms": {name: statistics.median(values) for name, values in times.items()}, "idle": idle, "shares": shares}


def targets(found: dict[str, Any]) -> list[tuple[str, float | None, float, str, bool]]:
    """Return what is to be reached: text, value, bound, unit, whether at most."""
    if not found:
        return []
    bounds = {"start": START_MS, "exec": EXEC_MS, "python": EXEC_MS}
    idle = found["idle"]
    return [
        *((TITLES[name], found["ms"][name], bound, "ms", True) for name, bound in bounds.items()),
        (f"`ps` of {idle['count']} sandboxes that stay", idle["ps"], PS_MS, "ms", True),
        ("private memory of a monitor", idle["private"], IDLE_MB, "MB", True),
        ("`cp` out of a sandbox, of what a pipe carries", found["shares"]["cp"], PIPE_SHARE, "", False),
        ("`logs`, of what a pipe carries", found["shares"]["logs"], PIPE_SHARE, "", False),
    ]
