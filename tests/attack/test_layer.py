"""Attacks by what a sandbox that stays does to its root: on diff, export, and what is kept of it."""

import ast
import os
import random
import signal
import subprocess
import tarfile
import time

from staying_root import WAIT, Root
from support.messages import message
from support.run import GLOVEBOX
from support.times import wait_until

SWAP = """
import os
os.makedirs("/opt/a/b")
os.symlink("/etc", "/opt/l")
while True:
    open("/opt/a/b/f", "w").write("x" * 100000)
    os.rename("/opt/a", "/opt/c"); os.rename("/opt/l", "/opt/a"); os.rename("/opt/c", "/opt/l")
    os.truncate("/opt/l/b/f", 1)
    os.rename("/opt/a", "/opt/c"); os.rename("/opt/l", "/opt/a"); os.rename("/opt/c", "/opt/l")
    os.unlink("/opt/a/b/f")
"""
# It reaches the descriptors of each process that is not its own, by three ways.
REACH = """
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
print("ready", flush=True)
found, end = {}, time.monotonic() + 3
while time.monotonic() < end:
    for pid in os.listdir("/proc"):
        if not pid.isdigit() or int(pid) in (1, os.getpid()):
            continue
        ways = {"open": lambda: os.open(f"/proc/{pid}/fd/0", os.O_RDONLY), "list": lambda: os.listdir(f"/proc/{pid}/fd")}
        ways["root"] = lambda: os.listdir(f"/proc/{pid}/root")
        for way, take in ways.items():
            try:
                what = take()
            except OSError:
                continue
            if way == "open":
                found[way] = found.get(way) or (os.path.isdir(f"/proc/self/fd/{what}") and os.listdir(what))
                os.close(what)
            else:
                found[way] = True
        try:
            pidfd = os.pidfd_open(int(pid))
        except OSError:
            continue
        fd = libc.syscall(438, pidfd, 0, 0)
        if fd >= 0:
            found["getfd"] = True
            os.close(fd)
        os.close(pidfd)
print(sorted(found.items()), flush=True)
"""


class Names(Root):
    """Trees that nobody expects."""

    def test_every_byte(self) -> None:
        name = self.box()
        self.py(name, "for b in range(1, 256):\n if b != 47: open(b'/opt/' + bytes([b, 97]), 'w')\nopen('/opt/x\\nD etc', 'w')")
        for _ in range(2):
            lines = [line for line in self.diff(name) if line.startswith("A /opt/")]
            self.assertEqual(len(lines), 255)
            self.assertEqual([line for line in lines if not line.isprintable()], [])
            self.assertNotIn("D etc", self.diff(name))
            self.again(name)
            self.assertEqual(self.py(name, "import os; print(len(os.listdir('/opt')))"), "255\n")

    def test_names_that_mean_something_elsewhere(self) -> None:
        """OCI's and overlayfs' own words are names."""
        name = self.box()
        words = (".wh.passwd", ".wh..wh..opq", ".wh..", "user.overlay.opaque", "#1", "work", "index")
        self.py(name, f"for word in {words}: open('/etc/' + word, 'w')")
        self.again(name)
        self.assertEqual(self.py(name, "import os; print(len(os.listdir('/etc')), os.path.getsize('/etc/passwd') > 0)"), "8 True\n")

    def test_a_hundred_thousand_files(self) -> None:
        name = self.box("--memory", "1g", "--writable=512m")
        script = "for d in range(100):\n os.mkdir(f'/opt/{d}')\n for f in range(1000): os.mknod(f'/opt/{d}/{f}')"
        self.py(name, "import os\n" + script)
        self.assertEqual(len(self.diff(name)), 100_000 + 100 + 3)
        self.again(name)
        self.assertEqual(self.py(name, "import os; print(sum(len(os.listdir(f'/opt/{d}')) for d in range(100)))"), "100000\n")

    def test_a_deep_tree(self) -> None:
        name = self.box()
        self.py(name, "import os\nos.chdir('/opt')\nfor _ in range(1000): os.mkdir('d'); os.chdir('d')")
        result = self.assert_status(self.ours("diff", name), 1)
        self.assertRegex(result.err, message("layer_enter#deep"))
        self.again(name)
        depth = int(self.py(name, "import os\nos.chdir('/opt')\nn = 0\nwhile os.path.isdir('d'): os.chdir('d'); n += 1\nprint(n)"))
        self.assertGreater(depth, 200)

    def test_what_is_no_file(self) -> None:
        name = self.box()
        script = "import os, socket\nos.mkfifo('/opt/fifo'); socket.socket(socket.AF_UNIX).bind('/opt/socket'); open('/opt/file', 'w')"
        self.py(name, script)
        self.assertIn("A /opt/fifo", self.diff(name))
        self.again(name)
        self.assertEqual(self.py(name, "import os; print(os.listdir('/opt'))"), "['file']\n")

    def test_more_than_a_file_may_have(self) -> None:
        """A hole of a terabyte: what was before stays, and the record says so."""
        name = self.box("--writable=8m", "--ulimit", "fsize=2000000000000")
        self.py(name, "open('/etc/before', 'w')")
        self.again(name)
        self.py(name, "import os\nos.truncate(os.open('/etc/hole', os.O_CREAT | os.O_RDWR), 1 << 40)")
        self.stop(name)
        self.assertRegex(self.field(name, "State.Error"), message("monitor_keep_root#lost"))
        self.assertEqual(sorted(path.name for path in self.layer.parent.iterdir() if "layer" in path.name), ["layer"])
        self.assert_status(self.ours("start", name))
        self.assertEqual(self.py(name, "import os; print(sorted(os.listdir('/etc')))"), "['before', 'passwd']\n")


class Beside(Root):
    """Programs that run while it is read."""

    kernel = ("test_the_layers_are_mover_s_alone",)

    def test_what_is_swapped_meanwhile(self) -> None:
        name = self.box(py=SWAP)
        for _ in range(20):
            for word in ("diff", "export"):
                result = self.ours(word, name, text=False)
                self.assertIn(result.status, (0, 1), result.stderr)
                self.assertNotIn(b"/etc/passwd", result.stdout if word == "diff" else b"")
        self.again(name)

    def test_a_mover_that_is_killed(self) -> None:
        name = self.box(py="import os\nwhile True:\n for p in os.listdir('/proc'):\n  if p.isdigit() and int(p) > 2: os.kill(int(p), 9)")
        statuses = {self.ours("diff", name).status for _ in range(20)}
        self.assertLessEqual(statuses, {0, 125})
        self.stop(name)
        self.assertIn("A /home/sandbox", self.diff(name))

    def reach(self, *words: str) -> list[object]:
        """What REACH finds while a command is repeated."""
        name = self.box("--security-opt", "seccomp=unconfined", py=REACH + WAIT)
        clients: list[int] = []
        said = lambda: self.ours("logs", name).out.splitlines()
        self.assertTrue(wait_until(said))
        while len(said()) < 2:
            clients.append(self.ours(*(word.format(name) for word in words)).status)
        self.assertGreater(len(clients), 2)
        return ast.literal_eval(said()[1])

    def test_the_layers_are_mover_s_alone(self) -> None:
        self.assertEqual(self.reach("diff", "{}"), [])

    def test_they_are_not_another_program_s(self) -> None:
        """The same ways lead to a program that is not undumpable."""
        found = dict(self.reach("exec", "{}", "python3", "-c", "import time; time.sleep(0.1)"))
        self.assertIn("list", found)

    def test_attributes_of_overlayfs(self) -> None:
        """With a filter that lets them be set: overlayfs keeps its own from a program."""
        name = self.box("--security-opt", "seccomp=unconfined")
        script = """
import os
os.chmod("/usr/lib", 0o755); os.utime("/usr/lib")
for key in ("opaque", "redirect", "metacopy", "whiteout", "origin", "overlay.opaque"):
    for path in ("/usr/lib", "/etc"):
        try:
            os.setxattr(path, "user.overlay." + key, b"y")
        except OSError:
            pass
try:
    os.mknod("/etc/none", 0o20000 | 0o600, 0)
except OSError:
    pass
print(len(os.listdir("/usr/lib")), sorted(os.listdir("/etc")))
"""
        before = self.py(name, script)
        self.again(name)
        look = "import os\nprint(len(os.listdir('/usr/lib')), sorted(os.listdir('/etc')))"
        self.assertEqual(self.py(name, look), before)


class Kept(Root):
    """The monitor is killed while it writes."""

    def test_a_layer_is_whole_or_not_there(self) -> None:
        choose = random.Random(7)
        for number in range(8):
            with self.subTest(number=number):
                name = self.box("--writable=64m")
                self.py(name, "import os\nopen('/etc/big', 'wb').write(os.urandom(20 << 20))")
                monitor = int(self.field(name, "State.Pid"))
                client = subprocess.Popen([GLOVEBOX, "kill", name], env=dict(os.environ, **self.env), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(choose.random() / 20)
                try:
                    os.kill(monitor, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                client.wait()
                self.assertTrue(wait_until(lambda: self.field(name, "State.Status") in ("dead", "exited")))
                if self.layer.exists():
                    with tarfile.open(self.layer) as archive:
                        self.assertIn("etc/big", archive.getnames())
                # What a killed monitor leaves of its control group is gone once its processes are.
                self.assertTrue(wait_until(lambda: not self.ours("start", name).status))
                self.assert_status(self.ours("rm", "-f", name))

    def test_records_say_so(self) -> None:
        """A directory in the place of the new file: nothing can be written there."""
        name = self.box()
        self.py(name, "open('/etc/made', 'w')")
        (self.layer.parent / "layer.new").mkdir()
        self.stop(name)
        self.assertRegex(self.field(name, "State.Error"), message("monitor_keep_root#lost"))
