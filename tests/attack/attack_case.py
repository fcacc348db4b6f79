"""attack_case - run one row of the table: stopped as shipped, successful without its layer.

Everything runs in a temporary directory of its own; after each run no process of the sandbox
may be left on the host.
"""

import contextlib
import glob
import os
import platform
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path

from attack_row import CAPABILITIES, Attack
from given import Given
from given_caller import CALLERS
from given_host import THINGS, has_landlock

HERE = Path(__file__).resolve().parent
SCRIPTS = HERE / "scripts"
ROOT = HERE.parent.parent
GLOVEBOX = os.environ.get("GLOVEBOX", str(ROOT / "build/bin/glovebox"))
TESTING = os.environ.get("GLOVEBOX_TESTING", str(ROOT / "build/testing/bin/glovebox"))
PYTHON = "/usr/bin/python3"
SECONDS = 100


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


class Finished:
    """How a run ended: its status and what it said."""

    def __init__(self, status: int, stdout: str, stderr: str) -> None:
        self.status = status
        self.stdout = stdout
        self.stderr = stderr

    def __str__(self) -> str:
        return f"status {self.status}\n-- stdout\n{self.stdout}\n-- stderr\n{self.stderr}"


class AttackCase(unittest.TestCase):
    """A class of attacks; `rows` become two tests each, and more for walls."""

    maxDiff = None
    scripts = SCRIPTS
    kernel: bool | tuple[str, ...] = False

    def __init_subclass__(cls, rows: tuple[Attack, ...] = (), **more: object) -> None:
        super().__init_subclass__(**more)
        kernel: list[str] = []
        for row in rows:
            tests = dict(_tests(row))
            for name, test in tests.items():
                setattr(cls, name, test)
            kernel += tests if row.kernel else []
        if rows and "kernel" not in vars(cls):
            cls.kernel = tuple(kernel)

    def setUp(self) -> None:
        self.dir = Path(tempfile.mkdtemp(prefix="glovebox-attack-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        self.dir.chmod(0o755)
        self.token = f"glovebox_attack_{secrets.token_hex(8)}"

    def command(self, script: str, *args: str, prefix: tuple[str, ...] = ()) -> list[str]:
        """Return what runs inside: an attack script, recognisable in the host's process list."""
        mark = ("-X", f"mark={self.token}")
        return [*prefix, "python3", "-E", "-s", "-B", *mark, f"/attack/{script}.py", *args]

    def arguments(self, *flags: str, program: str = GLOVEBOX) -> list[str]:
        """Return `glovebox run FLAGS host`, with the scripts at /attack."""
        if not os.access(program, os.X_OK):
            self.fail(f"{program} is missing: make; make B=build/testing TESTING=1")
        ours = ("-v", f"{SCRIPTS}:/attack:ro", "-e", "GLOVEBOX_ATTACK=sandbox")
        return [program, "run", "--network", "none", *ours, *flags, "host"]

    def start(
        self, *flags: str, inside: list[str], omit: str = "", **popen: object
    ) -> subprocess.Popen[str]:
        """Start a sandbox, by the testing binary if layers are to be left out."""
        env = dict(popen.pop("env", None) or os.environ)
        env.pop("GLOVEBOX_OMIT", None)
        if omit:
            env["GLOVEBOX_OMIT"] = omit.replace("capabilities", CAPABILITIES)
        command = [*self.arguments(*flags, program=TESTING if omit else GLOVEBOX), *inside]
        streams = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
        }
        return subprocess.Popen(command, env=env, text=True, errors="replace", **(streams | popen))

    def finish(self, process: subprocess.Popen[str]) -> Finished:
        """Wait for a sandbox and see that nothing of it is left."""
        try:
            stdout, stderr = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            stdout, stderr = process.communicate()
            self.fail(f"took longer than {SECONDS} s\n{Finished(-9, stdout, stderr)}")
        finished = Finished(process.returncode, stdout or "", stderr or "")
        self.assert_gone(finished)
        return finished

    def run_inside(
        self, *flags: str, inside: list[str], omit: str = "", **popen: object
    ) -> Finished:
        """Start and finish."""
        return self.finish(self.start(*flags, inside=inside, omit=omit, **popen))

    def run_command(self, command: list[str], env: dict[str, str]) -> Finished:
        """Run a command as it stands."""
        streams = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
        }
        return self.finish(
            subprocess.Popen(command, env=env, text=True, errors="replace", **streams)
        )

    def run_plainly(self, command: list[str], env: dict[str, str]) -> None:
        """Run a script outside of any sandbox, as a control."""
        subprocess.run(command, env=env, stdout=subprocess.DEVNULL, timeout=SECONDS, check=False)

    def inside(self) -> list[str]:
        """List the processes that run inside: what carries our mark but is not glovebox."""
        return [path for path in self.survivors() if b"glovebox\0run" not in _read(path)]

    def survivors(self) -> list[str]:
        """List processes of the host that carry our mark, pid 1 and the supervisor included."""
        found = []
        for path in glob.glob("/proc/[0-9]*/cmdline"):
            if f"mark={self.token}".encode() in _read(path):
                found.append(path)
        return found

    def assert_gone(self, finished: object = "") -> None:
        """Fail if a process of the sandbox lives on (dying takes a moment)."""
        end = time.monotonic() + 20
        looks = 0  # one is not enough: a process has no arguments in the middle of an execve
        while looks < 2 and time.monotonic() < end:
            left = self.survivors()
            looks = 0 if left else looks + 1
            time.sleep(0.02 if left else 0.002)
        for path in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(path.split("/")[2]), signal.SIGKILL)
        self.assertEqual(left, [], f"left behind\n{finished}")

    def skip_unless_possible(self, row: Attack) -> None:
        """Skip what this machine or user cannot do."""
        if row.root and os.geteuid() != 0:
            self.skipTest("cannot: the preparation needs root")
        if row.x86 and platform.machine() != "x86_64":
            self.skipTest("cannot: x86_64 only")


def _tests(row: Attack) -> Iterator[tuple[str, Callable[[AttackCase], None]]]:
    """Yield the tests of a row with their names."""
    name = f"test_{row.name}"
    yield f"{name}_is_stopped", _test(row, control=False)
    yield f"{name}_works_without_its_defence", _test(row, control=True)
    walls = row.omit if row.walls == "each" else row.walls
    for wall in filter(None, (walls or "").split(",")):
        yield f"{name}_is_stopped_by_{wall}_alone", _wall_test(row, wall)


def held_test(row: Attack) -> Callable[[AttackCase], None]:
    """Return the test that a row is stopped as shipped, without the controls."""
    return _test(row, control=False)


def _test(row: Attack, control: bool) -> Callable[[AttackCase], None]:
    def test(case: AttackCase) -> None:
        case.skip_unless_possible(row)
        if control:
            _check_control(case, row)
        else:
            _check_held(case, row)

    test.__doc__ = row.threat
    return test


def _wall_test(row: Attack, wall: str) -> Callable[[AttackCase], None]:
    def test(case: AttackCase) -> None:
        case.skip_unless_possible(row)
        if wall == "landlock" and not has_landlock():
            case.skipTest("cannot: this kernel has no Landlock")
        others = [layer for layer in (row.omit or "").split(",") if layer != wall]
        finished, evidence = _perform(case, row, row.flags, row.args, ",".join(others), False)
        held = finished.status == 1 and "HELD" in finished.stdout and not evidence
        case.assertTrue(held, f"{wall} alone does not stop it: {finished}")

    test.__doc__ = f"{row.threat}: {wall} alone"
    return test


def _check_held(case: AttackCase, row: Attack) -> None:
    finished, evidence = _perform(case, row, row.flags, row.args, row.always, False)
    held = "HELD" in finished.stdout if row.held_status == 1 else "ESCAPED" not in finished.stdout
    case.assertTrue(held and finished.status == row.held_status, f"not stopped: {finished}")
    case.assertIn(row.held_stderr, finished.stderr)
    case.assertFalse(evidence, "not stopped")


def _check_control(case: AttackCase, row: Attack) -> None:
    if row.unavailable:
        reason = row.unavailable()
        if reason:
            case.skipTest(f"cannot: {reason}")
    flags = row.flags if row.control_flags is None else row.control_flags
    args = row.args if row.control_args is None else row.control_args
    if row.omit is None and row.on_host:
        finished, evidence = _perform_on_host(case, row, args)
    elif row.omit is None and flags == row.flags and args == row.args and not row.given:
        case.skipTest(f"cannot: {row.why}")
    else:
        omit = ",".join(filter(None, [row.always, row.omit]))
        finished, evidence = _perform(case, row, flags, args, omit, True)
    escaped = "ESCAPED" in finished.stdout and (finished.status == 0 or bool(row.prefix))
    case.assertTrue(escaped or evidence, f"stopped without {row.omit}: {finished}")
    for word in row.expect:
        case.assertIn(word, finished.stdout)


def _expand(argument: str) -> str:
    """Replace @ns/NAME, @scripts, @hostname and @oom by what they are on the host."""
    if argument.startswith("@ns/"):
        return str(os.stat(f"/proc/self/ns/{argument[4:]}").st_ino)
    if argument == "@scripts":
        return str(SCRIPTS)
    return os.uname().nodename if argument == "@hostname" else argument


@contextlib.contextmanager
def _prepared(name: str, folder: Path, control: bool) -> Iterator[Given]:
    """Prepare what is called `name`, for the control run or the other."""
    if not name:
        yield Given()
        return
    with contextlib.contextmanager((CALLERS | THINGS)[name])(folder, control) as there:
        yield there


def _perform(
    case: AttackCase,
    row: Attack,
    flags: tuple[str, ...],
    args: tuple[str, ...],
    omit: str,
    control: bool,
) -> tuple[Finished, str]:
    with _prepared(row.given, case.dir, control) as there:
        words = [*map(_expand, args), *there.args]
        inside = case.command(row.script or row.name, *words, prefix=row.prefix)
        finished = case.run_inside(*flags, *there.flags, inside=inside, omit=omit, **there.popen)
        if there.output:
            finished.stdout += there.output.read_text(errors="replace")
        return finished, there.evidence()


def _perform_on_host(case: AttackCase, row: Attack, args: tuple[str, ...]) -> tuple[Finished, str]:
    with _prepared(row.given, case.dir, True) as there:
        popen = dict(there.popen)
        popen["env"] = dict(popen.get("env") or os.environ, GLOVEBOX_ATTACK="host")
        path = str(SCRIPTS / f"{row.script or row.name}.py")
        command = [sys.executable, "-B", path, *map(_expand, args), *there.args]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=SECONDS, check=False, **popen
        )
        return Finished(done.returncode, done.stdout, done.stderr), there.evidence()
