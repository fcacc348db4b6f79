"""--writable: an image whose files a program may change, while the image stays as it is."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

from support.case import Case
from support.messages import message
from support.run import GLOVEBOX, IS_ROOT, OWNER, Result, run
from support.small_image import NAME, fingerprint, give_pip, make_store, make_wheel, why_not_again

INSTALL = """
import subprocess, sys
pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
install = ["install", "--no-index", "--find-links", "/data", "--root-user-action=ignore", "tablet"]
done = subprocess.run(pip + install, capture_output=True, text=True)
print(done.returncode, "externally-managed" in done.stderr, flush=True)
if not done.returncode:
    subprocess.run([sys.executable, "-m", "tablet"])
    subprocess.run(["tablet"])
"""
CHANGE = """
import os
library = os.path.dirname(os.__file__)
open(f"{library}/this.py", "a").write("# changed")
os.rename(f"{library}/abc.py", "/usr/abc.py")
os.chmod("/etc/passwd", 0o600)
os.link("/etc/passwd", "/etc/passwd2")
print(open(f"{library}/this.py").read()[-9:], os.stat("/etc/passwd2").st_nlink, oct(os.stat("/etc/passwd").st_mode))
print(os.path.exists(f"{library}/abc.py"), os.path.exists("/usr/abc.py"))
"""
CHANGED = "# changed 2 0o100600\nFalse True"
REPLACE = """
import os
library = os.path.dirname(os.__file__)
text = open(f"{library}/this.py").read()
os.unlink(f"{library}/this.py")
open(f"{library}/this.py", "w").write(text + "# changed")
os.unlink(f"{library}/antigravity.py")
os.mkdir(f"{library}/made")
os.symlink("passwd", "/etc/link")
print(open(f"{library}/this.py").read()[-9:], os.path.exists(f"{library}/antigravity.py"))
print(sorted(os.listdir("/etc")), os.listdir(f"{library}/made"))
"""
REPLACED = "# changed False\n['link', 'passwd'] []"
AGAIN = """
import os, shutil
folder = os.path.dirname(os.__file__) + "/json"
shutil.rmtree(folder)
os.mkdir(folder)
print(os.listdir(folder))
"""
# What stays closed, by path: mounts that are read-only, what is no place for files, and the top itself.
CLOSED = """
import os
for path in ("/proc/self/comm", "/proc/self/oom_score_adj", "/dev/x", "/sys/x", "/proc/x", "/data/x"):
    try:
        with open(path, "w") as file:
            file.write("500")
        print(path)
    except OSError:
        pass
"""
TOP = """
import os
os.mkdir("/app")
open("/app/f", "w").close()
os.rename("/app", "/moved")
os.rmdir("/workspace")
busy = []
for path in ("/dev", "/proc"):
    try:
        os.rename(path, path + "2")
    except OSError:
        busy.append(path)
print(os.listdir("/moved"), not os.path.exists("/workspace"), busy)
"""
NODES = """
import os
refused = []
for path in ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"):
    for name, change in (("utime", lambda: os.utime(path)), ("chmod", lambda: os.chmod(path, 0o666)), ("setxattr", lambda: os.setxattr(path, "user.x", b""))):
        try:
            change()
        except OSError:
            refused += [name] if path == "/dev/null" else []
        else:
            refused.append("not " + name)
print(refused, open("/dev/null", "wb", buffering=0).write(b"1"))
"""
FILL = """
import os
size = 0
try:
    with open("/usr/fill", "wb", buffering=0) as file:
        while size < {most} << 20:
            size += file.write(bytes(1 << 16))
except OSError as error:
    print(os.strerror(error.errno))
print(size >> 20)
"""
UNLIMITED = ("--memory", "0", "--cpus", "0", "--pids-limit", "0")


class Image(Case):
    """Tests on one image, which is as it was in the end."""

    owner = 0 if IS_ROOT else os.geteuid()
    shared = False
    place: Path
    store: Path

    @classmethod
    def setUpClass(cls) -> None:
        """Make the image."""
        super().setUpClass()
        cls.place = Path(tempfile.mkdtemp(prefix="glovebox-", dir="/tmp"))
        cls.addClassCleanup(shutil.rmtree, cls.place)
        cls.place.chmod(0o755)
        cls.store = make_store(cls.place, cls.owner, shared=cls.shared)
        (cls.place / "wheels").mkdir()
        make_wheel(cls.place / "wheels")
        cls.before = fingerprint(cls.store)

    def tearDown(self) -> None:
        """Nothing of the image may have changed."""
        self.assertEqual(fingerprint(self.store), self.before)

    def small(self, *flags: str | Path, py: str, **options: Any) -> Result:
        """Run a Python text in the image."""
        env = {"GLOVEBOX_IMAGES": str(self.store)} | options.pop("env", {})
        words = ["--warm=never", *flags]
        return run(*words, argv=["python3", "-c", py], image=NAME, env=env, **options)

    @classmethod
    def give_pip(cls) -> None:
        """Add pip to the image, which is compared from here on."""
        give_pip(cls.store)
        cls.before = fingerprint(cls.store)

    def skip_unless_mapped(self) -> None:
        """Skip where the image's file system, or the kernel, has no id-mapped layers."""
        look = "import os; print(os.stat('/etc/passwd').st_uid == os.getuid())"
        if self.writable(py=look).out.strip() != "True":
            self.skipTest("cannot: this file system has no id-mapped mounts")

    def writable(self, *flags: str | Path, py: str, **options: Any) -> Result:
        """The same with --writable."""
        return self.small("--writable", *flags, py=py, **options)


class Packages(Image):
    """pip installs beside the system's packages."""

    @classmethod
    def setUpClass(cls) -> None:
        """Give the image a pip."""
        super().setUpClass()
        cls.give_pip()

    def test_as_the_image_s_user(self) -> None:
        said = self.writable("--workspace", self.place / "wheels", py=INSTALL)
        self.assert_prints("0 False\na table\na table", said)

    def test_as_root_inside(self) -> None:
        said = self.writable("-u", "0", "--workspace", self.place / "wheels", py=INSTALL)
        self.assert_prints("0 False\na table\na table", said)

    def test_the_mark_of_the_system_counts_if_the_caller_says_so(self) -> None:
        """So the image is marked, and what --writable sets is what lets pip through."""
        flags = ("-e", "PIP_BREAK_SYSTEM_PACKAGES=0", "--workspace", self.place / "wheels")
        self.assert_prints("1 True", self.writable(*flags, py=INSTALL))

    def test_without_it_nothing_is_set(self) -> None:
        said = self.small(py="import os; print('PIP_BREAK_SYSTEM_PACKAGES' in os.environ)")
        self.assert_prints("False", said)


class Changes(Image):
    """Everything in the root can be changed, removed and replaced, but for what was closed before."""

    as_user = True

    def test_files_are_replaced_and_removed(self) -> None:
        self.assert_prints(REPLACED, self.writable(py=REPLACE))

    def test_files_are_changed_and_moved(self) -> None:
        self.skip_unless_mapped()
        self.assert_prints(CHANGED, self.writable(py=CHANGE))

    def test_a_directory_is_removed_and_made_again(self) -> None:
        if why := why_not_again():
            self.skipTest(why)
        self.assert_prints("[]", self.writable(py=AGAIN))

    def test_files_are_the_user_s(self) -> None:
        self.skip_unless_mapped()
        look = "import os; print({os.stat(p).st_uid for p in ('/', '/usr', '/etc/passwd', os.__file__)})"
        self.assert_prints("{1000}", self.writable(py=look))
        self.assert_prints("{0}", self.writable("-u", "0", py=look))

    def test_without_it_the_root_is_read_only(self) -> None:
        said = self.small(py="import errno\ntry: open('/usr/x', 'w')\nexcept OSError as e: print(e.strerror)")
        self.assert_prints("Read-only file system", said)

    def test_the_top_as_well(self) -> None:
        self.assert_prints("['f'] True ['/dev', '/proc']", self.writable(py=TOP))

    def test_what_was_closed_is_closed(self) -> None:
        data = self.subfolder("data")
        for user in ("1000", "0"):
            self.assert_prints("", self.writable("-u", user, "-v", f"{data}:/data:ro", py=CLOSED))
        self.assertEqual(list(data.iterdir()), [])

    def test_nodes_of_devices_stay_as_they_are(self) -> None:
        """They are the host's: no time, mode or attribute of theirs changes; they are written to."""
        for user in ("1000", "0"):
            self.assert_prints("['utime', 'chmod', 'setxattr'] 1", self.writable("-u", user, py=NODES))

    def test_no_set_uid_and_no_devices(self) -> None:
        look = "import os; f = os.statvfs('/usr').f_flag; print(f & os.ST_NOSUID, f & os.ST_NODEV, f & os.ST_RDONLY)"
        self.assert_prints("2 4 0", self.writable(py=look))

    def test_nothing_is_kept(self) -> None:
        look = "import os; print(os.path.exists('/usr/x')); open('/usr/x', 'w')"
        for _ in range(2):
            self.assert_prints("False", self.writable(py=look))

    def test_mounts_of_places_that_the_image_lacks(self) -> None:
        script, data = self.file("s.py", "print(open('/opt/a/b/f').read())"), self.subfolder("d")
        script.chmod(0o644)
        (data / "f").write_text("given")
        flags = ["-v", f"{data}:/opt/a/b", "--tmpfs", "/usr/x/y", "-w", "/app/z", "--code", script]
        env = {"GLOVEBOX_IMAGES": str(self.store)}
        said = run("--warm=never", "--writable", *flags, image=NAME, env=env)
        self.assert_prints("given", said)
        look = "import os; open('here', 'w'); print(os.getcwd(), os.listdir('/app'), os.path.isdir('/usr/x/y'))"
        self.assert_prints("/app/z ['z'] True", self.writable("--tmpfs", "/usr/x/y", "-w", "/app/z", py=look))

    def test_the_overlay_is_not_seen(self) -> None:
        look = "print(open('/proc/self/mountinfo').read())"
        self.assert_prints("", self.writable(py=look))


class Limits(Image):
    """What is written counts: against its size, and as memory."""

    def test_size(self) -> None:
        said = self.assert_status(self.small("--writable=3m", py=FILL.format(most=64)))
        reason, written = said.out.splitlines()
        self.assertEqual(reason, "No space left on device")
        self.assertIn(int(written), (1, 2, 3))  # Python's own compiled modules are there as well

    def test_a_full_root_is_named(self) -> None:
        said = self.small("--writable=3m", py=FILL.format(most=64) + "\nraise SystemExit(1)")
        self.assertEqual(self.assert_status(said, 1).err, "[SPACE] / is full (3m): --writable=SIZE\n")

    def test_default_is_half_of_the_memory(self) -> None:
        look = "import os; v = os.statvfs('/'); print(v.f_blocks * v.f_frsize >> 20)"
        for memory, wanted in (("100m", "50"), ("8g", "1024")):
            self.assert_prints(wanted, self.writable("--memory", memory, py=look))

    def test_memory(self) -> None:
        said = self.small("--memory=64m", "--writable=1g", py=FILL.format(most=256))
        self.assert_status(said, 137)

    def test_empty_files_are_bounded(self) -> None:
        look = "import os; v = os.statvfs('/'); print(0 < v.f_files < 200000)"
        self.assert_prints("True", self.writable(py=look))


class Said(Image):
    """What is refused, and what is shown."""

    def test_refused(self) -> None:
        for flags, image, words in (
            (["--writable"], "host", message("root_overlay#host", "--writable")),
            (["--writable", "--read-only"], NAME, message("writable_finish")),
            (["--writable=9"], NAME, "--writable: "),
            (["--writable=much"], NAME, message("parse_size#such", "--writable", "much")),
            (["--read-only=false"], NAME, "--writable[=SIZE]"),
        ):
            with self.subTest(flags=flags):
                env = {"GLOVEBOX_IMAGES": str(self.store)}
                self.assert_refused(run(*flags, argv=["/bin/true"], image=image, env=env), words)

    def test_a_value_is_attached(self) -> None:
        """The word behind --writable is the image."""
        env = {"GLOVEBOX_IMAGES": str(self.store)}
        said = run("--warm=never", "--writable", argv=["python3", "-c", "print(1)"], image=NAME, env=env)
        self.assert_prints("1", said)
        self.assert_prints("True", self.small("--writable=false", py="import os; print(bool(os.statvfs('/').f_flag & 1))"))

    def test_explained(self) -> None:
        said = self.assert_status(self.writable("--explain", py="pass")).out
        self.assertIn("Root, with changes in memory until the end, built from\n", said)
        self.assertRegex(said, r"\noverlay /\. \(.*size=268435456.*\) rw,nosuid,nodev\n")
        self.assertIn("PIP_BREAK_SYSTEM_PACKAGES=1\n", said)
        plain = self.assert_status(self.small("--explain", py="pass")).out
        self.assertIn("Root, read-only, built from\n", plain)
        self.assertNotIn("overlay", plain)


class SomebodyElses(Image):
    """An image that another user shares: files are added, replaced and removed, though not changed in place."""

    shared = True
    user = 50000 + os.getpid() % 10000

    @classmethod
    def setUpClass(cls) -> None:
        """Copy the program to where the user may read it."""
        super().setUpClass()
        if not IS_ROOT:
            raise unittest.SkipTest("cannot: only root makes an image that is not ours")
        build = Path(GLOVEBOX).resolve().parents[1]
        for name in ("bin", "guest"):
            shutil.copytree(build / name, cls.place / name, symlinks=True)

    def small(self, *flags: str | Path, py: str, **options: Any) -> Result:
        """Run it as that user, who has no control groups."""
        ids = [f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups", "--inh-caps=-all"]
        env = {"PATH": os.environ["PATH"], "GLOVEBOX_IMAGES": str(self.store), "HOME": "/nonexistent"}
        words = ["run", "--warm=never", *UNLIMITED, *map(str, flags), NAME, "python3", "-c", py]
        program = self.place / "bin/glovebox"
        done = subprocess.run(["setpriv", *ids, program, *words], capture_output=True, env=env, cwd="/")
        return Result(done.returncode, done.stdout, done.stderr)

    def test_pip(self) -> None:
        self.give_pip()
        said = self.writable("--workspace", self.place / "wheels", py=INSTALL)
        self.assert_prints("0 False\na table\na table", said)

    def test_files_are_replaced_and_removed(self) -> None:
        self.assert_prints(REPLACED, self.writable(py=REPLACE))

    def test_files_are_not_changed_in_place(self) -> None:
        py = "try: open('/etc/passwd', 'a')\nexcept OSError as error: print(error.strerror)"
        self.assert_prints("Permission denied", self.writable(py=py))

    def test_a_directory_is_removed_and_made_again(self) -> None:
        if why := why_not_again():
            self.skipTest(why)
        self.assert_prints("[]", self.writable(py=AGAIN))

    def test_the_top_as_well(self) -> None:
        self.assert_prints("['f'] True ['/dev', '/proc']", self.writable(py=TOP))

    def test_what_was_closed_is_closed(self) -> None:
        self.assert_prints("", self.writable("--tmpfs", "/data:ro", py=CLOSED))

    def test_modes_and_times_of_directories_are_the_image_s(self) -> None:
        py = "import os; print([(p, oct(os.stat(p).st_mode), os.stat(p).st_mtime_ns) for p in ('/usr', '/usr/lib', '/etc')])"
        self.assertEqual(self.assert_status(self.writable(py=py)).out, self.assert_status(self.small(py=py)).out)

    def test_explained(self) -> None:
        said = self.assert_status(self.writable("--explain", py="pass")).out
        self.assertIn("rw,nosuid,nodev, the image is another user's: its directories are made anew", said)

    def test_a_directory_that_is_closed_stays_closed(self) -> None:
        private = self.store / f"trees/{'5' * 64}/rootfs/var/lib"
        self.addCleanup(private.chmod, 0o755)
        private.chmod(0o700)
        self.before = fingerprint(self.store)
        py = "import os\ntry: os.listdir('/var/lib')\nexcept OSError as e: print(e.strerror)"
        self.assert_prints("Permission denied", self.writable(py=py))
