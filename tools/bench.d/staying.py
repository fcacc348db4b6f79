"""staying - the cost of sandboxes that stay, and of the containers of podman and docker where these are installed.

Whole processes of `run --detach`, `exec`, `ps`, `logs` and `cp`, as a user runs them, each beside a plain one of the
same round. The peers take the same words.
"""

import contextlib
import dataclasses
import os
import re
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import columns
from measure import Failed, run_ms

TRUE = ("/bin/true",)
PYTHON = ("python3", "-S", "-c", 'print("hi")')
IDLE = 100
BYTES = 256 << 20
OURS = "glovebox"
# Our targets.
START_MS, EXEC_MS, PS_MS, IDLE_MB, PIPE_SHARE = 15, 2, 10, 2.5, 0.5

TITLES = {
    "start": "`run -d true`, until it is started, over a plain /bin/true",
    "exec": "`exec true`, over a plain /bin/true",
    "python": "`exec python3 -S -c 'print(\"hi\")'`, over a plain one",
}


@dataclasses.dataclass
class Engine:
    """A command that keeps sandboxes, and what `run` needs beside what is asked of it."""

    command: tuple[str, ...]
    flags: tuple[str, ...]
    image: tuple[str, ...]
    room: tuple[str, ...]  # flags for large files and logs
    env: dict[str, str]
    note: str
    names: tuple[str, ...] = ()

    def take(self, *words: str) -> float:
        """Milliseconds of one command."""
        return run_ms((*self.command, *words), self.env)[0]

    def start(self, name: str, *command: str, flags: Sequence[str] = ()) -> float:
        """Leave one behind, and how long that took; it is removed by remove_all()."""
        self.names += (name,)
        return self.take("run", "-d", "--name", name, *self.flags, *flags, *self.image, *command)

    def say(self, *words: str) -> str:
        """What one command prints."""
        return subprocess.run([*self.command, *words], env=self.env, check=True, stdout=subprocess.PIPE, text=True).stdout

    def keepers(self) -> list[int]:
        """The processes that stay beside what runs: our monitors, or the parents of containers."""
        pids = [int(word) for word in self.say("inspect", "--format", "{{.State.Pid}}", *self.names).split()]
        return pids if self.note == OURS else [_parent(pid) for pid in pids]

    def remove_all(self) -> None:
        """End all, and forget them."""
        for words in (("kill",), ("rm", "-f")):
            subprocess.run([*self.command, *words, *self.names], env=self.env, check=False, capture_output=True)
        self.names = ()


# -- the engines -----------------------------------------------------------------------------------


def ours(place: columns.Place, state: str) -> Engine:
    """`glovebox` with state and records of its own."""
    env = dict(os.environ, XDG_STATE_HOME=f"{state}/state", XDG_RUNTIME_DIR=f"{state}/run")
    Path(f"{state}/run").mkdir(mode=0o700)
    room = ("--memory", "1g", "--tmpfs", "/tmp:size=512m", "--output-limit", str(4 * BYTES))
    return Engine((place.glovebox,), (), (place.image,), room, env, OURS)


def _peer(place: columns.Place, name: str, image: tuple[str, ...], flags: tuple[str, ...]) -> Engine:
    room = ("--memory", "1g", "--tmpfs", "/tmp:size=512m")
    limits = columns.docker_flags(place, stays=True)
    return Engine((columns.installed(name),), (*limits, *flags), image, room, dict(os.environ), columns.version([name, "--version"]))


@contextlib.contextmanager
def podman(place: columns.Place) -> Iterator[Engine]:
    """With a file for a log, as ours has, whether there is a journal or not."""
    yield _peer(place, "podman", ("--rootfs", f"{place.root}:O"), ("--log-driver", "k8s-file"))


@contextlib.contextmanager
def docker(place: columns.Place) -> Iterator[Engine]:
    """With the image imported for as long."""
    column = columns.docker(place)
    try:
        yield _peer(place, "docker", (columns.docker_image(),), ())
    finally:
        column.close()


PEERS: dict[str, Callable[[columns.Place], contextlib.AbstractContextManager[Engine]]] = {"podman": podman, "docker": docker}


# -- what is measured ------------------------------------------------------------------------------


def plain(*command: str) -> float:
    """Milliseconds of a program without a sandbox."""
    return run_ms(("/usr/bin/env", *command) if "/" not in command[0] else command, dict(os.environ))[0]


def _over(floor: Sequence[str], work: Callable[[int], float], count: int) -> float:
    """Milliseconds of it over a plain program of the same round."""
    return statistics.median(work(number) - plain(*floor) for number in range(count))


def _starts(engine: Engine, count: int) -> dict[str, float]:
    """Programs first: the ends of sandboxes that were started take a processor from what is timed beside them."""
    box = "glovebox-bench-box"
    engine.start(box, "sleep", "1000")
    return {
        "exec": _over(TRUE, lambda _: engine.take("exec", box, "true"), count),
        "python": _over(PYTHON, lambda _: engine.take("exec", box, *PYTHON), count),
        "start": _over(TRUE, lambda number: engine.start(f"glovebox-bench-s{number}", "true"), count),
    }


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[1])


def _private_mb(pid: int) -> float:
    text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    return sum(map(int, re.findall(r"^Private_\w+:\s+(\d+) kB", text, re.M))) * 1024 / 1e6


def _idle(engine: Engine, count: int) -> dict[str, float]:
    for number in range(count):
        engine.start(f"glovebox-bench-i{number}", "sleep", "1000")
    time.sleep(1)
    private = [_private_mb(pid) for pid in engine.keepers()]
    listing = [engine.take("ps") for _ in range(10)]
    return {"count": len(private), "private": statistics.median(private), "ps": statistics.median(listing)}


def _seconds(work: Callable[[], object]) -> float:
    start = time.monotonic()
    work()
    return time.monotonic() - start


def _bytes(engine: Engine, size: int) -> dict[str, float]:
    """Bytes a second, of what a pipe carries between two programs: cat | cat."""
    box = "glovebox-bench-bytes"
    fill = f"head -c {size} /dev/zero"
    engine.start(box, "sh", "-c", f"{fill} > /tmp/f; cat /tmp/f; exec sleep 1000", flags=engine.room)
    with tempfile.TemporaryDirectory() as scratch:
        engine.take("exec", box, "sh", "-c", f"while test $(stat -c %s /tmp/f) -lt {size}; do sleep 0.1; done")
        subprocess.run(["sh", "-c", f"{fill} > {scratch}/f"], check=True)
        ways = {
            "pipe": ["sh", "-c", f"cat {scratch}/f | cat > /dev/null"],
            "cp": [*engine.command, "cp", f"{box}:/tmp/f", "-"],
            "logs": [*engine.command, "logs", box],
        }
        with open("/dev/null", "wb") as null:
            found = {
                name: statistics.median(
                    _seconds(lambda: subprocess.run(words, env=engine.env, check=True, stdout=null)) for _ in range(5)  # noqa: B023
                )
                for name, words in ways.items()
            }
    return {name: found["pipe"] / found[name] for name in ("cp", "logs")}


def _of(engine: Engine, quick: bool) -> dict[str, Any]:
    """All figures of one engine; what a command of it refuses is left out, with its words."""
    found: dict[str, Any] = {"note": engine.note, "left_out": {}}
    work: dict[str, Callable[[], dict[str, float]]] = {
        "ms": lambda: _starts(engine, 3 if quick else 40),
        "idle": lambda: _idle(engine, 5 if quick else IDLE),
        "shares": lambda: _bytes(engine, BYTES // (32 if quick else 1)),
    }
    for name, measure_it in work.items():
        try:
            found[name] = measure_it()
        except (Failed, OSError, ValueError, subprocess.SubprocessError) as error:
            if engine.note == OURS:
                raise
            found["left_out"][name] = str(error)
        finally:
            engine.remove_all()
    return found


def measure(place: columns.Place, quick: bool) -> dict[str, Any]:
    """By engine: milliseconds over the floor, what idle ones cost, and shares of a pipe; or why there is none."""
    with tempfile.TemporaryDirectory() as state:
        found = {OURS: _of(ours(place, state), quick)}
    for name, open_engine in PEERS.items():
        try:
            columns.installed(name)
            if place.root == "/":
                raise columns.Missing("needs an image of its own")
            with open_engine(place) as engine:
                found[name] = _of(engine, quick)
        except columns.Missing as why:
            found[name] = {"note": f"left out, {why}", "left_out": {}}
    return found


# -- what is said ----------------------------------------------------------------------------------


def _figures(found: dict[str, Any]) -> dict[str, tuple[float | None, str]]:
    """By title: the figure of one engine, and its unit."""
    idle, shares = found.get("idle", {}), found.get("shares", {})
    return {
        **{title: (found.get("ms", {}).get(name), "ms") for name, title in TITLES.items()},
        "`ps` of those that are idle": (idle.get("ps"), "ms"),
        "private memory of what keeps one": (idle.get("private"), "MB"),
        "`cp` out of it, of what a pipe carries": (shares.get("cp"), ""),
        "`logs`, of what a pipe carries": (shares.get("logs"), ""),
    }


def table(found: dict[str, Any]) -> list[str]:
    """All engines side by side, and why what is missing is."""
    if not found:
        return []
    by_engine = {name: _figures(figures) for name, figures in found.items() if "ms" in figures}
    lines = ["## Sandboxes that stay", "", "| | " + " | ".join(by_engine) + " |", "|---" * (len(by_engine) + 1) + "|"]
    for title in by_engine[OURS]:
        cells = [figures[title] for figures in by_engine.values()]
        lines.append(f"| {title} | " + " | ".join("-" if value is None else f"{value:.2f} {unit}".strip() for value, unit in cells) + " |")
    lines.append("")
    for name, figures in found.items():
        lines += [f"- {name}: {figures['note']}"] if name != OURS else []
        lines += [f"- {name}: {row} left out, {why}" for row, why in figures["left_out"].items()]
    return [*lines, ""]


def targets(found: dict[str, Any]) -> list[tuple[str, float | None, float, str, bool]]:
    """Return what is to be reached: text, value, bound, unit, whether at most."""
    if not found:
        return []
    mine = found[OURS]
    bounds = {"start": START_MS, "exec": EXEC_MS, "python": EXEC_MS}
    idle = mine["idle"]
    return [
        *((TITLES[name], mine["ms"][name], bound, "ms", True) for name, bound in bounds.items()),
        (f"`ps` of {idle['count']} sandboxes that stay", idle["ps"], PS_MS, "ms", True),
        ("private memory of a monitor", idle["private"], IDLE_MB, "MB", True),
        ("`cp` out of a sandbox, of what a pipe carries", mine["shares"]["cp"], PIPE_SHARE, "", False),
        ("`logs`, of what a pipe carries", mine["shares"]["logs"], PIPE_SHARE, "", False),
    ]
