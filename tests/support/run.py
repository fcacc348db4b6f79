"""run - run the built binary from outside and look at what it did.

The program under test is $GLOVEBOX, the image is `host`: the machine's own /usr.
"""

import functools
import json
import os
import subprocess
import uuid
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.times import DEADLINE

ROOT = Path(__file__).resolve().parents[2]
GLOVEBOX = os.environ.get("GLOVEBOX", str(ROOT / "build/bin/glovebox"))
TESTING = os.environ.get("GLOVEBOX_TESTING", str(ROOT / "build/testing/bin/glovebox"))
FIXTURES = ROOT / "tests/fixtures"
IS_ROOT = os.geteuid() == 0
PYTHON = "/usr/bin/python3"

# Built by make asan. LeakSanitizer makes a program fail at its exit where it may not use ptrace(2) or start its tracer.
IS_SANITIZED = os.path.exists(GLOVEBOX) and b"__asan_init" in Path(GLOVEBOX).read_bytes()
NO_LEAK_CHECK = "ASAN_OPTIONS=detect_leaks=0"

# The owner of a test's writable directories: root's own need id-mapped mounts, which
# not every file system of an older kernel has.
OWNER = (1234, 1234) if IS_ROOT else (os.geteuid(), os.getegid())


@dataclass(frozen=True)
class Result:
    """How one run of the binary ended; a negative status is the signal that ended it."""

    status: int
    stdout: bytes
    stderr: bytes

    @property
    def out(self) -> str:
        """Return stdout as text."""
        return self.stdout.decode(errors="replace")

    @property
    def err(self) -> str:
        """Return stderr as text."""
        return self.stderr.decode(errors="replace")

    @functools.cached_property
    def json(self) -> dict[str, Any]:
        """Return stdout parsed as the object that --json prints."""
        return json.loads(self.stdout)


def command(
    *flags: str | Path,
    sh: str | None = None,
    py: str | None = None,
    argv: Sequence[str] = (),
    image: str = "host",
) -> list[str]:
    """Return the command line of a run: of a shell script, a Python script, or a program."""
    inside = ["/bin/sh", "-c", sh] if sh is not None else list(argv)
    if py is not None:
        inside = [PYTHON, "-c", py]
    return [GLOVEBOX, "run", *map(str, flags), image, *inside]


def run(
    *flags: str | Path,
    sh: str | None = None,
    py: str | None = None,
    argv: Sequence[str] = (),
    image: str = "host",
    **options: Any,
) -> Result:
    """Run something in a sandbox; see command() and execute()."""
    return execute(command(*flags, sh=sh, py=py, argv=argv, image=image), **options)


def glovebox(*args: str | Path, **options: Any) -> Result:
    """Run the binary with these arguments."""
    return execute([GLOVEBOX, *map(str, args)], **options)


def execute(args: Sequence[str], stdin: bytes | None = None, **options: Any) -> Result:
    """Run any program to its end; without stdin it reads nothing."""
    given = {"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}
    options.setdefault("timeout", DEADLINE)
    if "env" in options:
        options["env"] = {"PATH": os.environ["PATH"]} | places() | options["env"]
    if "stdin_fd" in options:
        given = {"stdin": options.pop("stdin_fd")}
    done = subprocess.run(args, capture_output=True, **given, **options)
    return Result(done.returncode, done.stdout, done.stderr)


def places() -> dict[str, str]:
    """Return the variables that say where this user's files are."""
    names = ("HOME", "XDG_RUNTIME_DIR", "XDG_DATA_HOME", "TMPDIR", "GLOVEBOX_IMAGES")
    return {name: os.environ[name] for name in names if name in os.environ}


def parallel(work: Callable[..., Any], items: Iterable[Any], workers: int = 4) -> list[Any]:
    """Return work(item) of every item, in order, a few at a time."""
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(work, items))


def unique(prefix: str = "glovebox-test") -> str:
    """Return a name that nobody else uses."""
    return f"{prefix}-{uuid.uuid4().hex}"


@functools.cache
def why_cannot_run() -> str:
    """Return why this user cannot run anything here, or an empty string.

    Only an ordinary user to whom nobody delegated control groups is excused.
    """
    if IS_ROOT or "GLOVEBOX_DELEGATED" in os.environ:
        return ""
    probe = run(argv=["/bin/true"])
    return f"cannot: {probe.err.strip()}" if probe.status == 125 and "cgroup" in probe.err else ""
