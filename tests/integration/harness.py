"""harness - run the built binary from outside and look at what it did.

The program under test is $GLOVEBOX, the image is `host`: the machine's own /usr. Every
test has a temporary directory of its own, `self.folder`, below $TMPDIR.
"""

import functools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
import unittest
import uuid
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
GLOVEBOX = os.environ.get("GLOVEBOX", str(ROOT / "build/bin/glovebox"))
FIXTURES = ROOT / "tests/fixtures"
IS_ROOT = os.geteuid() == 0
PYTHON = "/usr/bin/python3"

# Who writable directories of a test belong to: root's own need id-mapped mounts, which
# not every file system of an older kernel has.
OWNER = (1234, 1234) if IS_ROOT else (os.geteuid(), os.getegid())

# How long anything may take before it counts as stuck: an emulated machine is slow.
DEADLINE = float(os.environ.get("GLOVEBOX_DEADLINE", "100"))


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


@functools.cache
def is_slow() -> bool:
    """Tell whether this machine is an emulated one, where a run takes a good part of a second."""
    start = time.monotonic()
    run(argv=["/bin/true"])
    run(argv=["/bin/true"])
    return time.monotonic() - start > 0.4


def sample(items: Sequence[Any]) -> list[Any]:
    """Return all items, or on an emulated machine every eighth and the last."""
    return [*items[:-1:8], items[-1]] if is_slow() else list(items)


def seconds(count: float) -> str:
    """Return a duration for a limit that a program must not reach before it has started."""
    return f"{count * (10 if is_slow() else 1):g}s"


def unique(prefix: str = "glovebox-test") -> str:
    """Return a name that nobody else uses."""
    return f"{prefix}-{uuid.uuid4().hex}"


def processes(marker: str) -> list[int]:
    """Return the processes of this machine whose arguments contain a marker."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            if marker.encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            pass
    return found


def wait_until(condition: Callable[[], Any], seconds: float = DEADLINE) -> Any:
    """Wait for a condition to hold and return its value; the last value after the deadline."""
    end = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < end:
        time.sleep(0.02)
    return value


@functools.cache
def why_cannot_run() -> str:
    """Return why this user cannot run anything here, or an empty string.

    Only an ordinary user to whom nobody delegated control groups is excused.
    """
    if IS_ROOT or "GLOVEBOX_DELEGATED" in os.environ:
        return ""
    probe = run(argv=["/bin/true"])
    return f"cannot: {probe.err.strip()}" if probe.status == 125 and "cgroup" in probe.err else ""


class Case(unittest.TestCase):
    """A test with a folder of its own and the assertions that most tests need."""

    maxDiff = 4000
    folder: Path

    @classmethod
    def setUpClass(cls) -> None:
        """Skip what cannot work for this user on this machine."""
        if reason := why_cannot_run():
            raise unittest.SkipTest(reason)

    def setUp(self) -> None:
        """Make the folder."""
        self.folder = Path(tempfile.mkdtemp(prefix="case-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def file(self, name: str, content: str | bytes = b"") -> Path:
        """Write a file into the folder and return its path."""
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def subfolder(self, name: str) -> Path:
        """Make a directory in the folder that a sandbox may write to."""
        path = self.folder / name
        path.mkdir()
        os.chown(path, *OWNER)
        return path

    def start(self, args: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
        """Start a program that ends, at the latest, with the test."""
        options.setdefault("stdin", subprocess.DEVNULL)
        process = subprocess.Popen(args, **options)

        def end() -> None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream:
                    stream.close()

        self.addCleanup(end)
        return process

    def assert_status(self, result: Result, status: int = 0) -> Result:
        """Assert how a run ended and return it."""
        said = f"\nstdout: {result.out[-1000:]}\nstderr: {result.err[-1000:]}"
        self.assertEqual(result.status, status, f"exit status{said}")
        return result

    def assert_prints(self, expected: str, result: Result) -> None:
        """Assert that a run succeeded and what it printed, less white space at both ends."""
        self.assert_status(result)
        self.assertEqual(result.out.strip(), expected)

    def assert_refused(self, result: Result, *words: str) -> Result:
        """Assert that a request was refused in a line that holds these words."""
        self.assert_status(result, 125)
        self.assertEqual(result.out, "")
        lines = result.err.strip().splitlines()
        self.assertTrue(1 <= len(lines) <= 2, f"one line and a hint, not: {result.err}")
        self.assertLess(len(result.err), 2000)
        for word in words:
            self.assertIn(word, result.err)
        return result

    def mapped(self, result: Result) -> Result:
        """Skip the test if a bind was refused because this kernel cannot map its owner."""
        if IS_ROOT and "no id-mapped mounts" in result.err:
            self.skipTest("cannot: the file system has no id-mapped mounts with this kernel")
        return result

    def assert_gone(self, marker: str) -> None:
        """Assert that no process with a marker in its arguments stays."""
        end = time.monotonic() + 30
        looks = 0  # one is not enough: a process has no arguments in the middle of an execve
        while looks < 3 and time.monotonic() < end:
            time.sleep(0.02)
            left = processes(marker)
            looks = 0 if left else looks + 1
        self.assertEqual((looks, left), (3, []), "processes stay")

    def start_ready(self, args: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
        """Start a program that prints "ready" as its first line, and wait for that."""
        process = self.start(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        assert process.stdout and process.stderr
        said = b""
        while b"\n" not in said and select.select([process.stdout], [], [], DEADLINE)[0]:
            if not (byte := os.read(process.stdout.fileno(), 1)):
                break
            said += byte
        if said != b"ready\n":
            process.kill()
            self.fail(f"did not start: {said!r} {process.stderr.read()!r}")
        return process
