"""jupyter_clients - programs of Jupyter's, from their registry, with kernelspecs of ours in a home of their own (make check-clients)."""

import json
import os
import subprocess
import unittest
from pathlib import Path
from typing import Any

from support.case import Case
from support.processes import is_alive, pids
from support.run import GLOVEBOX, ROOT, places
from support.times import DEADLINE, wait_until

CLIENTS = Path(os.environ.get("GLOVEBOX_CLIENTS", ROOT / "build/clients"))
PROGRAMS = CLIENTS / "jupyter/bin"
NAME = "glovebox"
OF_IPYTHON = "python3"  # the name of ipykernel's kernelspec, in the environment

BEGIN = """
import json, os, sys
def tell(*things): print(json.dumps(things), flush=True)
"""


class Jupyter(Case):
    """Programs with kernels in a home of their own."""

    def setUp(self) -> None:
        """Skip where they are not installed; have a kernelspec."""
        if not (PROGRAMS / "jupyter-execute").exists():
            raise unittest.SkipTest("cannot: there are no clients of Jupyter (make check-clients)")
        super().setUp()
        self.notebooks = self.subfolder("notebooks")
        self.env = {"PATH": os.environ["PATH"]} | places()
        for name in ("HOME", "JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "XDG_RUNTIME_DIR", "TMPDIR"):
            place = self.folder / name.lower()
            place.mkdir(mode=0o700)
            self.env[name] = str(place)
        self.install(NAME)
        self.addCleanup(self.assert_none_stays)

    def install(self, name: str, *flags: str) -> None:
        """Have a kernelspec, whose kernels have these flags."""
        command = [GLOVEBOX, "kernel", "install", "--user", "--name", name, "--image", "host", *flags]
        said = subprocess.run(command, env=self.env, capture_output=True, text=True, timeout=DEADLINE, check=True).stdout
        self.assertEqual(said, f"{self.env['JUPYTER_DATA_DIR']}/kernels/{name}\n")

    def assert_none_stays(self) -> None:
        """Assert that all processes have ended that were started with the test's directories."""
        mark = f"JUPYTER_RUNTIME_DIR={self.folder}/".encode()

        def is_ours(pid: int) -> bool:
            try:
                return mark in Path(f"/proc/{pid}/environ").read_bytes() and is_alive(pid)
            except OSError:
                return False

        wait_until(lambda: not any(map(is_ours, pids())))
        self.assertEqual([pid for pid in pids() if is_ours(pid)], [], "processes stay")
        self.assert_gone(str(self.folder))

    def perform(self, *command: str | Path, stdin: str = "") -> "subprocess.CompletedProcess[str]":
        """Run a program of the environment beside the notebooks."""
        return subprocess.run([PROGRAMS / command[0], *command[1:]], env=self.env, cwd=self.notebooks, input=stdin, capture_output=True,
                              text=True, timeout=DEADLINE, check=False)  # fmt: skip

    def told(self, program: str, *words: str, status: int = 0) -> list[Any]:
        """Return what a program tells."""
        done = self.perform("python3", self.file("script.py", BEGIN + program), *words)
        self.assertEqual(done.returncode, status, done.stderr[-3000:])
        return [json.loads(line) for line in done.stdout.splitlines()]
