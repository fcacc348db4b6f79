"""process - a process group with a temporary directory of its own; both are gone afterwards."""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


class Process:
    """It runs from the beginning of this object to end()."""

    live: "dict[int, Process]" = {}

    def __init__(self, command: Sequence[str], keep: int | None = None, **more: str) -> None:
        """Begin; it gets the descriptor `keep`, which is closed here."""
        self.folder = tempfile.mkdtemp(prefix="glovebox-test-")
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            command,
            cwd=self.folder if keep is not None else ROOT,  # what a Python test drops by mistake goes too
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            env=environment(TMPDIR=self.folder, **more),
            pass_fds=() if keep is None else (keep,),
            start_new_session=True,
        )
        if keep is not None:
            os.close(keep)
        self.said = ""  # once it has ended: what it had printed
        self.live[self.process.pid] = self

    def wait(self, seconds: float) -> int | None:
        """Return how it ended, or None if it has not."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.process.wait(seconds)
        return None

    def output(self) -> str:
        """Return what it has printed so far."""
        self.log.seek(0)
        return self.log.read().decode(errors="replace")

    def end(self) -> None:
        """Kill what is left of it."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        del self.live[self.process.pid]
        self.said = self.output()
        self.log.close()
        remove(self.folder)


def environment(**more: str) -> dict[str, str]:
    """Return the environment of all that is started for tests."""
    return {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1", **more}


def stop(*_: object) -> None:
    """End this process on a signal: no group of it, and no file of one, may outlive it."""
    for one in list(Process.live.values()):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(one.process.pid, signal.SIGKILL)
        time.sleep(0.1)  # what it started ends with it, a moment later
        remove(one.folder)
    os._exit(130)


def remove(folder: str) -> None:
    """Remove a directory, also what a test made unreadable; follow nothing, touch nothing above."""

    def make_removable(function, path, _error) -> None:
        with contextlib.suppress(OSError):
            if path != folder:
                os.chmod(os.path.dirname(path), 0o700)
            if os.path.isdir(path) and not os.path.islink(path):
                os.chmod(path, 0o700)
            again = function in (os.open, os.scandir, os.lstat)
            shutil.rmtree(path) if again else function(path)

    with contextlib.suppress(RecursionError):  # thousands of levels: rm(1) follows no link, either
        shutil.rmtree(folder, onerror=make_removable)
    subprocess.run(["rm", "-rf", "--", folder], check=False)
