"""ordinary_user - a warm supervisor of an ordinary user's, in tests that run as root.

The user has control groups of its own, and the program is where the user may read it.
"""

import contextlib
import os
import shutil
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import rootless
from support.run import GLOVEBOX, IS_ROOT, Result, execute
from support.warm import Warm


class Anybody(Warm):
    """Tests as who we are, which another class may repeat as an ordinary user."""

    is_root = IS_ROOT

    def client(self, *command: str, **options: Any) -> Result:
        """Run a command as the user whose supervisor it is."""
        return execute(command, env=self.env(), **options)

    def glovebox(self, *args: str | Path, **options: Any) -> Result:
        """Run the program as that user."""
        return self.client(self.program, *map(str, args), **options)


class OrdinaryUser(Anybody):
    """The same, as a user of its own."""

    owner = 50000 + os.getpid() % 10000
    is_root = False

    @classmethod
    def setUpClass(cls) -> None:
        """Make the user's groups and copy the program."""
        if not IS_ROOT:
            raise unittest.SkipTest("cannot: we are an ordinary user already")
        super().setUpClass()
        stack = contextlib.ExitStack()
        cls.addClassCleanup(stack.close)
        cls.join = [stack.enter_context(rootless.delegated(cls.owner))]
        home = tempfile.mkdtemp(prefix="glovebox-", dir="/tmp")  # ours may be below root's home
        stack.callback(shutil.rmtree, home)
        stack.enter_context(mock.patch("tempfile.tempdir", home))
        os.chmod(home, 0o755)
        build = Path(GLOVEBOX).resolve().parents[1]
        for name in ("bin", "guest"):
            shutil.copytree(build / name, f"{home}/{name}", symlinks=True)
        cls.program = f"{home}/bin/glovebox"

    def setUp(self) -> None:
        """Give the folders to the user."""
        super().setUp()
        for folder in (self.folder, self.place):
            os.chown(folder, self.owner, self.owner)

    def subfolder(self, name: str) -> Path:
        """Make a directory of the user's."""
        path = self.folder / name
        path.mkdir()
        os.chown(path, self.owner, self.owner)
        return path

    def become(self) -> None:
        """Become the user, in a child."""
        for join in filter(None, self.join):
            join()
        os.setgroups([])
        os.setresgid(self.owner, self.owner, self.owner)
        os.setresuid(self.owner, self.owner, self.owner)

    def client(self, *command: str, **options: Any) -> Result:
        """Run a command as the user."""
        env = self.env() | {"HOME": str(self.folder), "TMPDIR": str(self.folder)}
        try:
            return execute(command, env=env, preexec_fn=self.become, cwd="/", **options)
        except PermissionError:
            path = Path(command[0])
            modes = [f"{p}: {p.stat().st_uid} {p.stat().st_mode:o}" for p in (path, *path.parents)]
            self.fail(f"uid {self.owner} cannot execute it: {', '.join(modes)}")
