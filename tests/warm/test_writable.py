"""--writable and --ca in warm cells and sessions: as in a cold start, as root and as an ordinary user."""

import os
import tempfile
import shutil
from pathlib import Path

from support.messages import message
from support.ordinary_user import Anybody, OrdinaryUser
from support.run import IS_ROOT, Result
from support.serve import certificate
from support.small_image import NAME, fingerprint, give_pip, make_store, make_wheel

PIP_INSTALL = """
import subprocess, sys
pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", "install", "--root-user-action=ignore"]
done = subprocess.run([*pip, "--no-index", "--find-links", "/data", "tablet"], capture_output=True, text=True)
print(done.returncode, done.stderr)
import importlib
importlib.invalidate_caches()
import tablet
tablet.main()
"""
CHANGE = """
import os
library = os.path.dirname(os.__file__)
mapped = os.stat("/etc/passwd").st_uid == os.getuid()
if mapped:  # this file system has id-mapped mounts
    os.chmod(f"{library}/this.py", 0o444)
    open(f"{library}/abc.py", "a").write("# changed")
    os.rename(f"{library}/this.py", "/usr/this.py")
os.unlink(f"{library}/antigravity.py")
print(os.path.exists(f"{library}/antigravity.py"), open(f"{library}/abc.py").read()[-9:] == "# changed" or not mapped)
print({os.stat(p).st_uid for p in ("/", "/usr")}, os.statvfs("/").f_blocks * 4096 >> 20)
os.mkdir("/app")
for path in ("/proc/self/comm", "/dev/x", "/sys/x"):
    try:
        open(path, "w")
        print(path)
    except OSError:
        pass
"""
CHANGED = "False True\n{1000} 32"
# A module that makes its TLS context when it is imported, and says what that trusts.
EAGER = """
import ssl
context = ssl.create_default_context()
"""
TRUSTED = "import eager; print([dict(x[0] for x in c['subject'])['commonName'] for c in eager.context.get_ca_certs()])"


class Writable(Anybody):
    """As who we are."""

    kernel = ("test_cells", "test_sessions")
    owner = 0 if IS_ROOT else os.geteuid()
    store: Path

    @classmethod
    def setUpClass(cls) -> None:
        """Make the image, and a module that can be preloaded."""
        super().setUpClass()
        cls.home = Path(tempfile.mkdtemp(prefix="glovebox-", dir="/tmp"))
        cls.addClassCleanup(shutil.rmtree, cls.home)
        cls.home.chmod(0o755)
        cls.store = make_store(cls.home, cls.owner)
        eager = next((cls.store / "trees").glob("*/rootfs/usr/local/lib/*/dist-packages")) / "eager.py"
        eager.write_text(EAGER)
        (cls.home / "wheels").mkdir()
        make_wheel(cls.home / "wheels")
        cls.ca, _ = certificate(cls.home)
        cls.before = fingerprint(cls.store)

    def tearDown(self) -> None:
        """Nothing of the image may have changed."""
        self.assertEqual(fingerprint(self.store), self.before)

    def env(self) -> dict[str, str]:
        return super().env() | {"GLOVEBOX_IMAGES": str(self.store)}

    def cell(self, *flags: str | Path, py: str, how: str = "--warm=require") -> Result:
        """Run a Python text in a cell of the image."""
        return self.glovebox("run", how, *flags, NAME, "python3", "-c", py)

    def does(self, name: str, code: str) -> str:
        """Run code in a session."""
        return self.assert_status(self.glovebox("session", "exec", name, code)).out.strip()

    def session(self, *flags: str | Path) -> str:
        """Start one and return its name."""
        return self.assert_status(self.glovebox("session", "new", *flags, NAME)).out.strip()

    def test_cells(self) -> None:
        self.start_warm(image=NAME)
        for how in ("--warm=require", "--warm=never"):
            self.assert_prints(CHANGED, self.cell("--writable=32m", py=CHANGE, how=how))
        plain = "try: open('/usr/x', 'w')\nexcept OSError as e: print(e.strerror)"
        self.assert_prints("Read-only file system", self.cell(py=plain))

    def test_sessions(self) -> None:
        self.start_warm(image=NAME)
        name = self.session("--writable=32m")
        self.assertEqual(self.does(name, CHANGE), CHANGED)
        other = self.session("--writable=32m")
        self.assertEqual(self.does(other, CHANGE), CHANGED)

    def test_pip(self) -> None:
        give_pip(self.store)
        type(self).before = fingerprint(self.store)
        self.start_warm(image=NAME)
        flags = ("--writable", "--workspace", self.home / "wheels")
        self.assert_prints("0 \na table", self.cell(*flags, py=PIP_INSTALL))
        self.assertEqual(self.does(self.session(*flags), PIP_INSTALL), "0 \na table")

    def test_a_session_with_changes_to_its_root_has_no_checkpoints(self) -> None:
        """A rollback would leave them; what else it has goes on."""
        self.start_warm(image=NAME)
        name = self.session("--writable")
        self.does(name, "x = 1")
        said = self.assert_status(self.glovebox("session", "checkpoint", name), 125)
        self.assertIn("changes to the root (--writable) cannot be put back", said.err)
        self.assertEqual(self.does(name, "print(x)"), "1")
        plain = self.session()
        self.assert_status(self.glovebox("session", "checkpoint", plain))

    def test_authorities_make_nothing_cold(self) -> None:
        look = "import os, ssl; print(os.environ['SSL_CERT_FILE'], len(ssl.create_default_context().get_ca_certs()))"
        self.start_warm(image=NAME)
        self.assert_prints("/run/glovebox/ca.pem 1", self.cell("--ca", self.ca, py=look))
        self.assert_prints("/run/glovebox/ca.pem 1", self.cell("--ca", self.ca, "--writable", py=look))
        self.assertEqual(self.does(self.session("--ca", self.ca), look), "/run/glovebox/ca.pem 1")
        same = ("-e", "SSL_CERT_FILE=/run/glovebox/ca.pem", "-e", "SSL_CERT_DIR=/none")
        self.assert_prints("/run/glovebox/ca.pem 1", self.cell("--ca", self.ca, *same, py=look))

    def test_a_preload_that_has_read_the_authorities_is_read_anew(self) -> None:
        """Its context was made before this run had an authority: Python is started anew, inside."""
        self.start_warm("--preload", "eager", image=NAME)
        for how in ("--warm=require", "--warm=never"):
            self.assert_prints("[]", self.cell(py=TRUSTED, how=how))
            self.assert_prints("['tls']", self.cell("--ca", self.ca, py=TRUSTED, how=how))
        said = self.glovebox("session", "new", "--ca", self.ca, NAME)
        self.assert_refused(said, message("run_session"))
        self.assertEqual(self.does(self.session(), TRUSTED), "[]")


class WritableOfAnOrdinaryUser(OrdinaryUser, Writable):
    """The same with an image of that user's."""

    kernel = False  # of its own there is nothing


class SomebodyElsesImage(OrdinaryUser):
    """An ordinary user's cells of an image of root's."""

    @classmethod
    def setUpClass(cls) -> None:
        """Make the image, which stays root's."""
        super().setUpClass()
        cls.home = Path(tempfile.mkdtemp(prefix="glovebox-"))
        cls.addClassCleanup(shutil.rmtree, cls.home, ignore_errors=True)
        cls.home.chmod(0o755)
        cls.store = make_store(cls.home, 0, shared=True)
        (cls.home / "wheels").mkdir()
        make_wheel(cls.home / "wheels")

    def env(self) -> dict[str, str]:
        return super().env() | {"GLOVEBOX_IMAGES": str(self.store)}

    def test_pip_in_cells_and_sessions(self) -> None:
        give_pip(self.store)
        before = fingerprint(self.store)
        self.start_warm(image=NAME)
        flags = ("--writable", "--workspace", self.home / "wheels")
        said = self.glovebox("run", "--warm=require", *flags, NAME, "python3", "-c", PIP_INSTALL)
        self.assert_prints("0 \na table", said)
        name = self.assert_status(self.glovebox("session", "new", *flags, NAME)).out.strip()
        said = self.assert_status(self.glovebox("session", "exec", name, PIP_INSTALL))
        self.assertEqual(said.out.strip(), "0 \na table")
        self.assertEqual(fingerprint(self.store), before)
