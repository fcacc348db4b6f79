"""Files of sandboxes that do not run: cp into one that was created, or has ended, and out of it."""

import fcntl
import os
import shutil
import signal
import subprocess
from pathlib import Path

from integration.staying_root import WAIT, Root
from support.messages import message
from support.run import command, unique
from support.small_image import NAME
from support.times import wait_until

READ = "import sys\nfor path in sys.argv[1:]: print(open(path).read())"


class Ended(Root):
    """`cp` in both directions."""

    def setUp(self) -> None:
        """A tree on this side."""
        super().setUp()
        self.here = self.subfolder("here")
        (self.here / "a").write_text("1")
        (self.here / "tree/sub").mkdir(parents=True)
        (self.here / "tree/sub/b").write_text("2")

    def made(self, *flags: str | Path, reads: tuple[str, ...] = ()) -> str:
        """Create a sandbox whose program prints files; return its name."""
        name = unique("made")
        argv = ["python3", "-c", READ, *reads]
        self.assert_status(self.ours("create", *command("--name", name, "--writable", *flags, image=NAME, argv=argv)[2:], cwd=self.here))
        return name

    def cp(self, *words: str | Path) -> None:
        """Copy, from the directory of the tree."""
        result = self.assert_status(self.ours("cp", *words, cwd=self.here))
        self.assertEqual((result.out, result.err), ("", ""))

    def printed(self, name: str) -> str:
        """What the program prints, from its start to its end."""
        result = self.assert_status(self.ours("start", "-a", name))
        self.assertEqual(result.err, "")
        return result.out

    def test_before_the_first_start(self) -> None:
        """The root, a directory in memory and a volume: all of it is there when the program begins, and the state stays."""
        volume = self.subfolder("v")
        paths = ("/etc/a", "/opt/tree/sub/b", "/tmp/a", "/home/sandbox/a", "/var/lib/a", "/data/a")
        name = self.made("-v", f"{volume}:/data", "--tmpfs", "/var/lib", reads=paths)
        self.cp("tree", f"{name}:/opt/")
        for path in paths:
            if path.endswith("/a"):
                self.cp("a", f"{name}:{path}")
        self.assertEqual((volume / "a").read_text(), "1")
        self.assertEqual(self.field(name, "State.Status"), "created")
        self.assertEqual(self.printed(name), "1\n2\n1\n1\n1\n1\n")

    def test_out_of_what_was_made(self) -> None:
        name = self.made()
        self.cp("tree", f"{name}:/etc/new")
        self.cp(f"{name}:/etc/new", "back")
        self.assertEqual((self.here / "back/sub/b").read_text(), "2")
        self.cp(f"{name}:/etc/passwd", "passwd")
        self.assertIn("A /etc/new/sub/b", self.diff(name))

    def test_after_the_end(self) -> None:
        """What it had changed stays, and what is copied comes on top."""
        name = self.box(py="open('/etc/made', 'w').write('made')\n" + WAIT)
        self.assertTrue(wait_until(lambda: "A /etc/made" in self.diff(name)))
        self.stop(name)
        ended = self.state(name)
        self.cp("a", f"{name}:/etc/a")
        self.cp(f"{name}:/etc/made", "made")
        self.assertEqual((self.here / "made").read_text(), "made")
        self.assertEqual(self.state(name), ended)
        self.assert_status(self.ours("start", name))
        self.assertEqual(self.py(name, "print(open('/etc/made').read(), open('/etc/a').read())"), "made 1\n")

    def test_paths_are_those_of_the_caller(self) -> None:
        """The sandbox was made in another directory, which is gone."""
        place = self.subfolder("gone")
        name = unique("made")
        self.assert_status(self.ours("create", *command("--name", name, "--writable", image=NAME, argv=["true"])[2:], cwd=place))
        self.cp("a", f"{name}:/etc/a")
        shutil.rmtree(place)
        self.assert_fails(self.ours("cp", "a", f"{name}:/etc/b", cwd=self.here), 125, str(place))

    def test_what_cannot_be(self) -> None:
        """One line, and nothing is changed."""
        name = self.made()
        before = self.records[0].joinpath("state").read_bytes()
        for words, said in (
            (("none", f"{name}:/etc"), "No such file"),
            (("a", f"{name}:/none/a"), "/none"),
            ((f"{name}:/none", "x"), message("cp_misses", "/none", name)),
            (("a", f"{name}:/proc/a"), "cannot make a"),
        ):
            with self.subTest(words):
                result = self.assert_status(self.ours("cp", *words, cwd=self.here), 125)
                self.assertRegex(result.err, said)
        self.assertFalse(self.layer.exists())
        self.assertEqual(self.records[0].joinpath("state").read_bytes(), before)

    def test_a_root_that_is_read_only(self) -> None:
        """Its volumes can be written."""
        volume = self.subfolder("v")
        name = unique("made")
        self.assert_status(self.ours("create", *command("--name", name, "-v", f"{volume}:/data", image=NAME, argv=["true"])[2:]))
        self.cp("a", f"{name}:/data/a")
        self.assertEqual((volume / "a").read_text(), "1")
        for path in ("/etc/a", "/tmp/a"):
            self.assert_fails(self.ours("cp", "a", f"{name}:{path}", cwd=self.here), 125, "it does not run")

    def test_memory_that_cannot_last(self) -> None:
        """Below a directory of the host, read-only, or /dev/shm: nothing is written that would be lost, or hidden."""
        volume = self.subfolder("v")
        name = self.made("-v", f"{volume}:/data", "--tmpfs", "/data/cache", "--tmpfs", "/opt/closed:ro")
        for path in ("/data/cache/a", "/opt/closed/a", "/dev/shm/a"):
            self.assert_fails(self.ours("cp", "a", f"{name}:{path}", cwd=self.here), 125, "it does not run")
        self.assertEqual([*(volume / "cache").iterdir()], [])

    def test_what_could_not_start_again_is_not_kept(self) -> None:
        """It is laid once more, with the mounts and the memory of a start."""
        name = self.made("--writable=64m", "--tmpfs", "/opt/small:size=64k", reads=("/opt/small/a",))
        self.cp("a", f"{name}:/opt/small/a")
        (self.here / "large").write_bytes(os.urandom(1 << 20))
        result = self.assert_status(self.ours("cp", "large", f"{name}:/opt/small/large", cwd=self.here), 125)
        self.assertRegex(result.err, message("reopen_try"))
        self.assertEqual(self.printed(name), "1\n")

    def test_limits(self) -> None:
        """Memory is bounded as in one that runs, and by what `update` has said."""
        name = self.made("--writable=1g", "--memory", "32m")
        (self.here / "large").write_bytes(os.urandom(48 << 20))
        self.assert_status(self.ours("cp", "large", f"{name}:/etc/large", cwd=self.here), 125)
        self.assertFalse(self.layer.exists())
        self.assert_status(self.ours("update", "--memory", "256m", name))
        self.cp("large", f"{name}:/etc/large")
        self.assertTrue(self.layer.exists())

    def test_no_room(self) -> None:
        """The old layer stays."""
        name = self.made("--writable=1m")
        self.cp("a", f"{name}:/etc/a")
        before = self.layer.read_bytes()
        (self.here / "large").write_bytes(os.urandom(2 << 20))
        self.assert_status(self.ours("cp", "large", f"{name}:/etc/large", cwd=self.here), 125)
        self.assertEqual(self.layer.read_bytes(), before)

    def test_it_does_not_start_meanwhile(self) -> None:
        """A copy that goes on keeps others from it; one that is killed has changed nothing."""
        name = self.made()
        into = self.start([self.program, "cp", "-", f"{name}:/etc"], env=os.environ | self.env, stdin=subprocess.PIPE)
        record = os.open(self.records[0] / "record", os.O_RDONLY)
        self.addCleanup(os.close, record)

        def is_locked() -> bool:
            try:
                fcntl.flock(record, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
            fcntl.flock(record, fcntl.LOCK_UN)
            return False

        self.assertTrue(wait_until(is_locked))
        self.assertEqual(self.field(name, "State.Status"), "created")
        self.assertRegex(self.assert_status(self.ours("rm", name), 125).err, message("record_remove"))
        into.send_signal(signal.SIGKILL)
        into.wait()
        self.assertTrue(wait_until(lambda: not is_locked()))
        self.assertFalse(self.layer.exists())
        self.assertEqual(self.printed(name), "")
