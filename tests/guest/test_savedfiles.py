"""test_savedfiles - a tree in memory is put back as it was, from whatever has become of it.

What takes mounts, limits or another process is in tests/warm (KeptFiles, KeptMounts, CarriedFiles).
"""

import os
import shutil
import tempfile
import unittest
from pathlib import Path

import savedfiles


class Trees(unittest.TestCase):
    """A directory with a bit of everything."""

    def setUp(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="saved-"))
        self.addCleanup(shutil.rmtree, self.root)
        (self.root / "d/e").mkdir(parents=True)
        (self.root / "d/e/f").write_text("text")
        os.link(self.root / "d/e/f", self.root / "hard")
        (self.root / "link").symlink_to("d")
        os.mkfifo(self.root / "pipe")
        with (self.root / "sparse").open("wb") as file:
            file.seek(1 << 20)
            file.write(b"end")
        for path in (*self.root.rglob("*"), self.root):
            os.utime(path, ns=(1, 10**9), follow_symlinks=False)
        self.before = self.look()
        self.here = os.getcwd()
        self.tree = savedfiles.Tree(str(self.root))

    def look(self) -> dict[str, object]:
        """Return what there is, by path."""
        found: dict[str, object] = {}
        for path in (*self.root.rglob("*"), self.root):
            status = path.lstat()
            text = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            times = status.st_mtime_ns
            found[str(path)] = status.st_mode, status.st_nlink, status.st_size, times, text
        return found

    def assert_comes_back(self) -> None:
        """Assert that it is as it was."""
        self.assertEqual(self.tree.restore(), [])
        self.assertEqual(self.look(), self.before)
        self.assertEqual(os.getcwd(), self.here)
        self.assertTrue(os.path.samefile(self.root / "hard", self.root / "d/e/f"))

    def test_nothing_has_changed(self) -> None:
        number = (self.root / "hard").stat().st_ino
        self.assert_comes_back()
        self.assertEqual((self.root / "hard").stat().st_ino, number)

    def test_all_is_gone(self) -> None:
        for name in os.listdir(self.root):
            path = self.root / name
            shutil.rmtree(path) if name == "d" else path.unlink()
        self.assert_comes_back()

    def test_everything_is_something_else(self) -> None:
        for name in ("hard", "link", "pipe", "sparse"):
            (self.root / name).unlink()
            (self.root / name / "deep").mkdir(parents=True)
        shutil.rmtree(self.root / "d")
        (self.root / "d").write_text("a file")
        self.assert_comes_back()

    def test_more_than_there_was(self) -> None:
        (self.root / "d/e/new/newer").mkdir(parents=True)
        (self.root / "d/e/new/newer/file").write_text("x")
        (self.root / "d/e/f").write_text("longer than before")
        (self.root / "d/e/new").chmod(0)
        self.assert_comes_back()

    def test_names_are_swapped(self) -> None:
        (self.root / "hard").rename(self.root / "x")
        (self.root / "sparse").rename(self.root / "hard")
        (self.root / "x").rename(self.root / "sparse")
        self.assert_comes_back()

    def test_number_of_blocks(self) -> None:
        self.assertLess((self.root / "sparse").stat().st_blocks, 2048)
        (self.root / "sparse").write_bytes(b"x" * (1 << 20))
        self.assert_comes_back()
        self.assertLess((self.root / "sparse").stat().st_blocks, 2048)

    def test_root_that_is_gone_is_a_problem(self) -> None:
        self.tree.root += "/missing"
        (problem,) = self.tree.restore()
        self.assertIn("No such file", problem)
