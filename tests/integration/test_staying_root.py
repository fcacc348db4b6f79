"""The root of a sandbox that stays: diff, export, commit, and what survives stop and start."""

import ast
import io
import json
import os
import shutil
import signal
import socket
import tarfile
import tempfile
import time
import unittest
from pathlib import Path

from integration.staying_root import WAIT, Root
from support.messages import message
from support.run import GLOVEBOX, IS_ROOT, Result, execute
from support.small_image import NAME, make_store, why_not_again
from support.times import wait_until

PROBE = Path(GLOVEBOX).resolve().parent.parent / "unit/mover_probe"
CHANGE = """
import os, shutil
lib = os.path.dirname(os.__file__)
with open(f"{lib}/this.py", "a") as file:
    file.write("# changed")
shutil.rmtree(f"{lib}/json")
os.mkdir(f"{lib}/json")
open(f"{lib}/json/new", "w").close()
os.unlink(f"{lib}/abc.py")
shutil.rmtree(f"{lib}/email")
open(f"{lib}/email", "w").close()
os.unlink(f"{lib}/antigravity.py")
os.mkdir(f"{lib}/antigravity.py")
with open("/etc/made", "w") as file:
    file.write("made")
os.link("/etc/made", "/etc/twin")
os.symlink("/etc/shadow", "/etc/link")
open("/etc/.wh.passwd", "w").close()
os.mkdir("/opt/closed")
open("/opt/closed/in", "w").close()
os.chmod("/opt/closed", 0o500)
with open("/opt/secret", "w") as file:
    file.write("secret")
os.chmod("/opt/secret", 0)
os.utime("/opt/secret", (1e9, 1e9))
os.mkdir("/app")
open("/app/made", "w").close()
os.symlink("app", "/link")
os.rmdir("/workspace")
os.rmdir("/output")
open("/output", "w").close()
"""
LOOK = """
import os
lib = os.path.dirname(os.__file__)
os.chmod("/opt/secret", 0o600)
print([open(f"{lib}/this.py").read()[-9:], os.listdir(f"{lib}/json"), os.path.exists(f"{lib}/abc.py"),
    os.path.isfile(f"{lib}/email"), os.listdir(f"{lib}/antigravity.py"), open("/etc/made").read(),
    os.stat("/etc/twin").st_nlink, os.readlink("/etc/link"), sorted(os.listdir("/etc")), oct(os.stat("/opt/closed").st_mode),
    os.listdir("/opt/closed"), open("/opt/secret").read(), os.stat("/opt/secret").st_mtime,
    os.listdir("/link"), os.path.exists("/workspace"), os.path.isfile("/output")])
"""
LOOKED = [
    "# changed", ["new"], False, True, [], "made", 2, "/etc/shadow", [".wh.passwd", "link", "made", "passwd", "twin"],
    "0o40500", ["in"], "secret", 1e9, ["made"], False, True,
]  # fmt: skip
CHANGES = """\
A /app
A /app/made
C /etc
A /etc/.wh.passwd
A /etc/link
A /etc/made
A /etc/twin
C /home
A /home/sandbox
A /link
C /opt
A /opt/closed
A /opt/closed/in
A /opt/secret
C /output
C /usr
C /usr/lib
C LIB
D LIB/abc.py
C LIB/antigravity.py
C LIB/email
C LIB/json
A LIB/json/new
C LIB/this.py
D /workspace
"""


class Changes(Root):
    """`diff`, and what comes back."""

    kernel = ("test_it_survives_any_end_of_the_program",)

    def test_what_was_changed_comes_back(self) -> None:
        if why := why_not_again():
            self.skipTest(why)
        name = self.box()
        self.assertEqual(self.diff(name), ["C /home", "A /home/sandbox"])
        self.py(name, CHANGE)
        wanted = CHANGES.replace("LIB", self.library).splitlines()
        self.assertEqual(self.diff(name), wanted)
        self.stop(name)
        self.assertEqual(self.diff(name), wanted)
        for _ in range(2):
            self.assert_status(self.ours("start", name))
            self.assertEqual(self.diff(name), wanted)
            self.assertEqual(ast.literal_eval(self.py(name, LOOK)), LOOKED)
            self.py(name, "import os; os.chmod('/opt/secret', 0); os.utime('/opt/secret', (1e9, 1e9))")
            self.stop(name)
        self.assert_status(self.ours("rm", name))
        self.assertEqual(self.records, [])

    def test_it_survives_any_end_of_the_program(self) -> None:
        for number, end in enumerate((("kill",), ("kill", "-s", "TERM"), ("restart", "-t", "0"), ("stop", "-t", "0"))):
            with self.subTest(end):
                name = self.box()
                self.py(name, f"open('/etc/made', 'w').write('{number}')")
                self.assert_status(self.ours(*end, name))
                if end[0] != "restart":
                    self.end_of(name)
                self.assert_status(self.ours("start", name))
                self.assertEqual(self.py(name, "print(open('/etc/made').read())"), f"{number}\n")
                self.assert_status(self.ours("rm", "-f", name))

    def test_it_survives_a_limit_that_ends_it(self) -> None:
        name = self.box("--timeout", "30s", "--memory", "256m", py="open('/etc/made', 'w')\nx = bytearray(1 << 30)\n" + WAIT)
        self.assertEqual(self.end_of(name), "137")
        self.assertIn("A /etc/made", self.diff(name))

    def test_a_monitor_that_is_killed_leaves_what_was_before(self) -> None:
        name = self.box()
        self.py(name, "open('/etc/one', 'w')")
        self.again(name)
        self.py(name, "open('/etc/two', 'w')")
        os.kill(int(self.field(name, "State.Pid")), signal.SIGKILL)
        self.assertTrue(wait_until(lambda: self.field(name, "State.Status") == "dead"))
        self.assert_status(self.ours("start", name))
        self.assertEqual(self.py(name, "import os; print(sorted(os.listdir('/etc')))"), "['one', 'passwd']\n")

    @unittest.skipUnless(PROBE.exists(), "needs build/unit/mover_probe: make unit")
    def test_who_reads_the_layers(self) -> None:
        """It has the sandbox's ids and not root's, and the layers as its root, with and without Landlock."""
        build = Path(GLOVEBOX).resolve().parents[1]
        for part in ("bin", "guest"):
            shutil.copytree(build / part, self.folder / part)
        shutil.copy(PROBE, self.folder / "guest/mover")
        self.program = self.folder / "bin/glovebox"
        name = self.box()
        ids = self.py(name, "import os; print(os.getuid(), os.getgid())").strip()
        self.stop(name)
        self.assertEqual(self.layer.read_text().splitlines()[0], f"{ids} 1 -1")

    def test_a_deep_tree_needs_more_descriptors_than_the_soft_limit(self) -> None:
        deep = "import os; p = '/etc' + '/d' * 150; os.makedirs(p); open(p + '/f', 'w')"
        look = "import os; print(os.path.exists('/etc' + '/d' * 150 + '/f'))"
        part = message("monitor_keep_root#in part", "etc/d/")
        for limit, error, found in (("ulimit -Sn 100", r"\A\Z", "True"), ("ulimit -n 100", part, "False")):
            with self.subTest(limit):
                self.ulimit = limit
                name = self.box()
                self.py(name, deep)
                self.stop(name)
                self.assertRegex(self.state(name)["Error"], error)
                self.assert_status(self.ours("start", name))
                self.assertEqual(self.py(name, look).strip(), found)

    def test_holes_take_no_room_when_they_are_laid(self) -> None:
        """Each second block of 4 KiB is one, wherever a file begins in the stream."""
        name = self.box("--writable=1m")
        write = "f = open('/etc/holes', 'wb')\nfor i in range(220): f.seek(8192 * i + 4196); f.write(b'x' * 3000)\nf.truncate(1 << 21)"
        look = "import hashlib, os; print(hashlib.sha256(open('/etc/holes', 'rb').read()).hexdigest(), os.stat('/etc/holes').st_blocks)"
        self.py(name, "open('/etc/first', 'w').write('1' * 700)")
        self.py(name, write)
        before = self.py(name, look)
        self.again(name)
        self.assertEqual(self.py(name, look), before)

    def test_what_is_taken_back_leaves_nothing(self) -> None:
        name = self.box(py="open('/etc/made', 'w')\n" + WAIT)
        self.assertTrue(wait_until(lambda: "A /etc/made" in self.diff(name)))
        self.stop(name)
        self.assertTrue(self.layer.exists())
        self.assertEqual(self.layer.stat().st_mode & 0o777, 0o600)

    def test_mounts_and_memory_are_not_kept(self) -> None:
        volume = self.subfolder("v")
        name = self.box("-v", f"{volume}:/data", "-v", f"{volume}:/new/place", "--tmpfs", "/var/lib")
        self.py(name, "for at in ('/tmp', '/data', '/var/lib', '/etc'): open(at + '/made', 'w')")
        self.again(name)
        script = "import os; print([os.path.exists(at + '/made') for at in ('/tmp', '/data', '/new/place', '/var/lib', '/etc')])"
        self.assertEqual(self.py(name, script), "[False, True, True, False, True]\n")
        lines = self.diff(name)
        self.assertIn("A /new/place", lines)
        self.assertEqual([line for line in lines if "made" in line], ["A /etc/made"])

    def test_new_directories_at_the_top(self) -> None:
        """What pid 1 made for mounts and for the program is laid again without them."""
        place = self.subfolder("v")
        name = self.box("-v", f"{place}:/x", "--tmpfs", "/y", "-w", "/z")
        self.py(name, "open('/z/made', 'w')")
        before = self.diff(name)
        self.assertIn("A /z/made", before)
        self.stop(name)
        self.assertEqual(self.diff(name), before)
        self.assert_status(self.ours("export", "-o", self.folder / "tar", name))

    def test_directories_of_ours_that_were_replaced(self) -> None:
        """A program puts a link where pid 1 makes an empty directory at each start."""
        name = self.box("-w", "/z")
        self.py(name, "import os; os.chdir('/'); os.rmdir('/z'); os.symlink('/etc', '/z')")
        for _ in range(2):
            self.again(name)
            self.assertEqual(self.py(name, "import os; print(os.readlink('/z'), os.getcwd())"), "/etc /etc\n")

    def test_a_root_that_is_read_only_has_no_changes(self) -> None:
        name = self.stay()
        self.assertEqual(self.diff(name), [])
        self.stop(name)
        self.assertEqual(self.diff(name), [])
        self.assertFalse(self.layer.exists())

    def test_nothing_is_kept_with_rm(self) -> None:
        name = self.box("--rm")
        self.py(name, "open('/etc/made', 'w')")
        self.assert_status(self.ours("stop", "-t", "0", name))
        self.assertTrue(wait_until(lambda: not self.records))

    def test_a_restart_keeps_all_with_rm(self) -> None:
        name = self.box("--rm")
        self.py(name, "open('/etc/made', 'w').write('x')")
        self.assert_status(self.ours("restart", "-t", "0", name))
        self.assertEqual(self.py(name, "print(open('/etc/made').read())"), "x\n")
        self.assert_status(self.ours("stop", "-t", "0", name))
        self.assertTrue(wait_until(lambda: not self.records))

    def test_a_program_that_is_not_found_keeps_what_was_before(self) -> None:
        """The first start is of a program that a layer has; then that layer is gone from the image's PATH."""
        name = self.box()
        self.py(name, "import os; os.rename('/bin/python3', '/bin/python4')")
        self.stop(name)
        result = self.ours("start", name)
        self.assertNotEqual(result.status, 0)
        self.assertIn("D /usr/bin/python3", self.diff(name))

    def test_names(self) -> None:
        for word in ("diff", "export"):
            self.assert_fails(self.ours(word, "nobody", stdin=b""), 125, "No such container: nobody")
            self.assert_fails(self.ours(word, stdin=b""), 125)

    def test_paused(self) -> None:
        name = self.box()
        if self.ours("pause", name).status:
            self.skipTest("cannot: nothing is frozen here")
        self.assert_fails(self.ours("diff", name), 125, "paused")
        self.assert_status(self.ours("unpause", name))


def members(data: bytes) -> dict[str, tarfile.TarInfo]:
    """Return the members of a tar by their names."""
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        return {member.name: member for member in archive}


class Docker(Root):
    """Under the name docker a root that stays can be changed."""

    def setUp(self) -> None:
        """Make the link."""
        super().setUp()
        link = self.subfolder("bin") / "docker"
        link.symlink_to(os.path.realpath(GLOVEBOX))
        self.program = str(link)

    def made(self, *words: str) -> list[str]:
        """What one has changed that writes into /etc, now and after its next start."""
        made = self.assert_status(self.ours(*words, NAME, "python3", "-c", "open('/etc/made', 'a').write('1')"))
        name = made.out.strip()
        self.assert_status(self.ours("start", name))
        self.end_of(name)
        lines = [line for line in self.diff(name) if line.endswith("made")]
        self.assert_status(self.ours("rm", name))
        return lines

    def test_it_can_be_changed(self) -> None:
        limits = ("--memory", "64m") if IS_ROOT else ()
        self.assertEqual(self.made("create", *limits), ["A /etc/made"])
        self.assertEqual(self.made("run", "-d", *limits), ["A /etc/made"])
        self.assertEqual(self.made("run", "-d", "--read-only"), [])
        self.assertEqual(self.made("run", "-d", "--writable=false"), [])
        result = self.ours("run", NAME, "python3", "-c", "open('/etc/made', 'w')")
        self.assert_status(result, 1)

    def test_this_machine_s_own_cannot(self) -> None:
        name = self.assert_status(self.ours("run", "-d", "host", "sleep", "60")).out.strip()
        self.assertEqual(self.diff(name), [])
        self.assertEqual(self.described(name)["State"]["Status"], "running")


class Export(Root):
    """`export` and `commit`."""

    def export(self, name: str, status: int = 0) -> dict[str, tarfile.TarInfo]:
        """What export writes."""
        return members(self.assert_status(self.ours("export", name, text=False), status).stdout)

    def test_of_one_that_runs_and_of_one_that_has_ended(self) -> None:
        if why := why_not_again():
            self.skipTest(why)
        name = self.box("-v", f"{self.subfolder('v')}:/data")
        self.py(name, CHANGE.replace("os.chmod(\"/opt/secret\", 0)", "pass") + "\nopen('/data/mine', 'w')\nopen('/tmp/mine', 'w')")
        running = self.export(name)
        self.stop(name)
        ended = self.export(name)
        self.assertEqual(sorted(running), sorted(ended))
        for wanted in ("./etc/made", "./etc/.wh.passwd", f".{self.library}/json/new", "./proc", "./dev", "./data", "./opt/closed/in"):
            self.assertIn(wanted, ended)
        for path in ("proc", "dev", "sys", "tmp", "data"):
            self.assertEqual([member for member in ended if member.startswith(f"./{path}/")], [])
        self.assertNotIn(f".{self.library}/abc.py", ended)
        self.assertEqual({m.size for m in ended.values() if m.islnk()} | {m.mode for m in ended.values() if "closed" == m.name[-6:]}, {0, 0o500})

    def test_to_a_file(self) -> None:
        name = self.box()
        target = self.folder / "root.tar"
        self.assertEqual(self.assert_status(self.ours("export", "-o", target, name)).out, "")
        self.assertIn("./etc/passwd", members(target.read_bytes()))
        self.assert_fails(self.ours("export", "-o", self.folder / "no/x", name), 125, "no/x")

    def test_of_a_root_that_is_read_only(self) -> None:
        name = self.stay(image=NAME, argv=["python3", "-c", WAIT])
        self.assertIn("./etc/passwd", self.export(name))
        self.stop(name)
        self.assertIn("./etc/passwd", self.export(name))
        host = self.stay()
        self.assert_fails(self.ours("export", host, text=False), 125, "the image host")

    def test_what_cannot_be_read_is_named(self) -> None:
        name = self.box()
        self.py(name, "import os; open('/etc/secret', 'w'); os.chmod('/etc/secret', 0); os.mkfifo('/etc/fifo')")
        result = self.assert_status(self.ours("export", name, text=False), 1)
        self.assertNotIn("./etc/secret", members(result.stdout))
        for path in (b"./etc/secret", b"./etc/fifo"):
            self.assertIn(path, result.stderr)

    def commit(self, *words: str) -> Result:
        """Commit."""
        return self.ours("commit", *words)

    def image(self, *words: str) -> str:
        """What a run of an image prints."""
        return self.assert_status(self.ours("run", "--warm=never", *words)).out

    def test_commit(self) -> None:
        name = self.box()
        self.py(name, "open('/etc/made', 'w').write('1')")
        result = self.assert_status(self.commit("-m", "text", "-a", "me", name, "mine:1"))
        self.addCleanup(self.ours, "image", "rm", "mine:1")
        self.assertRegex(result.out, r"\Asha256:[0-9a-f]{64}\n\Z")
        self.py(name, "open('/etc/made', 'w').write('2')")
        self.stop(name)
        changes = ('CMD ["python3", "-c", "print(open(\'made\').read())"]', "ENV A=b C=$A", "WORKDIR /etc", "EXPOSE 80")
        words = [word for change in changes for word in ("--change", change)]
        self.assert_status(self.commit(*words, name, "mine:2"))
        self.addCleanup(self.ours, "image", "rm", "mine:2")
        self.assertEqual(self.image("mine:1", "python3", "-c", "print(open('/etc/made').read())"), "1\n")
        self.assertEqual(self.image("mine:2"), "2\n")
        config = json.loads(self.assert_status(self.ours("image", "inspect", "mine:2")).out)[0]["Config"]
        self.assertEqual((config["Env"], config["WorkingDir"]), (["A=b", "C="], "/etc"))
        config = json.loads(self.assert_status(self.ours("image", "inspect", "mine:1")).out)[0]["Config"]
        self.assertEqual(config["Cmd"], ["python3"])

    def test_exposed_ports_are_published(self) -> None:
        self.assert_status(self.commit("-c", "EXPOSE 8001-8002/tcp", "-c", "EXPOSE 8000", self.box(), "exposes:1"))
        self.addCleanup(self.ours, "image", "rm", "exposes:1")
        config = json.loads(self.assert_status(self.ours("image", "inspect", "exposes:1")).out)[0]["Config"]
        self.assertEqual(config["ExposedPorts"], {"8000/tcp": {}, "8001/tcp": {}, "8002/tcp": {}})
        serves = "import socket; s = socket.create_server(('127.0.0.1', 8000)); print('up', flush=True)\nwhile True: s.accept()[0].send(b'8000')"
        result = self.ours("run", "-d", "-P", "-p", "127.8.8.8::8001", "--name", "all", "exposes:1", "python3", "-c", serves)
        self.assert_status(result)
        ports = self.published("all")
        self.assertEqual([(inside, address) for inside, address, _ in ports], [(8001, "127.8.8.8"), (8000, "127.0.0.1"), (8002, "127.0.0.1")])
        self.assertEqual(len(result.err.splitlines()), 3, result.err)
        wait_until(lambda: "up" in self.ours("logs", "all").out)
        with socket.create_connection(("127.0.0.1", ports[1][2]), timeout=15) as client:
            self.assertEqual(client.recv(10), b"8000")
        self.assert_status(self.ours("update", "--publish-rm", "8002", "all"))
        self.assert_status(self.ours("restart", "-t", "0", "all"))
        self.assertEqual([inside for inside, *_ in self.published("all")], [8001, 8000])
        self.assert_status(self.ours("run", "--rm", "-P", "host", "true"))  # which exposes none
        # An image of it says the same, and one port more.
        self.assert_status(self.commit("-c", "EXPOSE 53/udp", "all", "exposes:2"))
        self.addCleanup(self.ours, "image", "rm", "exposes:2")
        self.assertRegex(self.ours("run", "-P", "exposes:2", "true").err, message("egress_publish_protocol#published", "udp"))
        self.assert_status(self.ours("run", "exposes:2", "python3", "-c", "1"))

    def published(self, name: str) -> list[tuple[int, str, int]]:
        """The ports inside, with the address and the port that lead there."""
        lines = self.assert_status(self.ours("port", name)).out.splitlines()
        pairs = [line.split("/tcp -> ") for line in lines]
        return [(int(inside), outside.split(":")[0], int(outside.split(":")[1])) for inside, outside in pairs]

    def test_what_is_not_committed(self) -> None:
        name = self.box()
        for words, wanted in (
            ((name, "Bad Name"), "must be lower case"),
            (("-c", "RUN x", name, "a:1"), "RUN changes no configuration"),
            (("-c", "FROM x", name, "a:1"), "FROM"),
            (("-c", "FOO x", name, "a:1"), "FOO"),
            (("-c", "ENV", name, "a:1"), "ENV"),
            ((name, "host"), "host"),
            (("nobody", "a:1"), "No such container"),
            ((name,), "commit"),
        ):
            with self.subTest(words):
                self.assert_fails(self.commit(*words), 125, wanted)
        self.assertEqual(self.assert_status(self.ours("images", "-q")).out.count("\n"), 1)

    def test_a_part_of_a_root_becomes_no_image(self) -> None:
        """The sandbox is killed while its root is read."""
        name = self.box("--writable=100m")
        self.py(name, "f = open('/etc/big', 'wb')\nfor _ in range(90): f.write(os.urandom(1 << 20))" .replace("f =", "import os; f =", 1))
        line = [GLOVEBOX, "commit", name, "part:1"]
        client = self.start(line, env=dict(os.environ, **self.env))
        time.sleep(0.05)
        self.assert_status(self.ours("kill", name))
        if client.wait():
            self.assertNotIn("part", self.assert_status(self.ours("images")).out)
        else:
            self.assert_status(self.ours("image", "rm", "part:1"))


class Damage(Root):
    """A layer that another process has changed: its user owns it."""

    def kept(self, *flags: str | Path) -> str:
        """A sandbox that has ended, with a layer."""
        name = self.box(*flags)
        self.py(name, "open('/etc/made', 'w').write('1')")
        self.stop(name)
        return name

    def lay(self, data: bytes, *flags: str | Path) -> tuple[str, Result]:
        """Start one whose layer is this."""
        name = self.kept(*flags)
        self.layer.write_bytes(data)
        return name, self.ours("start", name)

    def test_a_layer_that_is_cut(self) -> None:
        name = self.kept()
        whole = self.layer.read_bytes()
        for size in (0, 1, 511, 512, 1024, len(whole) - 1024):
            with self.subTest(size=size):
                self.layer.write_bytes(whole[:size])
                result = self.ours("start", name)
                self.assert_status(result, 1)
                self.assertRegex(result.err, message("layer_judge"))
                self.assertEqual(self.field(name, "State.Status"), "exited")
                self.assertEqual(self.layer.read_bytes(), whole[:size])
        self.layer.write_bytes(whole)
        self.assert_status(self.ours("start", name))
        self.assertEqual(self.py(name, "print(open('/etc/made').read())"), "1\n")

    def test_bytes_that_are_none(self) -> None:
        name, result = self.lay(os.urandom(1 << 16))
        self.assert_status(result, 1)
        self.assertRegex(result.err, message("tar_read_header#header"))
        self.assert_status(self.ours("diff", name), 125)

    def test_files_that_are_none(self) -> None:
        """It is opened without waiting, and no link leads anywhere."""
        name = self.kept()
        outside = self.folder / "outside"
        outside.write_bytes(self.layer.read_bytes())
        self.layer.unlink()
        for make in (lambda: self.layer.symlink_to(outside), self.layer.mkdir, lambda: os.mkfifo(self.layer)):
            make()
            self.ours("start", name)
            self.assertNotIn("made", "".join(self.diff(name) if self.field(name, "State.Running") == "true" else []))
            self.ours("stop", "-t", "0", name)
            self.layer.rmdir() if self.layer.is_dir() and not self.layer.is_symlink() else self.layer.unlink()

    def test_names_lead_nowhere_else(self) -> None:
        outside = self.subfolder("outside")
        (outside / "mine").write_text("mine")
        tar = io.BytesIO()
        with tarfile.open(fileobj=tar, mode="w") as archive:
            for link in ("etc/up", "tmp/up"):
                member = tarfile.TarInfo(link)
                member.type, member.linkname = tarfile.SYMTYPE, f"../../../../../..{outside}"
                archive.addfile(member)
            member = tarfile.TarInfo("etc/hard")
            member.type, member.linkname = tarfile.LNKTYPE, "etc/passwd"
            archive.addfile(member)
        end = tar.getvalue()
        for path in (f"/..{outside}/x", "etc/up/x", "../x"):
            with self.subTest(path=path):
                tar = io.BytesIO()
                with tarfile.open(fileobj=tar, mode="w") as archive:
                    archive.addfile(tarfile.TarInfo(path))
                name, result = self.lay(end.rstrip(b"\0") + bytes(-len(end.rstrip(b"\0")) % 512) + tar.getvalue())
                self.assert_status(result, 1)
                self.assert_status(self.ours("rm", name))
        self.assertEqual([path.name for path in outside.iterdir()], ["mine"])

    def test_gone_names_stay_inside(self) -> None:
        """What is removed is what the sandbox could remove."""
        volume = self.subfolder("v")
        (volume / "mine").write_text("mine")
        data = b""
        for path in (b"usr/lib", b"data", b"proc", b"dev", b"tmp"):
            member = tarfile.TarInfo(path.decode())
            member.type = tarfile.CHRTYPE
            data += member.tobuf()
        name, result = self.lay(data + bytes(1024), "-v", f"{volume}:/data:ro")
        self.end_of(name)
        self.assertIn(f"D {self.library.rsplit('/', 1)[0]}", self.diff(name), result.err)
        self.assertEqual((volume / "mine").read_text(), "mine")

    def test_more_than_the_root_takes(self) -> None:
        member = tarfile.TarInfo("etc/big")
        member.size = 2 << 20
        name, result = self.lay(member.tobuf() + os.urandom(2 << 20) + bytes(1024), "--writable=1m")
        self.assert_status(result, 1)
        self.assertIn("etc/big: No space left on device", result.err)
        self.assertRegex(result.err, message("layer_judge#no room in it"))
        self.assert_status(self.ours("rm", name))

    def test_a_layer_is_looked_at_whatever_room_the_root_has_now(self) -> None:
        name = self.kept()
        what = json.loads((self.records[0] / "record").read_text())
        (self.records[0] / "record").write_text(json.dumps({**what, "writable": 1 << 16}))
        member = tarfile.TarInfo("etc/big")
        member.size = 2 << 20
        self.layer.write_bytes(member.tobuf() + os.urandom(2 << 20) + bytes(1024))
        self.assertIn("A /etc/big", self.diff(name))


class Foreign(Root):
    """An image of another user's, whose directories are made anew (inside/overlay.c)."""

    def test_directories_alone_are_no_change(self) -> None:
        if not IS_ROOT:
            self.skipTest("cannot: the image would be ours")
        place = Path(tempfile.mkdtemp(prefix="glovebox-", dir="/tmp"))
        self.addCleanup(shutil.rmtree, place)
        store = make_store(place, 4321, shared=True)
        program, state = place / "program", place / "state"
        build = Path(GLOVEBOX).resolve().parents[1]
        for name in ("bin/glovebox", "guest"):
            copy = shutil.copytree if (build / name).is_dir() else shutil.copy
            (program / name).parent.mkdir(exist_ok=True, parents=True)
            copy(build / name, program / name)
        state.mkdir()
        os.chown(state, 1234, 1234)
        for path in (place, program, program / "bin"):
            path.chmod(0o755)
        env = {"XDG_STATE_HOME": str(state), "GLOVEBOX_IMAGES": str(store), "HOME": str(state)}

        def ours(*words: str) -> Result:
            line = ["setpriv", "--reuid=1234", "--regid=1234", "--clear-groups", program / "bin/glovebox", *words]
            return execute([str(word) for word in line], env=env, cwd="/")

        limits = ("--memory", "0", "--cpus", "0", "--pids-limit", "0", "-e", "PYTHONDONTWRITEBYTECODE=1")
        made = self.assert_status(ours("run", "-d", "--writable", *limits, NAME, "python3", "-c", WAIT))
        name = made.out.strip()
        self.addCleanup(ours, "rm", "-f", name)
        script = f"import os; open('/etc/made', 'w'); os.unlink('{self.library}/abc.py'); os.chmod('/opt', 0o700)"
        self.assert_status(ours("exec", name, "python3", "-c", script))
        wanted = ["C /etc", "A /etc/made", "C /home", "A /home/sandbox", "C /opt", "C /usr", "C /usr/lib"]
        wanted += [f"C {self.library}", f"D {self.library}/abc.py"]
        for _ in range(2):
            self.assertEqual(self.assert_status(ours("diff", name)).out.splitlines(), wanted)
            self.assert_status(ours("stop", "-t", "0", name))
            self.assertEqual(self.assert_status(ours("diff", name)).out.splitlines(), wanted)
            self.assert_status(ours("start", name))
        look = "import os; print(os.path.exists('/etc/made'), oct(os.stat('/opt').st_mode))"
        self.assertEqual(self.assert_status(ours("exec", name, "python3", "-c", look)).out, "True 0o40700\n")
