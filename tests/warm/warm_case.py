"""warm_case - attacks from warm cells: a supervisor of the test's own, and scripts in its cells."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "attack"))

from attack_case import GLOVEBOX, SCRIPTS, AttackCase  # noqa: E402

ATTACKS = HERE / "attacks"
SECONDS = 60
STARTED = 19  # field of /proc/PID/stat, from its third: clock ticks (proc(5))
POOL = 2

T = TypeVar("T")


def wait_for(value: Callable[[], T], seconds: float = SECONDS) -> T:
    """Wait until value() is true and return it; the last one after the deadline."""
    end = time.monotonic() + seconds
    while not (found := value()) and time.monotonic() < end:
        time.sleep(0.01)
    return found


def children(parent: int) -> list[int]:
    """Return the live children of a process of this machine, the oldest first."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent and fields[0] not in "ZX":
            found.append((int(fields[STARTED]), int(path.parent.name)))
    return [pid for _, pid in sorted(found)]  # numbers begin anew at pid_max


class Supervisor:
    """A warm supervisor with a runtime directory of its own, which is gone after stop()."""

    def __init__(self, *flags: str, program: str = GLOVEBOX, pool: int = POOL, **popen: Any) -> None:
        self.program = program
        self.flags = ("--image", "host", "--pool", str(pool), *flags)
        self.runtime = Path(tempfile.mkdtemp(prefix="warm-"))
        self.socket = self.runtime / "glovebox/warm.sock"
        try:
            self.start(**popen)
        except BaseException:
            self.stop()
            raise

    def start(self, **popen: Any) -> None:
        """Start it; it has a full pool on return. What it says goes to a file, which it may keep."""
        env = dict(popen.pop("env", None) or os.environ, XDG_RUNTIME_DIR=str(self.runtime))
        with tempfile.TemporaryFile() as said:
            streams = {"stdin": subprocess.DEVNULL, "stdout": said, "stderr": said} | popen
            command = [self.program, "warm", "start", *self.flags]
            done = subprocess.run(command, env=env, timeout=SECONDS, **streams)
            said.seek(0)
            if done.returncode:
                raise AssertionError(f"warm start: {done.returncode} {said.read().decode()}")
        self.pid = int(self.status()["pid"])

    def status(self) -> dict[str, Any]:
        """Return what `glovebox warm status` says; empty when nobody answers."""
        done = subprocess.run(
            [self.program, "warm", "status"],
            capture_output=True,
            env=dict(os.environ, XDG_RUNTIME_DIR=str(self.runtime)),
            timeout=SECONDS,
        )
        return json.loads(done.stdout) if done.returncode == 0 else {}

    def is_full(self) -> bool:
        """Say whether as many cells wait as were asked for."""
        status = self.status()
        return bool(status) and status["ready"] >= status["pool"]

    def nursery(self) -> tuple[int, int]:
        """Return the nursery's pid 1 and its Python."""
        init = children(self.pid)[0]
        return init, children(init)[0]

    def cells(self) -> list[int]:
        """Return pid 1 of every cell, waiting or running."""
        return children(self.nursery()[0])[1:]

    def stop(self) -> None:
        """Stop it, and see that it is gone."""
        env = dict(os.environ, XDG_RUNTIME_DIR=str(self.runtime))
        command = [self.program, "warm", "stop"]
        subprocess.run(command, env=env, capture_output=True, timeout=SECONDS, check=False)
        wait_for(lambda: not self.status())
        shutil.rmtree(self.runtime, ignore_errors=True)


class WarmCase(AttackCase):
    """Attacks that run in cells of one warm supervisor, which must be as good as new afterwards."""

    supervisor: Supervisor
    kernel = False
    mode = "require"
    scripts_inside = SCRIPTS  # what is mounted under a name with our mark
    warm_flags: tuple[str, ...] = ()

    @classmethod
    def setUpClass(cls) -> None:
        """Start the supervisor."""
        super().setUpClass()
        cls.supervisor = cls.make_supervisor()
        cls.addClassCleanup(cls.supervisor.stop)

    @classmethod
    def make_supervisor(cls) -> Supervisor:
        """Return the supervisor of this class."""
        return Supervisor(*cls.warm_flags)

    def setUp(self) -> None:
        """In the end the nursery lives, and no cell stays but those that wait."""
        self.addCleanup(self.assert_unharmed, self.supervisor)
        super().setUp()

    def assert_unharmed(self, supervisor: Supervisor) -> None:
        """Fail if a cell could do anything to its supervisor, its nursery or the pool."""
        wait_for(lambda: supervisor.is_full() and len(supervisor.cells()) == POOL, 20)
        status = supervisor.status()
        self.assertTrue(status, "the supervisor is gone")
        found = {key: status[key] for key in ("state", "ready", "failed", "restarts")}
        self.assertEqual(found, {"state": "ready", "ready": POOL, "failed": 0, "restarts": 0})
        self.assertEqual(len(supervisor.cells()), POOL, "a cell stays")

    def command(self, script: str, *args: str, prefix: tuple[str, ...] = ()) -> list[str]:
        """Return what runs inside, without options of the interpreter: they are read at its start."""
        return [*prefix, "python3", f"/mark={self.token}/{script}.py", *args]

    def arguments(self, *flags: str, program: str = GLOVEBOX) -> list[str]:
        """Return `glovebox run` from a warm cell."""
        ours = (f"--warm={self.mode}", "-v", f"{self.scripts_inside}:/mark={self.token}:ro")
        return super().arguments(*ours, *flags, program=program)

    def start(
        self, *flags: str, inside: list[str], omit: str = "", **popen: Any
    ) -> subprocess.Popen[str]:
        """Start a run as a client of our supervisor."""
        assert not omit, "a warm start has the ordinary binary"
        env = popen.pop("env", None) or os.environ
        env = dict(env, XDG_RUNTIME_DIR=str(self.supervisor.runtime))
        return super().start(*flags, inside=inside, env=env, **popen)
