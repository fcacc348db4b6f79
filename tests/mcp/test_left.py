"""What killed processes leave in TMPDIR, and who removes it."""

import fcntl
import os
import subprocess
from pathlib import Path

from support.case import Case
from support.run import GLOVEBOX, glovebox
from support.times import wait_until


class Left(Case):
    """Directories of processes that were killed together with their watchdog."""

    def left(self, name: str, *, old: bool = True) -> Path:
        """Make one below a directory of the test's."""
        folder = self.folder / f"tmp/glovebox-{name}"
        (folder / "glovebox").mkdir(parents=True)
        for file in ("lock", "warm.sock"):
            (folder / "glovebox" / file).touch()
        if old:
            os.utime(folder, (1, 1))
        return folder

    def test_the_next_start_removes_them(self) -> None:
        gone = self.left("agent-left00")
        stay = [self.left("agent-young0", old=False), self.left("agent-longer0"), self.left("other-left00")]
        for folder, lock in ((self.left("agent-locked"), "."), (self.left("agent-served"), "glovebox/lock")):
            held = os.open(folder / lock, os.O_RDONLY)
            self.addCleanup(os.close, held)
            fcntl.flock(held, fcntl.LOCK_EX)
            stay.append(folder)
        env = {"TMPDIR": str(self.folder / "tmp"), "XDG_RUNTIME_DIR": str(self.folder)}
        self.assert_status(glovebox("mcp", "--image", "host", env=env))
        self.assertFalse(gone.exists())
        self.assertEqual(sorted((self.folder / "tmp").iterdir()), sorted(stay))

    def test_the_watchdog_keeps_the_lock(self) -> None:
        place = self.folder / "tmp"
        place.mkdir()
        env = {"TMPDIR": str(place), "XDG_RUNTIME_DIR": str(self.folder)}
        command = [GLOVEBOX, "mcp", "--image", "host"]
        with subprocess.Popen(command, env={**os.environ, **env}, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
            self.assertTrue(wait_until(lambda: [*place.glob("glovebox-agent-*/glovebox/warm.sock")]))
            (own,) = place.iterdir()
            os.utime(own, (1, 1))
            self.assert_status(glovebox("mcp", "--image", "host", env=env))
            self.assertEqual([*place.iterdir()], [own])
            running.communicate()
        self.assertEqual([*place.iterdir()], [])
