"""Paths that are written or made, below a directory of another user who has put a link on the way.

The layer is the walk (fs/trusted_path.h). The testing build leaves it out with GLOVEBOX_OMIT=foreign-links;
each attack must succeed then.
"""

import io
import json
import os
import signal
import subprocess
import tarfile
import unittest
from collections.abc import Callable
from pathlib import Path

from support.attack import AttackCase, Finished
from support.messages import message
from support.run import GLOVEBOX, TESTING

IS_ROOT = os.geteuid() == 0
STRANGER = 61234
LINK = "is a link"


@unittest.skipUnless(IS_ROOT, "cannot: only root can be two users")
class WrittenPaths(AttackCase):
    """`way` is the stranger's link to a directory of root's. Nothing may be made or changed there."""

    def setUp(self) -> None:
        super().setUp()
        self.roots = self.dir / "roots"
        self.theirs = self.dir / "theirs"
        self.fresh()

    def fresh(self) -> None:
        """Make both directories anew."""
        subprocess.run(["rm", "-rf", self.roots, self.theirs], check=True)
        self.roots.mkdir(mode=0o755)
        (self.roots / "there").mkdir()
        (self.roots / "file").write_text("as it was")
        self.theirs.mkdir(mode=0o755)
        os.chown(self.theirs, STRANGER, STRANGER)
        for name, target in (("way", self.roots), ("dangling", self.roots / "made"), ("end", self.roots / "file"),
                             ("out", self.roots / "there")):
            (self.theirs / name).symlink_to(target)
            os.chown(self.theirs / name, STRANGER, STRANGER, follow_symlinks=False)

    def tree(self) -> dict[str, str]:
        """Return what is in root's directory."""
        found = self.roots.rglob("*")
        return {str(p.relative_to(self.roots)): p.read_text(errors="replace") if p.is_file() else "" for p in found}

    def glovebox(self, *args: str | Path, name: str = "glovebox", omit: bool = False, stop: bool = False,
                 **env: str) -> Finished:
        """Run a command of ours; `stop`: one that serves is ended as soon as it says that it does."""
        program = TESTING if omit else GLOVEBOX
        own = {"GLOVEBOX_OMIT": "foreign-links"} if omit else {}
        everything = {k: v for k, v in os.environ.items() if k != "GLOVEBOX_OMIT"} | env | own
        command = [str(Path(program).with_name(name)), *map(str, args)]
        pipes = {"executable": program, "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen(command, env=everything, text=True, **pipes) as process:
            if stop and (line := process.stderr.readline()):
                process.send_signal(signal.SIGTERM)
                out, err = process.communicate(timeout=60)
                return Finished(process.returncode, out, line + err)
            out, err = process.communicate(timeout=60)
        return Finished(process.returncode, out, err)

    def holds(self, attack: Callable[[bool], Finished], succeeds: bool = True) -> None:
        """An attack is refused by name and leaves no trace; without the layer it leaves one."""
        before = self.tree()
        done = attack(False)
        self.assertEqual(done.status, 125, done)
        self.assertIn(LINK, done.stderr)
        self.assertEqual(self.tree(), before, done)
        if succeeds:
            done = attack(True)
            self.assertNotEqual(self.tree(), before, f"without the layer: {done}")
            self.fresh()

    def run_with(self, *flags: str | Path, name: str = "glovebox", succeeds: bool = True) -> None:
        """Attack a run."""
        words = ("run", *flags, "host", "/bin/sh", "-c", "echo x > /output/x 2> /dev/null; true")
        with self.subTest(flags=flags):
            self.holds(lambda omit: self.glovebox(*words, name=name, omit=omit), succeeds)

    def test_result_file(self) -> None:
        for path in ("way/f", "way/there/f", "way/../roots/f", "way/file", "end", "dangling"):
            self.run_with("--result-file", self.theirs / path)

    def test_id_file(self) -> None:
        self.run_with("--cidfile", self.theirs / "way/f")

    def test_egress_log(self) -> None:
        for path in ("way/f", "end"):
            self.run_with("--allow-host", "1", "--egress-log", self.theirs / path)

    def test_output(self) -> None:
        for path in ("way/new", "way/there", "way/there/a/b", "out", "out/new"):
            self.run_with("--output", self.theirs / path)

    def test_volumes(self) -> None:
        """Those that docker makes, and any that is writable."""
        for path in ("way/new", "out/new"):
            self.run_with("-v", f"{self.theirs / path}:/x:ro", name="docker")
        for path in ("way/there", "out"):
            self.run_with("-v", f"{self.theirs / path}:/output")

    def test_a_link_to_the_strangers_link(self) -> None:
        """Root's own link is followed; that it leads over another's is seen."""
        (self.dir / "mine").symlink_to(self.theirs / "way")
        self.run_with("--result-file", self.dir / "mine/f")
        self.run_with("--output", self.dir / "mine/new")

    def test_a_strangers_link_in_a_sticky_directory(self) -> None:
        """One that is root's is followed there, as the kernel does (fs.protected_symlinks)."""
        sticky = self.dir / "sticky"
        sticky.mkdir()
        sticky.chmod(0o1777)
        (sticky / "way").symlink_to(self.roots)
        done = self.glovebox("run", "--result-file", sticky / "way/mine", "host", "true")
        self.assertEqual((done.status, (self.roots / "mine").exists()), (0, True), done)
        os.chown(sticky / "way", STRANGER, STRANGER, follow_symlinks=False)
        self.run_with("--result-file", sticky / "way/f", succeeds=False)  # the kernel may refuse it as well
        self.run_with("--output", sticky / "way/new", succeeds=False)

    def test_a_file_of_root_s_that_the_stranger_has_linked(self) -> None:
        """A second name of a file is no link; what has two names is not emptied where others can make names."""
        os.link(self.roots / "file", self.theirs / "second")
        before = self.tree()
        done = self.glovebox("run", "--result-file", self.theirs / "second", "host", "true")
        self.assertEqual((done.status, self.tree()), (125, before), done)
        self.assertIn("has another name", done.stderr)

    def test_a_strangers_fifo_is_not_waited_for(self) -> None:
        os.mkfifo(self.theirs / "fifo")
        os.chown(self.theirs / "fifo", STRANGER, STRANGER)
        done = self.glovebox("run", "--result-file", self.theirs / "fifo", "host", "true")
        self.assertEqual(done.status, 125, done)
        self.assertRegex(done.stderr, message("trusted_path_open_file#ordinary", "/fifo"))

    def archive(self) -> Path:
        """Return the smallest root that can be imported."""
        path = self.dir / "root.tar"
        with tarfile.open(path, "w") as tar:
            for name in ("usr", "etc"):
                entry = tarfile.TarInfo(name)
                entry.type = tarfile.DIRTYPE
                entry.mode = 0o755
                tar.addfile(entry)
            entry = tarfile.TarInfo("etc/passwd")
            entry.size = 1
            tar.addfile(entry, io.BytesIO(b"\n"))
        return path

    def test_images(self) -> None:
        """A store that is made, and an archive that is saved."""
        archive = self.archive()
        store = str(self.dir / "store")
        made = self.glovebox("image", "import", archive, "small", GLOVEBOX_IMAGES=store)
        self.assertEqual(made.status, 0, made)
        saved = self.dir / "saved.tar"
        done = self.glovebox("image", "save", "-o", saved, "small", GLOVEBOX_IMAGES=store)
        self.assertEqual((done.status, saved.stat().st_mode & 0o777), (0, 0o600), done)
        for path in ("way/s.tar", "end"):
            with self.subTest(path=path):
                self.holds(lambda omit, path=path: self.glovebox("image", "save", "-o", self.theirs / path, "small",
                                                                 omit=omit, GLOVEBOX_IMAGES=store))
        for path in ("way/new", "way/there", "out"):
            words = ("image", "import", archive, "small")
            self.holds(lambda omit, path=path: self.glovebox(*words, omit=omit,
                                                             GLOVEBOX_IMAGES=str(self.theirs / path)))

    def test_what_tells_of_a_program_is_closed_to_others(self) -> None:
        """New files that hold what a program did; an old one keeps its mode."""
        os.umask(0o022)
        log, result = self.dir / "log", self.dir / "result"
        flags = ("--allow-host", "1", "--egress-log", log, "--result-file", result)
        for mode in (0o600, 0o640):
            done = self.glovebox("run", *flags, "host", "true")
            self.assertEqual(done.status, 0, done)
            for path in (log, result):
                self.assertEqual(path.stat().st_mode & 0o777, mode, path)
                path.chmod(0o640)

    def test_server(self) -> None:
        """What a server keeps, and where it listens."""
        own = ("serve", "--as", "root", "--image", "host")
        rows = (
            ("--audit", "way/audit", ()), ("--audit", "end", ()), ("--files", "way/files", ()),
            ("--files", "way/there/x/files", ()), ("--listen", "way/socket", ()),
        )
        for flag, path, more in rows:
            value = f"unix:{self.theirs / path}" if flag == "--listen" else self.theirs / path
            listen = () if flag == "--listen" else ("--listen", "127.0.0.1:0")
            files = () if flag == "--files" else ("--files", self.dir / "files")
            with self.subTest(flag=flag, path=path):
                self.holds(lambda omit, value=value, flag=flag, listen=listen, files=files: self.glovebox(
                    *own, flag, value, *listen, *files, omit=omit, stop=True), succeeds=flag != "--listen")

    def test_what_is_the_callers_own_stays_usable(self) -> None:
        """Root's own links, the shell's pipes and the standard descriptors."""
        (self.dir / "mine").symlink_to(self.roots)
        (self.dir / "last").symlink_to("roots/made-by-a-link")
        for path in (self.dir / "mine/f", self.dir / "last", "/dev/stdout", "/proc/self/fd/1"):
            done = self.glovebox("run", "--result-file", path, "host", "true")
            self.assertEqual(done.status, 0, done)
            text = done.stdout if str(path).startswith(("/dev", "/proc")) else Path(path).read_text()
            self.assertEqual(json.loads(text)["exit_code"], 0)
        self.assertTrue((self.roots / "made-by-a-link").is_file())
