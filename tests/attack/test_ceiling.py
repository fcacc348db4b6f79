"""Ways out of the directories that a ceiling names, for whoever may write in one of them.

The layer is the ceiling (host/mount_bound.h): without GLOVEBOX_CEILING each of these attacks succeeds. What a client
of the Engine's socket has mounted it may change meanwhile: racer.py exchanges a directory and a link that leads out.
"""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from support.attack import AttackCase
from support.run import GLOVEBOX
from support.times import is_slow

RACER = str(Path(__file__).with_name("racer.py"))
EXCHANGES = 20_000_000  # more than any test has time for: its racer ends with its input
RUNS = 60


class Ceiling(AttackCase):
    """A directory that may be mounted, and one beside it that may not."""

    kernel = ("test_a_link_that_is_exchanged_leads_nowhere", "test_nothing_is_made_elsewhere")
    as_user = True

    def setUp(self) -> None:
        super().setUp()
        self.dir.chmod(0o755)
        self.data, self.secret = self.dir / "data", self.dir / "secret"
        for path, mark in ((self.data / "plain", "plain"), (self.secret, "secret")):
            path.mkdir(parents=True)
            (path / "mark").write_text(mark)
        (self.data / "link").symlink_to(self.secret)
        self.ceiling = self.dir / "ceiling.json"
        self.ceiling.write_text(json.dumps({"mounts": [str(self.data)]}))
        self.ceiling.chmod(0o644)
        self.docker = self.dir / "docker"
        self.docker.symlink_to(Path(GLOVEBOX).resolve())

    @contextlib.contextmanager
    def racing(self) -> Iterator[None]:
        """Have the directory and the link exchanged all the time."""
        command = [sys.executable, RACER, str(os.geteuid()), str(EXCHANGES), str(self.data), "plain", "link"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as racer:
            assert racer.stdin
            assert racer.stdout
            try:
                self.assertEqual(racer.stdout.readline(), b"ready\n")
                yield
            finally:
                racer.stdin.close()
                racer.stdin = None

    def seen(self, bind: str, script: str, bounded: bool) -> str:
        """Run docker with a bind, and return what it prints; "refused"."""
        env = {name: value for name, value in os.environ.items() if name != "GLOVEBOX_OMIT"}
        if bounded:
            env["GLOVEBOX_CEILING"] = str(self.ceiling)
        command = [self.docker, "run", "--rm", "-v", bind, "host", "sh", "-c", script]
        done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
        return done.stdout.decode().strip() if done.returncode == 0 else "refused"

    def all_seen(self, bind: str, script: str, bounded: bool) -> set[str]:
        """Do it again and again, while the names are exchanged; without the ceiling until it has succeeded."""
        seen: set[str] = set()
        with self.racing():
            for _ in range(RUNS // 4 if is_slow() else RUNS):
                seen.add(self.seen(bind, script, bounded))
                if not bounded and "secret" in seen:
                    break
        return seen

    def test_a_link_that_is_exchanged_leads_nowhere(self) -> None:
        for how in (":ro", ""):
            bind = f"{self.data}/plain:/x{how}"
            with self.subTest(how=how):
                self.assertIn("secret", self.all_seen(bind, "cat /x/mark", bounded=False))
                self.assertLessEqual(self.all_seen(bind, "cat /x/mark", bounded=True), {"plain", "refused"})

    def test_a_link_within_the_path_leads_nowhere(self) -> None:
        for path in (self.data / "plain/sub", self.secret / "sub"):
            path.mkdir()
            (path / "mark").write_text(path.parent.name)
        bind = f"{self.data}/plain/sub:/x:ro"
        self.assertIn("secret", self.all_seen(bind, "cat /x/mark", bounded=False))
        self.assertLessEqual(self.all_seen(bind, "cat /x/mark", bounded=True), {"plain", "refused"})

    def test_nothing_is_made_elsewhere(self) -> None:
        """A missing source is made, and the name above it may lead elsewhere."""
        with self.racing():
            for number in range(RUNS):
                self.seen(f"{self.data}/plain/{number}/new:/x", "true", bounded=True)
        self.assertEqual(os.listdir(self.secret), ["mark"])
        with self.racing():
            for number in range(RUNS, 10 * RUNS):
                self.seen(f"{self.data}/plain/{number}/new:/x", "true", bounded=False)
                if os.listdir(self.secret) != ["mark"]:
                    break
        self.assertNotEqual(os.listdir(self.secret), ["mark"])

    def test_a_path_of_another_mount_namespace_leads_nowhere(self) -> None:
        """There the directory that may be mounted has the other one over it."""
        script = 'mount --make-rprivate / && mount --bind "$0" "$1" && echo ready && read line'
        command = ["unshare", "-m" if os.geteuid() == 0 else "-Urm", "sh", "-c", script, self.secret, self.data]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
            assert other.stdout
            if other.stdout.readline() != b"ready\n":
                self.skipTest("cannot: nothing can be mounted in a namespace here")
            for bounded in (True, False):
                self.seen(f"/proc/{other.pid}/root{self.data}/new:/x", "true", bounded)
                self.assertEqual((self.secret / "new").exists(), not bounded)
            other.communicate()

    def test_links_by_every_way_lead_nowhere(self) -> None:
        (self.data / "plain/up").symlink_to("../../secret")
        (self.data / "chain").symlink_to("plain/up")
        held = os.open(self.secret, os.O_PATH)
        self.addCleanup(os.close, held)
        for source in (
            f"{self.data}/link",
            f"{self.data}/plain/up",
            f"{self.data}/chain",
            f"{self.data}/plain/../../secret",
            f"{self.data}/../secret",
            f"/proc/{os.getpid()}/fd/{held}",
            f"/proc/{os.getpid()}/root{self.secret}",
        ):
            with self.subTest(source=source):
                self.assertEqual(self.seen(f"{source}:/x:ro", "cat /x/mark", bounded=False), "secret")
                self.assertEqual(self.seen(f"{source}:/x:ro", "cat /x/mark", bounded=True), "refused")
