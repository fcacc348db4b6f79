"""Files of sandboxes that stay: cp in both directions, as docker cp names them, and what a hostile sandbox sends."""

import io
import os
import shutil
import tarfile
import unittest
from pathlib import Path

from integration.staying import Staying
from support.messages import message
from support.run import GLOVEBOX, TESTING, execute

PROBE = Path(GLOVEBOX).resolve().parent.parent / "unit/mover_probe"


class Copy(Staying):
    """`cp` between this machine and a sandbox."""

    def setUp(self) -> None:
        """A sandbox, and a tree beside it."""
        super().setUp()
        self.name = self.stay()
        self.here = self.folder / "here"
        (self.here / "src/sub").mkdir(parents=True)
        (self.here / "src/a").write_text("1\n")
        (self.here / "src/sub/b").write_bytes(bytes(range(256)) * 1000)
        (self.here / "src/a").chmod(0o750)
        (self.here / "src/l").symlink_to("a")

    def cp(self, *words: str | Path, **options: object) -> None:
        """Copy, from the directory of the tree."""
        result = self.ours("cp", *words, cwd=self.here, **options)
        self.assert_status(result)
        self.assertEqual((result.out, result.err), ("", ""))

    def there(self, script: str) -> str:
        """What a script in the sandbox prints."""
        return self.assert_status(self.inside(self.name, script)).out

    def same(self, *one: str) -> None:
        """Assert that a copy of the tree is the tree."""
        for path in one:
            copy = self.here / path
            self.assertEqual((copy / "sub/b").read_bytes(), (self.here / "src/sub/b").read_bytes())
            self.assertEqual(os.readlink(copy / "l"), "a")
            self.assertEqual((copy / "a").stat().st_mode & 0o777, 0o750)

    def test_in_and_out(self) -> None:
        self.cp("src", f"{self.name}:/tmp")
        self.assertEqual(self.there("cd /tmp/src; find . | sort; cat a; readlink l"), ".\n./a\n./l\n./sub\n./sub/b\n1\na\n")
        self.cp(f"{self.name}:/tmp/src", "new")  # is made, with this name
        self.cp(f"{self.name}:/tmp/src", "new")  # exists: into it, with its own
        self.cp(f"{self.name}:/tmp/src/.", "content")
        self.same("new", "new/src", "content")

    def test_files_by_name(self) -> None:
        self.cp("src/a", f"{self.name}:/tmp/b")
        self.cp("src/a", f"{self.name}:tmp/b")  # over the old one; a path of a sandbox begins at its root
        self.cp(f"{self.name}:/tmp/b", "c")
        self.cp(f"{self.name}:/tmp/b", "src/sub/")
        self.assertEqual([(self.here / path).read_text() for path in ("c", "src/sub/b")], ["1\n", "1\n"])

    def test_a_slash_behind_the_name(self) -> None:
        """It names a directory, which is made for a directory alone."""
        for words in (("src/a", f"{self.name}:/tmp/made/"), (f"{self.name}:/etc/passwd", "made/")):
            with self.subTest(words):
                said = message("cp_lacks_directory", *[word.rpartition(":")[2] for word in words[1:]])
                self.assertRegex(self.assert_status(self.ours("cp", *words, cwd=self.here), 125).err, said)
        self.assertEqual((self.there("ls /tmp"), (self.here / "made").exists()), ("", False))
        self.cp("src", f"{self.name}:/tmp/made/")
        self.cp(f"{self.name}:/tmp/made", "made/")
        self.same("made")

    def test_links_are_not_followed(self) -> None:
        outside = self.folder / "outside"
        outside.write_text("mine")
        (self.here / "target").symlink_to(outside)
        self.there("echo theirs > /tmp/target")
        self.cp(f"{self.name}:/tmp/target", self.here / "src")
        self.assertEqual((self.here / "src/target").read_text(), "theirs\n")
        self.assertEqual(outside.read_text(), "mine")

    def test_streams(self) -> None:
        tar = io.BytesIO()
        with tarfile.open(fileobj=tar, mode="w") as archive:
            archive.add(self.here / "src", "src")
        self.cp("-", f"{self.name}:/tmp", stdin=tar.getvalue())
        result = self.ours("cp", f"{self.name}:/tmp/src", "-", text=False)
        with tarfile.open(fileobj=io.BytesIO(result.stdout)) as archive:
            self.assertEqual(sorted(archive.getnames()), ["src", "src/a", "src/l", "src/sub", "src/sub/b"])

    def test_what_does_not_go(self) -> None:
        self.name = self.stay("--tmpfs", "/tmp/small:size=64k")
        self.there("mkdir -p -m 0 /tmp/closed; mkdir /tmp/dir; mkfifo /tmp/dir/fifo; touch /tmp/dir/beside /tmp/file")
        (self.here / "big").write_bytes(b"x" * 200_000)
        for words, said in (
            ((f"{self.name}:/nothing", "."), "Could not find the file /nothing in container"),
            (("src/a", f"{self.name}:/usr"), "glovebox: cannot make a: Read-only file system: /tmp, a -v directory and, with run --writable,"),
            (("src/a", f"{self.name}:/no/dir"), "glovebox: cannot open /no: No such file or directory\n"),
            (("big", f"{self.name}:/tmp/small"), "glovebox: cannot write big: No space left on device: run --tmpfs PATH:size=SIZE"),
            ((f"{self.name}:/tmp/closed/x", "."), "glovebox: cannot look at /tmp/closed/x: Permission denied\n"),
            ((f"{self.name}:/tmp/file", "/proc/fs/x"), "glovebox: cannot make x: "),
            (("nothing", f"{self.name}:/tmp"), "nothing"),
            (("src", "dst"), "NAME:PATH"),
            ((f"{self.name}:/tmp", f"{self.name}:/tmp"), "NAME:PATH"),
            (("src", f"{self.name}:/tmp/file"), "is a directory"),
            ((f"{self.name}:/tmp/dir", "src/a"), "is a file"),
            ((f"{self.name}:/tmp/file", "no/where/x"), "does not exist"),
            (("src", "nobody:/tmp"), "No such container"),
        ):
            with self.subTest(words):
                result = self.ours("cp", *words, cwd=self.here)
                self.assertNotEqual(result.status, 0)
                self.assertIn(said, result.err)
                self.assertEqual(result.err.count("\n"), 1, result.err)
        result = self.assert_status(self.ours("cp", f"{self.name}:/tmp/dir", self.here), 1)
        self.assertRegex(result.err, r"\Aglovebox: left out: .*: dir/fifo\n\Z")
        self.assertEqual(os.listdir(self.here / "dir"), ["beside"])

    def test_nothing_else_comes_out(self) -> None:
        """Whatever the sandbox sends under the name of one file: here mover is a program of its own that it kills."""
        self.there("mkdir /tmp/x; echo 1 > /tmp/x/.bashrc; ln -s /etc /tmp/x/etc; touch /tmp/x/etc/y 2>/dev/null; true")
        self.cp(f"{self.name}:/tmp/x", "x")
        self.assertEqual(sorted(os.listdir(self.here)), ["src", "x"])
        self.assertEqual(os.readlink(self.here / "x/etc"), "/etc")

    def broken(self, program: str, omit: str = "") -> list[str]:
        """Copy by a mover that is broken on this machine; return how it ended where it tried to write."""
        for place in ("bin", "guest", "in"):
            (self.here / place).mkdir()
        (self.here / "existing").touch()
        copy = Path(shutil.copy(program, self.here / "bin"))
        shutil.copy(PROBE, self.here / "guest/mover")
        # The monitor of the sandbox has the real one, which finds the file.
        self.there("echo 1 > /tmp/f")
        result = execute([copy, "cp", f"{self.name}:/tmp/f", "in"], env=self.env | {"GLOVEBOX_OMIT": omit}, cwd=self.here)
        return [line.split()[-1] for line in result.err.splitlines() if line.endswith(("refused", "written"))]

    @unittest.skipUnless(PROBE.exists(), "needs build/unit/mover_probe: make unit")
    def test_a_mover_that_is_broken_writes_nowhere_else(self) -> None:
        """On this machine Landlock holds it, also as root."""
        self.assertEqual(self.broken(GLOVEBOX), ["written", "refused", "refused", "refused"])
        self.assertEqual(os.listdir(self.here / "in"), ["here"])
        self.assertFalse((self.folder / "beside").exists())

    @unittest.skipUnless(PROBE.exists(), "needs build/unit/mover_probe: make unit")
    def test_a_mover_that_is_broken_writes_anywhere_without_the_layer(self) -> None:
        self.assertEqual(self.broken(TESTING, "mover-landlock"), ["written"] * 4)
        self.assertTrue((self.folder / "beside").exists())

    def test_it_ends_with_its_sandbox(self) -> None:
        self.there("head -c 50000000 /dev/zero > /tmp/big")
        self.assert_status(self.ours("kill", self.name))
        result = self.ours("cp", f"{self.name}:/tmp/big", self.here)
        self.assert_fails(result, 125, "/tmp/big")
