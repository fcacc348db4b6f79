"""A real dockerd loads what `image save` wrote, runs it, and saves what `image import` takes (make check-clients).

Docker makes nothing writable that the archive does not. The daemon is Debian's, in namespaces of its own, which end
with it.
"""

import contextlib
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from support.processes import GROUPS
from support.run import GLOVEBOX, IS_ROOT, ROOT
from support.small_image import make_store
from support.times import DEADLINE, wait_until

CLIENTS = Path(os.environ.get("GLOVEBOX_CLIENTS", ROOT / "build/clients"))
PROGRAMS = CLIENTS / "docker/usr/bin", CLIENTS / "docker/usr/sbin"
NAMESPACES = "unshare --mount --net --pid --fork --kill-child --mount-proc".split()
BEGIN = 'ip link set lo up && mount -t tmpfs none /run && exec dockerd "$@"'

PASSWD = "root:x:0:0:root:/root:/bin/sh\nann:x:1234:1235::/home/ann:/bin/sh\n"
DOCKERFILE = """
FROM small
COPY passwd /etc/passwd
COPY notes /home/ann/
COPY tmp /var/tmp/
COPY lock /run/lock/
WORKDIR /work
ENV HOME=/home/ann
USER ann
"""

WRITE = """
import os, sys, tempfile
for place in sys.argv[1:]:
    with tempfile.TemporaryFile(dir=place) as file:
        file.write(b"x")
    print(place, oct(os.stat(place).st_mode & 0o7777))
print(os.getuid(), tempfile.gettempdir(), os.getcwd())
"""


class RoundTrip(unittest.TestCase):
    """An image with a user, a home and a working directory."""

    @classmethod
    def setUpClass(cls) -> None:
        """Start the daemon."""
        if not IS_ROOT:
            raise unittest.SkipTest("cannot: dockerd is root's")
        if not (PROGRAMS[1] / "dockerd").exists():
            raise unittest.SkipTest(f"cannot: no {PROGRAMS[1]}/dockerd (tools/fetch-clients)")
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.group = f"glovebox-test-docker-{os.getpid()}"
        cls.env = {
            "PATH": ":".join([*map(str, PROGRAMS), os.environ["PATH"]]),
            "DOCKER_HOST": f"unix://{cls.folder}/socket",
            "HOME": str(cls.folder),
            "GLOVEBOX_IMAGES": str(make_store(cls.folder, 0)),
        }
        cls.build()
        cls.start()

    @classmethod
    def build(cls) -> None:
        """Build an image whose user has a home."""
        context = cls.folder / "context"
        for folder in ("tmp", "lock"):
            (context / folder).mkdir(parents=True)
        (context / "passwd").write_text(PASSWD)
        (context / "notes").write_text("before\n")
        (context / "Dockerfile").write_text(DOCKERFILE)
        build = [GLOVEBOX, "image", "build", str(context), "--tag", "ann"]
        done = subprocess.run(build, env=cls.env, capture_output=True, text=True, timeout=DEADLINE, check=False)
        if done.returncode:
            raise AssertionError(done.stderr)

    @classmethod
    def start(cls) -> None:
        """Start dockerd, and have it ended."""
        log = cls.enterClassContext((cls.folder / "log").open("wb"))
        flags = f"--data-root {cls.folder}/data --exec-root /run/x --pidfile /run/x.pid --host {cls.env['DOCKER_HOST']}"
        flags += f" --storage-driver vfs --iptables=false --ip6tables=false --bridge=none --cgroup-parent /{cls.group}"
        daemon = subprocess.Popen(
            [*NAMESPACES, "sh", "-c", BEGIN, "dockerd", *flags.split()], env=cls.env, stdout=log, stderr=log
        )
        cls.addClassCleanup(cls.remove_groups)
        cls.addClassCleanup(daemon.wait)
        cls.addClassCleanup(daemon.kill)
        is_there = ["docker", "version"]
        wait_until(lambda: daemon.poll() is not None or not subprocess.run(is_there, env=cls.env, capture_output=True).returncode)
        if daemon.poll() is not None:
            raise AssertionError((cls.folder / "log").read_text()[-2000:])

    @classmethod
    def remove_groups(cls) -> None:
        """Remove what the daemon has left of its control groups."""
        for group in (GROUPS / cls.group, *GROUPS.glob(f"*/{cls.group}")):
            with contextlib.suppress(FileNotFoundError):
                group.rmdir()

    def do(self, *words: str) -> str:
        """Return what a program prints that ends well."""
        done = subprocess.run(words, env=self.env, capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_docker_runs_what_was_saved(self) -> None:
        """Its user writes where a sandbox's may: /tmp, /var/tmp, the home, the working directory."""
        archive = str(self.folder / "ann.tar")
        self.do(GLOVEBOX, "image", "save", "ann", "-o", archive)
        self.do("docker", "load", "-i", archive)
        places = "/tmp", "/var/tmp", "/run/lock", "/home/ann", "/work"
        inside = self.do("docker", "run", "--rm", "--network", "none", "ann", "python3", "-c", WRITE, *places)
        written = [f"/tmp {0o1777:#o}", f"/var/tmp {0o1777:#o}", f"/run/lock {0o1777:#o}", f"/home/ann {0o755:#o}", f"/work {0o755:#o}"]
        self.assertEqual(inside.splitlines(), [*written, "1234 /tmp /work"])
        more = "file = open('/home/ann/notes', 'a+'); file.seek(0); print(file.read())"
        self.assertEqual(self.do("docker", "run", "--rm", "--network", "none", "ann", "python3", "-c", more), "before\n\n")

    def test_what_docker_saves_is_imported(self) -> None:
        """It is the same tree."""
        there, back = str(self.folder / "there.tar"), str(self.folder / "back.tar")
        self.do(GLOVEBOX, "image", "save", "ann", "-o", there)
        self.do("docker", "load", "-i", there)
        self.do("docker", "save", "ann:latest", "-o", back)
        self.do(GLOVEBOX, "image", "import", back, "--tag", "back")
        first, second = (self.tree(name) for name in ("ann", "back"))
        self.assertEqual(first, second)
        self.assertEqual(self.do(GLOVEBOX, "run", "back", "python3", "-c", "import os; print(os.getuid(), os.getcwd())"), "1234 /work\n")

    def tree(self, name: str) -> dict[str, tuple[int, int]]:
        """Return the mode and size of each file of an image."""
        root = self.folder / f"images/tags/{name}:latest/rootfs"
        found = ((path, path.lstat()) for path in root.resolve().rglob("*"))
        return {
            str(path.relative_to(root.resolve())): (st.st_mode, 0 if path.is_dir() else st.st_size) for path, st in found
        }
