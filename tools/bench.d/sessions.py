"""sessions - the cost of interpreters that keep their state.

Whole processes of `glovebox session`, as a user runs them, on sessions of a warm supervisor:
the first call and the next, a checkpoint and a rollback with a large table in memory, and
the memory of many idle sessions.
"""

import itertools
import json
import os
import re
import statistics
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from measure import children, run_ms

HELLO = 'print("hi")'
FRAME_MB = 100
FRAME = "import numpy as np, pandas as pd; frame = pd.DataFrame(np.ones((1_250_000, 10)))"
IDLE = 1000
AT_ONCE = 4

TITLES = {
    "new": "session new",
    "first": "its first call",
    "next": "a further call",
    "checkpoint": f"checkpoint, {FRAME_MB} MB",
    "rollback": f"rollback, {FRAME_MB} MB",
}
# Our targets.
LIMIT_MS = {"new": 3, "first": 1.5, "checkpoint": 10, "rollback": 10}
IDLE_MB, IDLE_BARE_MB = 5, 2.5


class Sessions:
    """`glovebox session` with the supervisor of an environment."""

    def __init__(self, glovebox: str, image: str, env: dict[str, str]) -> None:
        self.glovebox, self.image, self.env = glovebox, image, env
        self.names = (f"s{number}" for number in itertools.count())

    def take(self, *arguments: str) -> float:
        """Milliseconds of one command."""
        return run_ms((self.glovebox, "session", *arguments), self.env)[0]

    def new(self, *flags: str) -> tuple[str, float]:
        """A new session, and how long it took."""
        name = next(self.names)
        return name, self.take("new", "--name", name, *flags, self.image)

    def listed(self) -> list[str]:
        """The names of those that live."""
        text = subprocess.run(
            [self.glovebox, "session", "ls", "--json"], env=self.env, check=True, stdout=subprocess.PIPE
        ).stdout
        return [session["name"] for session in json.loads(text)["sessions"]]

    def remove_all(self) -> None:
        """End every session."""
        self.take("rm", *self.listed())


def _calls(sessions: Sessions, count: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {"new": [], "first": [], "next": []}
    for _ in range(count):
        name, took = sessions.new()
        times["new"].append(took)
        time.sleep(0.1)  # the pool is filled again, which is not part of a call
        times["first"].append(sessions.take("exec", name, HELLO))
        times["next"].append(sessions.take("exec", name, HELLO))
        sessions.take("rm", name)
    return times


def _copies(sessions: Sessions, count: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {"checkpoint": [], "rollback": []}
    for _ in range(count):
        name, _ = sessions.new("--memory", "2g")
        sessions.take("exec", name, FRAME)
        time.sleep(0.1)
        times["checkpoint"].append(sessions.take("checkpoint", name))
        times["rollback"].append(sessions.take("rollback", name))
        sessions.remove_all()
    return times


def _private_mb(pid: int) -> float:
    text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    return sum(map(int, re.findall(r"^Private_\w+:\s+(\d+) kB", text, re.M))) * 1024 / 1e6


def _idle(sessions: Sessions, count: int, supervisor: int) -> dict[str, float]:
    """Many are kept open: the memory of each, and how many answer in the end."""
    before = set(_interpreters(supervisor))
    start = time.monotonic()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        names = [name for name, _ in pool.map(lambda _: sessions.new(), range(count))]
        took = time.monotonic() - start
        time.sleep(1)
        private = [_private_mb(pid) for pid in _interpreters(supervisor) if pid not in before]
        answers = list(pool.map(lambda name: _answers(sessions, name), names))
    sessions.remove_all()
    return {
        "count": count,
        "lost": answers.count(False),
        "seconds": took,
        "private": statistics.median(private),
    }


def _answers(sessions: Sessions, name: str) -> bool:
    command = [sessions.glovebox, "session", "exec", name, HELLO]
    done = subprocess.run(command, env=sessions.env, check=False, capture_output=True, text=True)
    return done.stdout == "hi\n"


def _interpreters(supervisor: int) -> list[int]:
    """The supervisor > pid 1 > the nursery and, beside it, pid 1 of each cell > its program."""
    (init,) = children(supervisor)
    return [pid for cell in children(init)[1:] for pid in children(cell)]


def measure(
    glovebox: str, image: str, env: dict[str, str], supervisor: int, quick: bool
) -> dict[str, object]:
    """Milliseconds by name, and what idle sessions cost."""
    sessions = Sessions(glovebox, image, env)
    times = _calls(sessions, 3 if quick else 30)
    if image != "host":
        times |= _copies(sessions, 2 if quick else 10)
    idle = _idle(sessions, 20 if quick else IDLE, supervisor)
    return {"ms": {name: sorted(values) for name, values in times.items()}, "idle": idle}


def targets(image: str, found: dict) -> Iterator[tuple[str, float, float, str, bool]]:
    """As warm.targets()."""
    for name, values in found["ms"].items():
        if name in LIMIT_MS:
            text = f"session, {TITLES[name]}, {image}"
            yield text, statistics.median(values), LIMIT_MS[name], "ms", True
    idle = found["idle"]
    limit = IDLE_BARE_MB if image == "host" else IDLE_MB
    yield f"idle session, private memory, {image}", idle["private"], limit, "MB", True
    yield f"lost of {idle['count']} idle sessions, {image}", idle["lost"], 0, "", True


def table(found: dict) -> list[str]:
    """Lines of Markdown."""
    lines = ["| `glovebox session`, whole process, ms | median | least | most |", "|---" * 4 + "|"]
    for name, values in found["ms"].items():
        figures = statistics.median(values), values[0], values[-1]
        lines.append(f"| {TITLES[name]} | " + " | ".join(f"{v:.1f}" for v in figures) + " |")
    idle = found["idle"]
    return lines + [
        "",
        f"- {idle['count']} idle sessions: made in {idle['seconds']:.1f} s, "
        f"{idle['private']:.1f} MB private each, {idle['lost']} lost",
    ]
