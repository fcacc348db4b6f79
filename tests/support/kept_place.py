"""kept_place - a place of sandboxes that stay, and what may be left there: processes, groups, mounts, locks, files.

Whoever looks has adopted its orphans (support/machine.py), so that nothing of ours is out of its sight.
"""

import contextlib
import fcntl
import json
import os
import subprocess
from pathlib import Path
from typing import Any

from support.machine import mounts
from support.processes import GROUPS, arguments, children, is_alive
from support.times import DEADLINE, wait_until


class Wrong(Exception):
    """Something is not as it should be."""


class Place:
    """The places of this run, and what may be in them."""

    def __init__(self, glovebox: str, folder: Path) -> None:
        self.glovebox = glovebox
        self.folder = folder
        self.environment = dict(os.environ)
        for name, variable in (("run", "XDG_RUNTIME_DIR"), ("state", "XDG_STATE_HOME"), ("tmp", "TMPDIR")):
            (folder / name).mkdir(mode=0o700)
            self.environment[variable] = str(folder / name)
        self.files = folder / "files"
        (self.files / "tree").mkdir(parents=True)
        for number in range(50):
            (self.files / f"tree/{number}").write_bytes(os.urandom(2000))

    def begin(self, *args: str) -> "subprocess.Popen[bytes]":
        """Start a command."""
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen([self.glovebox, *args], env=self.environment, **streams)

    def execute(self, *args: str, status: int | None = 0) -> bytes:
        """Run a command, and return what it prints."""
        with self.begin(*args) as process:
            out, err = process.communicate(timeout=DEADLINE)
        if status is not None and process.returncode != status:
            raise Wrong(f"{' '.join(args)}: {process.returncode}, {err[-300:]!r}")
        return out

    @property
    def records(self) -> list[Path]:
        """The directories of the records, whole or not."""
        return sorted((self.folder / "state/glovebox/sandboxes").glob("*"))

    def described(self) -> list[dict[str, Any]]:
        """What inspect says of each record that was written to its end; ps -a lists them."""
        ids = [record.name for record in self.records if self.is_whole(record)]
        self.execute("ps")
        listed = self.execute("ps", "-a", "--no-trunc", "--format", "{{.ID}}").decode().split()
        return [json.loads(self.execute("inspect", one))[0] for one in ids if one in listed or self.still(one)]

    def still(self, one: str) -> bool:
        """A record that is not listed was removed meanwhile."""
        if self.is_whole(self.folder / "state/glovebox/sandboxes" / one):
            raise Wrong(f"ps -a does not list {one}")
        return False

    @staticmethod
    def is_whole(record: Path) -> bool:
        """What is not was never one, or is half removed."""
        try:
            return bool(json.loads((record / "record").read_text()))
        except (OSError, ValueError):
            return False

    def supervisor(self) -> int:
        """The warm supervisor; 0: none."""
        status = json.loads(self.execute("warm", "status", "--json", status=None) or b"{}")
        return int(status.get("pid", 0))

    def warm(self) -> int:
        """The same, started if there is none."""
        if not self.supervisor():
            self.execute("warm", "start", "--image", "host", "--pool", "1")
        return self.supervisor()


def reap() -> None:
    """Orphans of ours have become our children."""
    for pid in started(os.getpid()):
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)


def started(pid: int) -> list[int]:
    """What a process has started and not reaped, by a look at it alone."""
    with contextlib.suppress(OSError):
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def descriptor_of_ours(pid: int) -> int:
    """A descriptor of a process that is still below this one when we have it; else -1."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        fd, above = os.pidfd_open(pid), pid
        for _ in range(4):
            above = int(Path(f"/proc/{above}/stat").read_text().rpartition(")")[2].split()[1])
            if above == os.getpid():
                return fd
        os.close(fd)
    return -1


def below(*tops: int) -> list[int]:
    """What these processes have started, and what that has."""
    found = [child for top in tops for child in children(top)]
    for pid in found:
        found += children(pid)
    return found


def family(supervisor: int) -> list[str]:
    """What of ours runs, but for the supervisor and what is below it."""
    others = [pid for pid in children(os.getpid()) if pid != supervisor]
    return [f"{pid} {arguments(pid)[:80]!r}" for pid in [*others, *below(*others)] if is_alive(pid)]


def groups(supervisor: int) -> list[str]:
    """The groups of sandboxes and cells below ours, but for those in which the supervisor has processes."""
    named = os.environ.get("GLOVEBOX_CGROUP", "")
    tops = [path for path in (GROUPS / named, *GROUPS.glob(f"*/{named}")) if named and path.is_dir()]
    found = [Path(folder) for top in tops for folder, _, _ in os.walk(top)]
    warm = {str(pid) for pid in below(supervisor)} if supervisor else set()
    return [str(path) for path in found if path.name.startswith(("sandbox-", "cell-")) and not warm & members(path)]


def members(group: Path) -> set[str]:
    """The processes of a group."""
    with contextlib.suppress(OSError):
        return set((group / "cgroup.procs").read_text().split())
    return set()


def held(folder: Path) -> list[str]:
    """The files on which a process has a lock."""
    found = []
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    found.append(str(path))
    return found


def files(place: Place) -> set[str]:
    """What lies there."""
    names = {str(path.relative_to(place.folder)) for part in ("run", "state", "tmp", "files") for path in (place.folder / part).rglob("*")}
    return {name for name in names if not name.endswith(("events/lines", "events/lines.old"))}


class Left:
    """What was there before the first life, and may be there behind each."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.mounts = mounts()
        self.files = files(place)

    def look(self) -> dict[str, list[str]]:
        """What is left, by kind."""
        reap()
        supervisor = self.place.supervisor()
        own = {str(self.place.folder / "run/glovebox/lock")} if supervisor else set()
        return {
            "processes": family(supervisor),
            "groups": groups(supervisor),
            "mounts": sorted(mounts() - self.mounts),
            "locks": sorted({*held(self.place.folder)} - own),
            "files": sorted(files(self.place) - self.files),
        }

    def is_clean(self) -> bool:
        """Whether nothing is left once another start has swept."""
        self.place.execute("run", "host", "true")
        return not any(self.look().values())

    def check(self) -> None:
        """Wait until nothing is: dying takes a moment."""
        if not wait_until(self.is_clean, DEADLINE / 2):
            raise Wrong(f"left behind: { {kind: names for kind, names in self.look().items() if names} }")
