"""A Python that is not to be served warm: who asks is told why, and its programs run cold.

The guest of a copy of the program does not know this machine's Python. What else makes a Python cold
is tried on the guest's own words (guest/test_versions.py).
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import test_supervisor
from support.messages import message, sentence
from support.run import GLOVEBOX, PYTHON, Result, execute
from support.times import wait_until
from support.warm import Warm, connect

VERSION = execute([PYTHON, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]).out.strip()
UNKNOWN = f"CPython {VERSION} is not among those that it knows"


class Unknown(Warm):
    """The guest does not know this version."""

    def setUp(self) -> None:
        """Copy the program, and lower what it knows."""
        super().setUp()
        top = self.subfolder("copy")
        built = Path(GLOVEBOX).resolve()
        shutil.copytree(built.parent.parent / "guest", top / "guest")
        (top / "bin").mkdir()
        shutil.copy(built, top / "bin/glovebox")
        self.program = str(top / "bin/glovebox")
        file = top / "guest/versions.py"
        text = file.read_text()
        self.assertIn("(3, 9), (3, 14)", text)
        file.write_text(text.replace("(3, 9), (3, 14)", "(3, 2), (3, 3)"))

    def assert_cold(self, reason: str) -> None:
        """Assert that runs start cold, are right, and that who asks is told why."""
        self.assertTrue(self.explained().startswith(f"cold: {reason}"), self.explained())
        self.assert_prints("42", self.run_host(argv=["python3", "-c", "print(6 * 7)"]))
        refused = self.run_host("--warm=require", argv=["python3", "-c", "1"])
        self.assert_refused(refused, f"--warm=require: {reason}")

    def test_start_says_why(self) -> None:
        refused = self.warm("start", "--image", "host", "--pool", "1")
        self.assert_refused(refused, message("nursery_refuse", "host:latest"), UNKNOWN)
        self.assertEqual(refused.status, 125)
        self.assertEqual(refused.err.count("\n"), 1)
        self.assertEqual(refused.out, "")
        refused = self.warm("start", "--json", "--image", "host", "--pool", "1")
        self.assert_status(refused, 125)
        self.assertIn(UNKNOWN, refused.err)
        self.assertEqual(refused.json, {"state": "cold"})
        self.assert_cold(sentence("lease_read_refusal#no warm"))

    def serve(self) -> subprocess.Popen[bytes]:
        """Start it as systemd would."""
        wrapper = [sys.executable, "-c", test_supervisor.Activation.WRAPPER]
        command = [*wrapper, str(self.place), "self", self.program, "warm", "serve"]
        command += ["--image", "host", "--pool", "1"]
        server = self.start(command, env={**os.environ, **self.env()}, stderr=subprocess.DEVNULL)
        self.assertTrue(wait_until(self.is_heard))
        return server

    def is_heard(self) -> bool:
        """Return whether somebody listens: the socket is there a moment earlier."""
        try:
            connect(self.place).close()
        except OSError:
            return False
        return True

    def test_one_that_systemd_started_stays_and_says_why(self) -> None:
        server = self.serve()
        for _ in range(2):
            self.assert_cold(UNKNOWN)
        self.assertEqual((self.status()["state"], self.status()["pid"]), ("cold", server.pid))
        self.assert_refused(self.glovebox("session", "new", "host"), message("opening_has_no_cell"), UNKNOWN)
        self.assertIsNone(server.poll())
        self.assert_status(self.warm("stop"))


class OtherModules(Warm):
    """What a mount adds is found, as in a cold start: the interpreter starts anew, inside."""

    def both(self, *flags: str, argv: list[str]) -> Result:
        """Run it cold and in a warm cell, and return what both print."""
        cold = self.run_host("--warm=never", *flags, argv=argv)
        warm = self.run_host("--warm=require", *flags, argv=argv)
        self.assertEqual(cold, warm)
        return cold

    def setUp(self) -> None:
        """Have a supervisor, and a directory with a module."""
        super().setUp()
        self.start_warm()
        (self.subfolder("modules") / "brought.py").write_text("x = 42")
        self.modules = str(self.folder / "modules")

    def test_modules_of_the_user(self) -> None:
        site = f"/home/sandbox/.local/lib/python{VERSION}/site-packages"
        code = ["python3", "-c", "import sys, brought; print(sys.path, brought.x)"]
        said = self.both("-v", f"{self.modules}:{site}:ro", argv=code)
        self.assertIn("42", said.out)

    def test_a_virtual_environment_first_on_path(self) -> None:
        venv = self.folder / "venv"
        command = [PYTHON, "-m", "venv", "--without-pip", "--symlinks", str(venv)]
        subprocess.run(command, check=True, timeout=100)
        flags = ["-v", f"{venv}:/venv:ro", "-e", f"PATH=/venv/bin:{os.path.dirname(PYTHON)}"]
        argv = ["python3", "-c", "import sys; print(sys.prefix, sys.executable)"]
        self.assert_prints("/venv /venv/bin/python3", self.both(*flags, argv=argv))
