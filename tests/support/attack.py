"""attack - attack a sandbox: a script runs inside, and nothing of it may be left on the host.

Everything runs in a temporary directory of its own.
"""

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from support.processes import arguments, marked, stay
from support.run import GLOVEBOX, ROOT, TESTING, why_cannot_run
from support.times import DEADLINE

SCRIPTS = ROOT / "tests/attack/scripts"


class Finished:
    """How a run ended: its status and its output."""

    def __init__(self, status: int, stdout: str, stderr: str) -> None:
        self.status = status
        self.stdout = stdout
        self.stderr = stderr

    def __str__(self) -> str:
        return f"status {self.status}\n-- stdout\n{self.stdout}\n-- stderr\n{self.stderr}"


class AttackCase(unittest.TestCase):
    """Attacks, by scripts of tests/attack/scripts."""

    maxDiff = None
    scripts = SCRIPTS
    kernel: bool | tuple[str, ...] = False
    quick: tuple[str, ...] = ()
    as_user: bool | tuple[str, ...] = False

    @classmethod
    def setUpClass(cls) -> None:
        """Skip what cannot work for this user on this machine, since it would prove nothing."""
        if reason := why_cannot_run():
            raise unittest.SkipTest(reason)

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
            env["GLOVEBOX_OMIT"] = omit
        command = [*self.arguments(*flags, program=TESTING if omit else GLOVEBOX), *inside]
        streams = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
        }
        return subprocess.Popen(command, env=env, text=True, errors="replace", **(streams | popen))

    def finish(self, process: subprocess.Popen[str]) -> Finished:
        """Wait for a sandbox and check that nothing of it is left."""
        try:
            stdout, stderr = process.communicate(timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            process.kill()
            stdout, stderr = process.communicate()
            self.fail(f"took longer than {DEADLINE:g} s\n{Finished(-9, stdout, stderr)}")
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
        """Run a script outside a sandbox, as a control."""
        subprocess.run(command, env=env, stdout=subprocess.DEVNULL, timeout=DEADLINE, check=False)

    def inside(self) -> list[int]:
        """List the processes that run inside: those that carry our mark and are not glovebox."""
        return [pid for pid in self.survivors() if b"glovebox\0run" not in arguments(pid)]

    def survivors(self) -> list[int]:
        """List processes of the host that carry our mark, pid 1 and the monitor included."""
        return marked(f"mark={self.token}")

    def assert_gone(self, finished: object = "") -> None:
        """Fail if a process of the sandbox lives on (dying takes a moment)."""
        left = stay(f"mark={self.token}", 20)
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.assertEqual(left, [], f"left behind\n{finished}")
