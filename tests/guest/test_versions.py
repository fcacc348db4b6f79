"""Which Pythons are started cold, and why (rootfs/guest/versions.py)."""

import os
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

import versions

GUEST = Path(__file__).resolve().parents[2] / "rootfs/guest"


SAY = "import versions; print(versions.why_cold())"


def said(python: str, **variables: str) -> str:
    """Return why another Python is to be cold."""
    env = {"PYTHONPATH": str(GUEST), **variables}
    code = f"import os; del os.environ['PYTHONPATH']; {SAY}"
    command = [python, "-B", "-c", code]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    return done.stdout.strip()


class WhyCold(unittest.TestCase):
    """A Python that is not known to be served rightly is not served."""

    def setUp(self) -> None:
        """Be what is served: whatever runs this test."""
        for patch in (
            mock.patch.object(sys, "prefix", sys.base_prefix),
            mock.patch.dict(os.environ, clear=True),
            mock.patch.dict(sys.modules),
        ):
            patch.start()
            self.addCleanup(patch.stop)
        for name in ("sitecustomize", "usercustomize"):
            sys.modules.pop(name, None)

    def assert_cold(self, reason: str) -> None:
        """Assert that the reason is this."""
        self.assertIn(reason, versions.why_cold())

    def test_known_versions_are_warm(self) -> None:
        for minor in range(versions.OLDEST[1], versions.NEWEST[1] + 1):
            with mock.patch.object(sys, "version_info", (3, minor, 0, "final", 0)):
                self.assertEqual(versions.why_cold(), "")

    def test_versions_on_both_sides_are_cold(self) -> None:
        for minor in (versions.OLDEST[1] - 1, versions.NEWEST[1] + 1):
            with mock.patch.object(sys, "version_info", (3, minor, 0, "final", 0)):
                self.assert_cold(f"CPython 3.{minor} is not among those that it knows")

    def test_other_implementations(self) -> None:
        with mock.patch.object(sys, "implementation", types.SimpleNamespace(name="pypy")):
            self.assert_cold("its Python is pypy")

    def test_builds(self) -> None:
        with mock.patch.object(sys, "abiflags", "t"):
            self.assert_cold("without the GIL")
        with mock.patch.object(sys, "gettotalrefcount", int, create=True):
            self.assert_cold("debug build")
        jit = types.SimpleNamespace(is_enabled=lambda: True)
        with mock.patch.object(sys, "_jit", jit, create=True):
            self.assert_cold("JIT")

    def test_another_c_library(self) -> None:
        for answer in ({"side_effect": ValueError}, {"side_effect": OSError}, {"return_value": None}):
            with mock.patch.object(os, "confstr", **answer):
                self.assert_cold("its C library is not glibc")

    def test_variables(self) -> None:
        for name in versions.UNFIT:
            with mock.patch.dict(os.environ, {name: "1"}):
                self.assert_cold(f"its environment has {name}")

    def test_what_runs_at_the_start(self) -> None:
        for name in ("sitecustomize", "usercustomize"):
            with mock.patch.dict(sys.modules, {name: types.ModuleType(name)}):
                sys.modules[name].__file__ = f"/opt/{name}.py"
                self.assert_cold(f"its Python runs /opt/{name}.py as it starts")
                sys.modules[name].__file__ = f"{os.path.dirname(os.__file__)}/{name}.py"
                self.assertEqual(versions.why_cold(), "")

    def test_a_virtual_environment(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "venv", "--without-pip", "--symlinks", folder]
            subprocess.run(command, check=True, timeout=100)
            self.assertIn("a virtual environment", said(f"{folder}/bin/python3"))

    def test_a_start_that_is_seen(self) -> None:
        self.assertIn("PYTHONFAULTHANDLER", said(sys.executable, PYTHONFAULTHANDLER="1"))
