"""supervisor - a warm supervisor with a runtime directory of its own, from outside.

    supervisor - pid 1 of the nursery - the nursery
                                      - pid 1 of a cell - its program
"""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from support.processes import children
from support.run import GLOVEBOX
from support.times import DEADLINE, wait_until


def nursery(supervisor: int) -> tuple[int, int]:
    """Return the nursery's pid 1 and its Python."""
    return wait_until(lambda: [(init, p) for init in children(supervisor) for p in children(init)])[0]


def cells(supervisor: int) -> list[int]:
    """Return pid 1 of each cell that waits or runs."""
    return [p for init in children(supervisor) for p in children(init)[1:]]


class Supervisor:
    """A warm supervisor; it and its directory are gone after stop()."""

    def __init__(
        self, *flags: str, image: str = "host", pool: int = 2, program: str = GLOVEBOX, **popen: Any
    ) -> None:
        self.program = program
        self.flags = ("--image", image, "--pool", str(pool), *flags)
        self.runtime = Path(tempfile.mkdtemp(prefix="warm-"))
        self.socket = self.runtime / "glovebox/warm.sock"
        try:
            self.start(**popen)
        except BaseException:
            self.stop()
            raise

    def start(self, **popen: Any) -> None:
        """Start it; it has a full pool on return. What it says goes to a file, which it may keep."""
        env = self.env(popen.pop("env", None))
        with tempfile.TemporaryFile() as said:
            streams = {"stdin": subprocess.DEVNULL, "stdout": said, "stderr": said} | popen
            command = [self.program, "warm", "start", *self.flags]
            done = subprocess.run(command, env=env, timeout=DEADLINE, **streams)
            said.seek(0)
            if done.returncode:
                text = said.read().decode(errors="replace")
                raise AssertionError(f"warm start: {done.returncode} {text}")
        self.pid = int(self.status()["pid"])

    def env(self, given: dict[str, str] | None = None) -> dict[str, str]:
        """Return an environment that says where it is."""
        return {**(given or os.environ), "XDG_RUNTIME_DIR": str(self.runtime)}

    def _ask(self, *words: str) -> subprocess.CompletedProcess[bytes]:
        command = [self.program, "warm", *words]
        return subprocess.run(command, capture_output=True, env=self.env(), timeout=DEADLINE)

    def status(self) -> dict[str, Any]:
        """Return what `glovebox warm status` says; empty when nobody answers."""
        done = self._ask("status", "--json")
        return json.loads(done.stdout) if done.returncode == 0 else {}

    def is_full(self) -> bool:
        """Say whether as many cells wait as were asked for."""
        status = self.status()
        return bool(status) and status["ready"] >= status["pool"]

    def nursery(self) -> tuple[int, int]:
        """Return the nursery's pid 1 and its Python."""
        return nursery(self.pid)

    def cells(self) -> list[int]:
        """Return pid 1 of every cell, waiting or running."""
        return cells(self.pid)

    def stop(self) -> None:
        """Stop it, and see that it is gone."""
        self._ask("stop")
        wait_until(lambda: not self.status())
        shutil.rmtree(self.runtime, ignore_errors=True)
