"""machine - what is on this machine, before and after: control groups, mounts, files, namespaces.

Others use the machine, too, and their things come and go. So only what appeared and
stays counts, among things that can be ours: Before() looks, and stayed() looks again.
"""

import contextlib
import ctypes
import glob
import os
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from support.processes import GROUPS, children
from support.times import wait_until

CLONE_NEWNS = 0x20000  # sched.h
MS_REC, MS_PRIVATE, MS_SHARED = 1 << 14, 1 << 18, 1 << 20  # sys/mount.h
PR_SET_CHILD_SUBREAPER = 36  # sys/prctl.h


def own_mounts() -> None:
    """Give this process, which is root's, mounts that only it and its children change."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS):
        raise OSError(ctypes.get_errno(), "unshare")
    for flags in (MS_REC | MS_PRIVATE, MS_REC | MS_SHARED):
        if libc.mount(None, b"/", None, flags, None):
            raise OSError(ctypes.get_errno(), "mount")


def adopt_orphans() -> None:
    """Adopt the orphans of our children, so that they can be found."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


def own_groups() -> Callable[[], None]:
    """Put the groups of root's sandboxes below one of ours; return what removes it.

    A sandbox whose glovebox was killed leaves a group for the next start to remove; none comes.
    """
    os.environ["GLOVEBOX_CGROUP"] = name = f"glovebox-test-{os.getpid()}"

    def remove() -> None:
        for top in (GROUPS / name, *GROUPS.glob(f"*/{name}")):
            for folder, _, _ in os.walk(top, topdown=False):
                wait_until(lambda folder=folder: _is_removed(folder))

    return remove


def _is_removed(group: str) -> bool:
    """Remove a group; what was killed may need a moment to leave it."""
    with contextlib.suppress(OSError):
        os.rmdir(group)
    return not os.path.isdir(group)


def groups() -> set[str]:
    """Return the control groups that can be ours: of our sandboxes, or below the one we are in."""
    named = os.environ.get("GLOVEBOX_CGROUP", "glovebox")
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    ours = [path for path in (line.split(":", 2)[2] for line in lines) if path != "/"]
    found = {folder for folder, _, _ in os.walk(GROUPS)}
    return {f for f in found if f"/{named}" in f or any(f"{path}/" in f for path in ours)}


def mounts() -> set[str]:
    """Return what is mounted in our namespace, without the ids; twice the same has a number."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    counts = Counter(" ".join(line.split()[2:5]) for line in lines)
    return {f"{line} ({number})" for line, count in counts.items() for number in range(count)}


def files() -> set[str]:
    """Return what is in the places where glovebox could leave files."""
    patterns = [
        "/tmp/*glovebox*",
        "/dev/shm/*",
        "/dev/mqueue/*",
        "/run/*glovebox*",
        "/run/glovebox/**",
    ]
    if "XDG_RUNTIME_DIR" in os.environ:
        patterns.append(os.environ["XDG_RUNTIME_DIR"] + "/**")
    found = {name for pattern in patterns for name in glob.glob(pattern, recursive=True)}
    return {name for name in found if "glovebox-test-" not in name}


def namespaces() -> set[str]:
    """Return the namespaces of our descendants: adopt_orphans() keeps all of them in the family."""
    found = set()
    family = [os.getpid()]
    for pid in family:
        family += children(pid)
        for entry in Path(f"/proc/{pid}").glob("ns/*"):
            try:
                found.add(os.readlink(entry))
            except OSError:
                pass
    return found


LOOKS: dict[str, Callable[[], set[str]]] = {
    "control groups": groups,
    "mounts": mounts,
    "files": files,
    "namespaces": namespaces,
}


class Before:
    """What was there when this was made."""

    def __init__(self, *names: str) -> None:
        self.seen = {name: LOOKS[name]() for name in names or LOOKS}

    def stayed(self, seconds: float = 60) -> dict[str, set[str]]:
        """Return what appeared since and does not go away, by kind."""
        left = {name: LOOKS[name]() - seen for name, seen in self.seen.items()}
        end = time.monotonic() + seconds
        while any(left.values()) and time.monotonic() < end:
            time.sleep(0.1)
            left = {name: still & LOOKS[name]() for name, still in left.items()}
        return {name: still for name, still in left.items() if still}
