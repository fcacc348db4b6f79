"""rootless - run a command as an ordinary user to whom control groups are delegated.

What a login with systemd gives a user, made by hand and removed afterwards: a home, the
XDG directories, and a control group of its own. On cgroup v1 that is a directory per
controller below a group of root's, as `glovebox setup user` makes it; on v2 a group whose child
`main` holds its processes, so that it may move them (delegation:
Documentation/admin-guide/cgroup-v2.rst).

Needs root.
"""

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
DELEGATED = ("cgroup.procs", "cgroup.threads", "cgroup.subtree_control")  # on v2
GIVEN = ("cgroup.procs", "tasks")  # on v1
SUBIDS = 0x60000000  # beyond what useradd(8) hands out
CLONE_NEWNS, MS_BIND, MS_REC, MS_SLAVE = 0x20000, 0x1000, 0x4000, 0x80000
CONTROLLERS = ("memory", "pids", "cpu", "cpuacct", "cpuset", "freezer")


def run(uid: int, command: list[str]) -> int:
    """Run a Python program as `uid` and return its exit status."""
    if os.geteuid() != 0:
        sys.exit("--rootless needs root: as an ordinary user, leave the option out")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    home = Path(tempfile.mkdtemp(prefix="glovebox-home-"))
    try:
        with delegated(uid) as join:
            drop = [f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--inh-caps=-all"]
            full = ["setpriv", *drop, _python(), *command]
            process = subprocess.Popen(full, env=_environment(home, uid), cwd="/", preexec_fn=join)
            try:
                return process.wait()
            finally:
                process.terminate()
                process.wait()
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _environment(home: Path, uid: int) -> dict[str, str]:
    env = dict(os.environ, HOME=str(home), USER=f"user{uid}", LOGNAME=f"user{uid}")
    env["GLOVEBOX_DELEGATED"] = "1"
    names = {
        "XDG_RUNTIME_DIR": "runtime",
        "XDG_DATA_HOME": "data",
        "XDG_CACHE_HOME": "cache",
        "XDG_CONFIG_HOME": "config",
        "XDG_STATE_HOME": "state",
        "TMPDIR": "tmp",
    }
    os.chown(home, uid, uid)
    for name, folder in names.items():
        (home / folder).mkdir(mode=0o700)
        os.chown(home / folder, uid, uid)
        env[name] = str(home / folder)
    return env


def given_ids(folder: Path, uid: int) -> Callable[[], object] | None:
    """Return what gives a child a name and a range of ids, in a mount namespace of its own; None: there is no newuidmap.

    `folder` is root's, and everybody may read it. Call it before the child drops root.
    """
    files = {"passwd": f"user{uid}:x:{uid}:{uid}::/:/bin/sh\n"}
    files |= {name: f"user{uid}:{SUBIDS}:65536\n" for name in ("subuid", "subgid")}
    if not shutil.which("newuidmap") or not all(Path("/etc", name).exists() for name in files):
        return None
    for name, line in files.items():
        (folder / name).write_text(Path("/etc", name).read_text() + line)
    libc = ctypes.CDLL(None, use_errno=True)

    def enter() -> None:
        failed = libc.unshare(CLONE_NEWNS) or libc.mount(b"none", b"/", None, MS_REC | MS_SLAVE, None)
        for name in files:
            failed = failed or libc.mount(bytes(folder / name), f"/etc/{name}".encode(), None, MS_BIND, None)
        if failed:
            raise OSError(ctypes.get_errno(), "mount files of ids")

    return enter


def _python() -> str:
    """Return a Python that everybody may run: ours can be below root's home."""
    ours = Path(os.path.realpath(sys.executable))
    reachable = all(folder.stat().st_mode & 0o001 for folder in ours.parents)
    return str(ours) if reachable else "/usr/bin/python3"


@contextlib.contextmanager
def delegated(uid: int) -> Iterator[Callable[[], object] | None]:
    """Make a user's groups; yield what a child calls to enter them, before it drops root, if any."""
    if (CGROUPS / "cgroup.controllers").exists():
        with _delegated_v2(uid, CGROUPS / f"glovebox-{uid}") as main:
            yield lambda: (main / "cgroup.procs").write_text(str(os.getpid()))
        return
    tops = [CGROUPS / c / f"glovebox-{uid}" for c in CONTROLLERS if (CGROUPS / c / "tasks").exists()]
    try:
        for top in tops:
            give_v1(uid, top)
        yield None
    finally:
        for top in tops:
            _remove(top)


def give_v1(uid: int, top: Path) -> Path:
    """Make a user's directory below a group of root's, and return it."""
    place = top / "user"
    for group in (top, place):
        group.mkdir(exist_ok=True)
        for name in ("cpuset.cpus", "cpuset.mems"):
            if (group / name).exists():
                (group / name).write_text((group.parent / name).read_text())
    for name in ("", *GIVEN):
        os.chown(place / name, uid, uid)
    return place


@contextlib.contextmanager
def _delegated_v2(uid: int, group: Path) -> Iterator[Path]:
    main = group / "main"
    try:
        _enable(CGROUPS)
        for folder in (group, main):
            folder.mkdir(exist_ok=True)
            for name in ("", *DELEGATED):
                os.chown(folder / name, uid, uid)
        _enable(group)
        yield main
    finally:
        _remove(main)
        _remove(group)


def _enable(group: Path) -> None:
    there = (group / "cgroup.controllers").read_text().split()
    for controller in CONTROLLERS:
        if controller in there:
            (group / "cgroup.subtree_control").write_text(f"+{controller}")


def _remove(group: Path) -> None:
    """Remove a group with all below it; what was just killed may need a moment to leave."""
    for folder, _, _ in os.walk(group, topdown=False):
        for _ in range(100):
            try:
                os.rmdir(folder)
                break
            except FileNotFoundError:
                break
            except OSError:
                time.sleep(0.05)
