"""A hostile image whose links lead mount points away: nothing outside is ever touched."""

import io
import os
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

from support.run import GLOVEBOX, why_cannot_run


class ImageLinks(unittest.TestCase):
    """Links of an image are resolved inside the image, or refused."""

    @classmethod
    def setUpClass(cls) -> None:
        """Skip what cannot work for this user on this machine: it would prove nothing."""
        if reason := why_cannot_run():
            raise unittest.SkipTest(reason)

    def setUp(self) -> None:
        """An image that links to a directory of the host, and that directory."""
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.dir = Path(scratch.name)
        self.dir.chmod(0o755)
        self.victim = self.dir / "victim"
        self.victim.mkdir(mode=0o777)
        self.victim.chmod(0o777)
        self.env = dict(os.environ, GLOVEBOX_IMAGES=str(self.dir / "images"))
        archive = self.dir / "image.tar"
        with tarfile.open(archive, "w") as tar:
            self.add_tree(tar)
        done = self.glovebox("image", "import", str(archive), "hostile")
        self.assertEqual(done.returncode, 0, done.stderr)

    def add_tree(self, tar: tarfile.TarFile) -> None:
        """Just enough of a root to run sh: links into a copy of the machine's busybox or dash."""
        libraries = subprocess.run(["ldd", "/bin/sh"], capture_output=True, text=True).stdout
        files = {word for word in libraries.split() if word.startswith("/")} | {"/bin/sh"}
        for file in files:
            real = os.path.realpath(file)
            info = tarfile.TarInfo(file.lstrip("/"))
            info.mode = 0o755
            data = Path(real).read_bytes()
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        for name in ("data", "code", "output", "deep/link"):
            info = tarfile.TarInfo(name)
            info.type = tarfile.SYMTYPE
            info.linkname = str(self.victim)
            tar.addfile(info)

    def glovebox(self, *args: str) -> subprocess.CompletedProcess[str]:
        """Run the program with the scratch store."""
        return subprocess.run([str(GLOVEBOX), *args], env=self.env, capture_output=True,
                              text=True, timeout=60)

    def test_code_is_not_written_through_a_link(self) -> None:
        """--code goes to /code, which the image made a link to the host's path."""
        script = self.dir / "script.py"
        script.write_text("print(1)\n")
        self.glovebox("run", "--code", str(script), "--entrypoint", "", "hostile", "/bin/sh", "-c", "true")
        self.assertEqual(list(self.victim.iterdir()), [])

    def test_a_working_directory_keeps_its_files(self) -> None:
        """The root is made anew around a missing mount point (/sys): what is below -w stays."""
        done = self.glovebox("run", "-w", "/bin", "hostile", "/bin/sh", "-c", "test -e sh && pwd")
        self.assertEqual((done.returncode, done.stdout), (0, "/bin\n"), done.stderr)

    def test_mounts_stay_inside(self) -> None:
        """Volumes, tmpfs and working directories below such links make nothing outside."""
        source = self.dir / "source"
        source.mkdir()
        for flags in (["-v", f"{source}:/data/new:ro"], ["--tmpfs", "/output/new"],
                      ["-w", "/deep/link/new"], ["-v", f"{source}:/deep/link/a/b:ro"]):
            with self.subTest(flags=flags):
                self.glovebox("run", *flags, "hostile", "/bin/sh", "-c", "true")
                self.assertEqual(list(self.victim.iterdir()), [])

    def test_a_mount_on_a_link_hides_nothing_outside(self) -> None:
        """The mount lands where the program then sees it, inside."""
        source = self.dir / "source"
        source.mkdir()
        source.chmod(0o755)
        (source / "seen").write_text("x")
        done = self.glovebox("run", "-v", f"{source}:/data:ro", "hostile", "/bin/sh", "-c",
                             "test -e /data/seen && echo inside")
        self.assertEqual((done.returncode, done.stdout), (0, "inside\n"), done.stderr)

    def test_other_names_of_tmp_do_not_lead_out_through_a_volume(self) -> None:
        """/tmp is a link of the image into a volume, where a link leads to the host's /usr/share.

        Layer: RESOLVE_NO_SYMLINKS for each path of a new root (runtime/inside/root_names.c).
        """
        volume = self.dir / "volume"
        volume.mkdir(mode=0o755)
        (volume / "away").symlink_to("/usr")
        archive = self.dir / "named.tar"
        with tarfile.open(archive, "w") as tar:
            self.add_tree(tar)
            for name in ("var/tmp", "run/lock", "usr/share", "volume/away/share"):
                info = tarfile.TarInfo(name)
                info.type = tarfile.DIRTYPE
                info.mode = 0o755
                tar.addfile(info)
            info = tarfile.TarInfo("tmp")
            info.type = tarfile.SYMTYPE
            info.linkname = "/volume/away/share"
            tar.addfile(info)
        done = self.glovebox("image", "import", str(archive), "named")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.glovebox("run", "-v", f"{volume}:/volume:ro", "named", "/bin/sh", "-c", "echo /var/tmp/* /run/lock/*")
        self.assertEqual((done.returncode, done.stdout), (125, ""), done.stderr)
        self.assertIn("Too many levels of symbolic links", done.stderr)
