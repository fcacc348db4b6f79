"""Hostile packages, while an image is built from them as root.

A .deb with a maintainer script and a wheel with a .pth file run code; neither has an id of the
host's root, sees a process or a file of the host, or has its network. Needs no mirror: a program in
mmdebstrap's place (fixtures/building) makes a small root of the host's own files.
"""

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest
import zipfile
from pathlib import Path

from support.attack import AttackCase
from support.run import GLOVEBOX, ROOT
from support.times import wait_until

FIXTURES = ROOT / "tests/fixtures/building"
IMAGE = str(Path(GLOVEBOX).with_name("glovebox-image"))
CONTROL = """Package: hostile
Version: 1
Architecture: all
Maintainer: nobody <nobody@localhost>
Description: runs code when it is installed
"""
POSTINST = "#!/bin/sh\nset -e\npython3 -S -c 'import sys; sys.path.append(\"/usr/lib\"); \
import witness; witness.look(\"deb\")'\n"
TOOLS = ("dpkg", "dpkg-deb", "ldd", "setpriv", "tar")


@unittest.skipUnless(os.geteuid() == 0, "cannot: as an ordinary user there is no root to become")
@unittest.skipUnless(all(map(shutil.which, TOOLS)), "cannot: no dpkg here")
class BuildingTest(AttackCase):
    """What the packages note down, and what is left on the host."""

    def setUp(self) -> None:
        super().setUp()
        self.bin = self.dir / "bin"
        shutil.copytree(FIXTURES, self.bin)
        (self.bin / "apt-get").write_text("#!/bin/sh\nexit 0\n")
        (self.bin / "apt-get").chmod(0o755)
        for name in ("victim-deb", "victim-pth"):
            (self.bin / name).write_text("untouched")
            (self.bin / name).chmod(0o666)
        self.bystander = subprocess.Popen(["sleep", "1000"])
        self.addCleanup(self.bystander.wait)
        self.addCleanup(self.bystander.kill)
        self.listen()
        self.make_deb()
        self.make_wheel()

    def listen(self) -> None:
        """Somebody of the host listens on a name and on a port."""
        name = f"hostile-{secrets.token_hex(8)}"
        sockets = [socket.socket(family) for family in (socket.AF_UNIX, socket.AF_INET)]
        for one, address in zip(sockets, ("\0" + name, ("127.0.0.1", 0)), strict=True):
            self.addCleanup(one.close)
            one.bind(address)
            one.listen()
        wanted = {
            "marker": self.token,
            "pid": self.bystander.pid,
            "deb": str(self.bin / "victim-deb"),
            "pth": str(self.bin / "victim-pth"),
            "abstract": name,
            "port": sockets[1].getsockname()[1],
        }
        (self.bin / "hostile.json").write_text(json.dumps(wanted))

    def make_deb(self, postinst: str = POSTINST) -> None:
        """A package that brings the witness, and calls it."""
        tree = self.dir / "deb"
        (tree / "DEBIAN").mkdir(parents=True, exist_ok=True)
        (tree / "usr/lib").mkdir(parents=True, exist_ok=True)
        shutil.copy(FIXTURES / "witness.py", tree / "usr/lib/witness.py")
        (tree / "DEBIAN/control").write_text(CONTROL)
        (tree / "DEBIAN/postinst").write_text(postinst)
        (tree / "DEBIAN/postinst").chmod(0o755)
        build = ["dpkg-deb", "--build", "--root-owner-group", str(tree), str(self.bin / "h.deb")]
        subprocess.run(build, check=True, stdout=subprocess.DEVNULL)

    def make_wheel(self) -> None:
        """A wheel whose .pth file runs whenever python3 starts."""
        (self.dir / "links").mkdir()
        with zipfile.ZipFile(self.dir / "links/hostile-1-py3-none-any.whl", "w") as wheel:
            wheel.write(FIXTURES / "witness.py", "pth_witness.py")
            wheel.writestr("hostile.pth", "import pth_witness; pth_witness.look('pth')\n")

    def environment(self) -> dict[str, str]:
        """Ours, with the programs of the fixture in front."""
        return os.environ | {
            "PATH": f"{self.bin}:{os.environ['PATH']}",
            "GLOVEBOX_IMAGES": str(self.dir / "store"),
            "HOSTILE_SECRET": "of root's environment",
            "TMPDIR": str(self.dir),
        }

    def command_line(self, **recipe: object) -> list[str]:
        """Build an image of the wheel and the package."""
        text = {"suite": "bookworm", "pip": ["hostile"], "pip_find_links": str(self.dir / "links")}
        (self.dir / "r.json").write_text(json.dumps(text | recipe))
        mirror = "http://127.0.0.1:9/"
        return [IMAGE, "build", "--verbose", "--tag", "x", "--mirror", mirror, str(self.dir / "r.json")]

    def build(self, **variables: str) -> None:
        """Build it; the marker is in the arguments of a process of the host meanwhile."""
        mark = subprocess.Popen([sys.executable, "-c", "open(0).read()", self.token],
                                stdin=subprocess.PIPE)  # fmt: skip
        self.addCleanup(mark.communicate)
        done = subprocess.run(
            self.command_line(), env=self.environment() | variables, capture_output=True,
            text=True, errors="replace", timeout=100,
        )  # fmt: skip
        self.said = done.stderr
        self.assertEqual(done.returncode, 0, done.stderr)

    def note(self, name: str, root: Path | None = None) -> dict:
        """What a package has noted down."""
        root = root or (self.dir / "store/tags/x:latest").resolve() / "rootfs"
        return json.loads((root / f"usr/share/witness-{name}.json").read_text())

    def assert_contained(self, name: str) -> None:
        """It ran, as root of nothing."""
        note = self.note(name)
        self.assertEqual(note["uid"], 0, "root inside, where it has to be")
        inside, outside, count = map(int, note["uid_map"])
        self.assertEqual((inside, count), (0, 65536))
        self.assertGreaterEqual(outside, 1000, "an id of the host's")
        self.assertFalse(note["sees"], "a process of the host")
        self.assertEqual(note["kills"], "ProcessLookupError")
        self.assertNotEqual(note["remounts"], "done")
        self.assertNotEqual(note["writes"], "done", "a mount that is for reading")
        self.assertEqual((self.bin / f"victim-{name}").read_text(), "untouched")
        self.assertNotEqual(note["abstract"], "done", "a socket of the host")
        self.assertNotEqual(note["loopback"], "done", "the host's loopback")
        self.assertFalse(note["terminal"])
        self.assertFalse(note["secret"], "root's environment")

    def test_a_package_is_root_of_nothing(self) -> None:
        self.build()
        self.assert_contained("deb")
        self.assert_contained("pth")
        self.assertRegex(self.said, r"pip wheel: 1000 0 \d{4,} 65536 False", "with a network")
        tree = self.dir / "store/tags/x:latest/rootfs"
        owners = {path.lstat().st_uid for path in tree.rglob("*")}
        self.assertEqual(owners, {os.geteuid()}, "the image belongs to whom it always did")
        self.assertEqual(list(self.dir.glob("glovebox-build-*")), [])

    def test_the_same_package_takes_the_host_without_a_chamber(self) -> None:
        """Its layer left out: the same program in mmdebstrap's place, by itself."""
        argv = [str(self.bin / "mmdebstrap"), "bookworm", str(self.dir / "bare"), self.token]
        environment = self.environment()
        subprocess.run(argv, env=environment, check=True, capture_output=True, timeout=100)
        note = self.note("deb", self.dir / "bare")
        self.assertEqual(note["uid_map"][1], "0")
        self.assertTrue(note["sees"])
        self.assertEqual((note["kills"], note["abstract"]), ("done", "done"))
        self.assertEqual((note["loopback"], note["secret"]), ("done", True))
        self.assertEqual((self.bin / "victim-deb").read_text(), "overwritten")

    def test_constraints_reach_pip_wherever_they_are(self) -> None:
        names = [str(self.dir / name) for name in ("first.txt", "second.txt")]
        for number, name in enumerate(names):
            Path(name).write_text(f"number{number} == 1")
            Path(name).chmod(0o600)
        url = "https://example.invalid/c.txt"
        self.build(PIP_CONSTRAINT=f"{names[0]} {url}\t{names[1]}")
        for text in ("number0 == 1", f"{url}", "number1 == 1"):
            self.assertIn(f"pip constraint: {text}\n", self.said)

    def test_a_constraint_that_cannot_be_read_is_said_before_anything_is_made(self) -> None:
        for path, why in ((self.dir / "none", "No such file"), (self.dir, "is not a file")):
            done = subprocess.run(
                self.command_line(), env=self.environment() | {"PIP_CONSTRAINT": str(path)},
                capture_output=True, text=True, timeout=100,
            )  # fmt: skip
            self.assertEqual(done.returncode, 125, done.stderr)
            self.assertRegex(done.stderr, f"{path}, which PIP_CONSTRAINT names.*{why}")
            self.assertEqual(done.stderr.count("\n"), 1)

    def test_what_it_prints_commands_no_terminal(self) -> None:
        self.make_deb(POSTINST + "printf '\\033]0;owned\\007 \\302\\233 \\233' >&2\n")
        self.build()
        self.assertIn("]0;owned", self.said, "with --verbose")
        self.assertEqual([c for c in self.said if c not in "\n\t" and not " " <= c <= "~"], [])

    def start_endless(self) -> subprocess.Popen[str]:
        """A build whose package does not end, and has daemons."""
        code = (
            "import os, signal, time\n"
            "for number in (1, 2, 15): signal.signal(number, signal.SIG_IGN)\n"
            "if os.fork() == 0: os.setsid()\n"
            "time.sleep(1000)"
        )
        self.make_deb(f"#!/bin/sh\nexec python3 -S -c '{code}' mark={self.token}\n")
        process = subprocess.Popen(
            self.command_line(), env=self.environment(), stderr=subprocess.DEVNULL, text=True
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertTrue(wait_until(lambda: len(self.inside()) >= 2, 60), "it did not start")
        return process

    def test_a_place_that_another_user_can_exchange_is_refused(self) -> None:
        for name, owner, mode in (("his", 4321, 0o755), ("open", 0, 0o777)):
            place = self.dir / name
            (place / "tmp").mkdir(parents=True)
            place.chmod(mode)
            os.chown(place, owner, owner)
            for below in (place, place / "tmp"):
                done = subprocess.run(
                    self.command_line(), env=self.environment() | {"TMPDIR": str(below)},
                    capture_output=True, text=True, timeout=100,
                )  # fmt: skip
                self.assertEqual(done.returncode, 125, done.stderr)
                last = done.stderr.splitlines()[-1]
                self.assertRegex(last, f"build below {place}: other users can .* TMPDIR ")
                self.assertEqual([path.name for path in place.rglob("*")], ["tmp"])

    def mounts(self) -> str:
        """What the host has mounted, of builds."""
        lines = Path("/proc/self/mountinfo").read_text().splitlines()
        return "\n".join(line for line in lines if str(self.dir) in line)

    def test_a_builder_that_is_killed_leaves_no_process_and_no_mount(self) -> None:
        process = self.start_endless()
        process.kill()
        process.wait()
        self.assert_gone()
        self.assertEqual(self.mounts(), "")

    def test_a_signal_ends_what_ignores_signals(self) -> None:
        process = self.start_endless()
        start = time.monotonic()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(30), 128 + signal.SIGTERM)
        self.assertLess(time.monotonic() - start, 10)
        self.assert_gone()
        self.assertEqual(self.mounts(), "")
        self.assertEqual(list(self.dir.glob("glovebox-build-*")), [])
