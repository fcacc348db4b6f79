"""The one file (make appliance) in roots that have nothing else."""

import functools
import json
import os
import shutil
import ssl
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path
from typing import Any

import rootless
from support.case import Case
from support.host_python import make_python
from support.mcp import Mcp
from support.messages import message
from support.model import FakeOllama, reply
from support.run import GLOVEBOX, IS_ROOT, ROOT, Result, execute
from support.serve import Server, certificate
from support.terminal import Terminal
from support.times import DEADLINE

ONE = Path(os.environ.get("GLOVEBOX_APPLIANCE", ROOT / "build/appliance/glovebox"))
ARM64 = ROOT / "build/appliance-arm64/glovebox"
NO_LIMITS = ("--memory", "0", "--cpus", "0", "--pids-limit", "0")
MOST_BYTES = 9 << 20


@functools.cache
def python_archive() -> bytes:
    """Return that archive, which is made once."""
    with tempfile.TemporaryDirectory() as folder:
        make_python(Path(folder) / "python.tar")
        return (Path(folder) / "python.tar").read_bytes()


class Appliance(Case):
    """What was built is whole, and small."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        if not ONE.exists():
            raise unittest.SkipTest("cannot: there is no build/appliance/glovebox (make appliance)")

    def one(self, *argv: str) -> Result:
        return execute([str(ONE), *argv])

    def test_it_is_small(self) -> None:
        self.assertLess(ONE.stat().st_size, MOST_BYTES)

    def test_it_says_what_the_installed_program_says(self) -> None:
        for argv in (["--version"], ["--help"], ["generate", "man"], ["image", "--help"], ["image", "import", "--help"], ["mcp", "--help"], ["agent", "--help"], ["serve", "--help"]):
            with self.subTest(argv):
                self.assertEqual(self.one(*argv), execute([GLOVEBOX, *argv]))

    def test_gnutls_begins_in_no_other_program(self) -> None:
        """With this variable it says that it begins."""
        for argv, begins in ((["--version"], False), (["image", "ls"], False), (["serve", "key", "ls", "--keys", "/nonexistent"], True)):
            with self.subTest(argv):
                done = execute([str(ONE), *argv], env={"GNUTLS_DEBUG_LEVEL": "9"})
                self.assertEqual("gnutls[" in done.err, begins, done.err)

    def test_it_has_the_lists_of_hosts(self) -> None:
        names = ",".join(path.name for path in (ROOT / "policy/egress").iterdir())
        argv = ["run", "--explain", "--warm=never", "--egress", names, "host", "true"]
        listed = [said.out.partition("\nNetwork\n")[2].partition("\n\n")[0] for said in (self.one(*argv), execute([GLOVEBOX, *argv]))]
        self.assertIn("pypi.org:443 tls", listed[0])
        self.assertEqual(*listed)
        self.assert_refused(self.one("run", "--egress", "no-such-list", "host", "true"), ", glovebox itself (as a host: ")

    def test_it_serves_a_client_of_mcp_under_any_name(self) -> None:
        """The supervisor that it starts is the same file, too."""
        renamed = self.folder / "glovebox-1.0-other"
        shutil.copy(ONE, renamed)
        with unittest.mock.patch("support.mcp.GLOVEBOX", str(renamed)):
            mcp = Mcp()
            self.addCleanup(mcp.discard)
            self.assertEqual(mcp.begin().run("6 * 7")["value"], "42")
            self.assertEqual(Path(f"/proc/{mcp.supervisor()}/exe").readlink(), renamed)
            self.assertEqual(mcp.hang_up(), 0)

    def test_a_selftest_where_no_program_may_run_names_the_remedy(self) -> None:
        if not IS_ROOT:
            self.skipTest("cannot: only root mounts without a user namespace")
        script = 'mount -t tmpfs -o noexec none "$1" && TMPDIR="$1" exec "$2" selftest --only umask'
        result = execute(["unshare", "--mount", "sh", "-c", script, "sh", str(self.folder), str(ONE)])
        self.assert_status(result, 125)
        self.assertRegex(result.err, message("probe_file_find#noexec"))

    def test_a_list_that_cannot_be_written_is_one_error(self) -> None:
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run([ONE, "image", "ls"], stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (125, 1))

    def test_no_library_and_no_table_of_the_hosts_is_opened(self) -> None:
        if not shutil.which("strace"):
            self.skipTest("cannot: there is no strace")
        for argv in (["image", "ls"], ["doctor"]):
            done = execute(["strace", "-f", "-e", "trace=open,openat", str(ONE), *argv])
            if argv == ["doctor"]:  # where there is no image, nobody's name is asked for
                self.assertIn("/etc/passwd", done.err)
            for word in ("nsswitch", "libnss", "gconv", "locale", ".so"):
                self.assertNotIn(word, done.err)


class Programs(Terminal):
    """The server, the agent and the prompt, of a file that lies alone in a directory."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        if not ONE.exists():
            raise unittest.SkipTest("cannot: there is no build/appliance/glovebox (make appliance)")

    def setUp(self) -> None:
        super().setUp()
        self.one = self.folder / "one"
        shutil.copy(ONE, self.one)

    def task(self, url: str, *flags: str, **env: str) -> Result:
        """Give the agent a task."""
        command = [str(self.one), "agent", "--image", "host", "--model", "m:latest", "--url", url, *flags, "six by seven"]
        return execute(command, env={"TMPDIR": str(self.folder)} | env, cwd=self.folder)

    @unittest.skipUnless(shutil.which("openssl"), "cannot: there is no openssl")
    def test_it_serves_callers_with_keys_behind_tls(self) -> None:
        keys = self.folder / "keys"
        added = self.assert_status(execute([str(self.one), "serve", "key", "add", "a", "--keys", str(keys)]))
        (token,) = [word for word in added.out.split() if word.startswith("gbx_")]
        cert, key = certificate(self.folder)
        server = Server("--keys", str(keys), "--tls-cert", str(cert), "--tls-key", str(key), program=str(self.one))
        self.addCleanup(server.discard)
        server.trust.load_verify_locations(cert)
        self.assertTrue(server.address.startswith("https://"), server.said)
        server.wait_ready()
        self.assertEqual(server.post("/v1/execute", {"code": "6 * 7"}).status, 401)
        self.assertEqual(server.post("/v1/execute", {"code": "6 * 7"}, Authorization=f"Bearer {token}").json["stdout"], "42\n")

    def test_the_agent_runs_what_a_model_writes(self) -> None:
        with FakeOllama([reply("```python\nprint(6*7)\n```"), reply("It is 42.")]) as server:
            self.assert_prints("It is 42.", self.task(server.url.replace("127.0.0.1", "localhost")))
            self.assertIn("42", server.chats[1]["messages"][-1]["content"])

    @unittest.skipUnless(shutil.which("openssl"), "cannot: there is no openssl")
    def test_the_agent_judges_a_server_by_its_certificate(self) -> None:
        cert, key = certificate(self.folder)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(cert, key)
        with FakeOllama([reply("It is 42."), reply("It is 42.")], tls=tls) as server:
            refused = self.assert_status(self.task(server.url), 4)
            self.assertRegex(refused.err, message("transport#certificate"))
            self.assertEqual(server.requests, [])
            self.assert_prints("It is 42.", self.task(server.url, "--server-ca", str(cert)))
            self.assert_prints("It is 42.", self.task(server.url, SSL_CERT_FILE=str(cert)))

    def test_a_name_without_an_address_is_said(self) -> None:
        refused = self.assert_status(self.task("http://no-such-name.invalid:1"), 4)
        self.assertRegex(refused.err, message("transport#no address"))

    def test_what_is_typed_at_the_prompt_is_utf_8(self) -> None:
        process = self.begin_at_terminal([str(self.one), "session", "repl", "--image", "host"], {"TMPDIR": str(self.folder)})
        self.expect(">>> ")
        self.type("len('Zürich €')\n")
        self.expect("\n8\r\n")
        self.type("\x04")
        self.assertEqual(process.wait(DEADLINE), 0)


class Arm64(Case):
    """The one for arm64, as far as qemu-user has what it asks of a kernel: no namespaces."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        if not ARM64.exists():
            raise unittest.SkipTest("cannot: there is no build/appliance-arm64/glovebox (make appliance-arm64)")
        if not shutil.which("qemu-aarch64-static"):
            raise unittest.SkipTest("cannot: there is no qemu-aarch64-static")

    def one(self, *argv: str | Path) -> Result:
        return execute(["qemu-aarch64-static", str(ARM64), *map(str, argv)])

    def test_it_is_small(self) -> None:
        self.assertLess(ARM64.stat().st_size, MOST_BYTES)

    def test_it_says_what_the_installed_program_says(self) -> None:
        for argv in (["--version"], ["run", "--help"], ["generate", "man"], ["image", "--help"]):
            with self.subTest(argv):
                self.assertEqual(self.one(*argv), execute([GLOVEBOX, *argv]))

    def test_the_doctor_knows_its_architecture(self) -> None:
        self.assertRegex(self.one("doctor").out, r"(?m)^\w+ +kernel +.* aarch64\b")

    def test_an_image_is_imported_and_verified(self) -> None:
        """Unpacked, hashed and renamed by libarchive and nettle as they are for arm64."""
        with unittest.mock.patch.dict(os.environ, {"GLOVEBOX_IMAGES": str(self.folder / "images")}):
            make_python(self.folder / "python.tar")
            self.assert_status(self.one("image", "import", self.folder / "python.tar", "p"))
            self.assert_status(self.one("image", "verify", "p"))


class BareRoots(Case):
    """It needs the kernel's file systems, and nothing of the host's user space."""

    alone = True  # a warm supervisor in another root, whose groups are the host's

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        if not ONE.exists():
            raise unittest.SkipTest("cannot: there is no build/appliance/glovebox (make appliance)")
        if not IS_ROOT:
            raise unittest.SkipTest("cannot: only root enters another root")

    def enter(self, *mounts: str) -> None:
        """Have the programs of this test run in a root with the file and an archive."""
        self.root = self.folder / "root"
        self.root.mkdir(exist_ok=True)
        self.root.chmod(0o755)
        shutil.copy(ONE, self.root / "glovebox")
        (self.root / "python.tar").write_bytes(python_archive())
        helper = ROOT / "tests/support/bare_root.py"
        self.inside = self.start(
            [sys.executable, str(helper), str(self.root), *mounts], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def do(self, *argv: str, uid: int = 0, group: str = "") -> Result:
        """Run one program there."""
        assert self.inside.stdin and self.inside.stdout
        self.inside.stdin.write(json.dumps((argv, uid, group)).encode() + b"\n")
        self.inside.stdin.flush()
        answer: dict[str, Any] = json.loads(self.inside.stdout.readline())
        return Result(answer["status"], answer["out"].encode(), answer["err"].encode())

    def glovebox(self, *argv: str, uid: int = 0) -> Result:
        return self.do("/glovebox", *argv, uid=uid)

    def import_python(self, uid: int = 0) -> str:
        """Import the archive there, and return the image's id."""
        self.assert_status(self.glovebox("image", "import", "/python.tar", "python", uid=uid))
        self.assert_status(self.glovebox("image", "verify", "python", uid=uid))
        listed = self.glovebox("images", "--quiet", "--no-trunc", "python:latest", uid=uid)
        return self.assert_status(listed).out.strip()

    def assert_runs(self, *flags: str, uid: int = 0) -> None:
        code = "import ctypes, sqlite3, ssl, sys; print(sys.version_info[0], len(__import__('os').listdir('/')) > 3)"
        self.assert_prints("3 True", self.glovebox("run", *flags, "python", "python3", "-c", code, uid=uid))

    def test_an_empty_root(self) -> None:
        self.enter("/dev")
        found = self.glovebox("doctor", "--json").json
        self.assertTrue(found["usable_without_limits"], found)
        self.assertEqual(found["user"], "uid 0")
        rows = {row["name"]: row for row in found["rows"]}
        self.assertRegex(rows["image build"]["text"], message("doctor_features_check_building#file"))
        self.assertIn("image import", rows["images"]["remedy"])
        self.import_python()
        self.assert_runs(*NO_LIMITS)
        self.assert_status(self.glovebox("image", "tag", "python", "other"))
        self.assertIn("other", self.glovebox("image", "ls").out)
        self.assert_status(self.glovebox("image", "rm", "python", "other"))
        self.assertEqual(list((self.root / "var/lib/glovebox/images/trees").iterdir()), [])

    def test_an_ordinary_user_in_an_empty_root(self) -> None:
        self.enter("/dev")
        home = self.root / "home"
        home.mkdir()
        os.chown(home, 1234, 1234)
        self.import_python(uid=1234)
        self.assert_runs(*NO_LIMITS, uid=1234)
        self.assertEqual(list(home.iterdir()), [home / ".local"])

    def test_a_selftest_in_an_empty_root(self) -> None:
        self.enter("/dev", "/sys")
        found = {row["name"]: row["state"] for row in self.assert_status(self.glovebox("selftest", "--json")).json["layers"]}
        self.assertEqual({name for name, state in found.items() if state != "held"}, {"warm"})

    def test_the_image_is_the_one_that_the_installed_program_makes(self) -> None:
        self.enter("/dev")
        archive = self.file("python.tar", python_archive())
        env = {"GLOVEBOX_IMAGES": str(self.folder / "images")}
        self.assert_status(execute([GLOVEBOX, "image", "import", str(archive), "python"], env=env))
        ours = execute([GLOVEBOX, "images", "--quiet", "--no-trunc", "python:latest"], env=env)
        self.assertEqual(self.import_python(), ours.out.strip())

    def enter_with_a_release(self) -> str:
        """Have the one file and the one image in the root, and return the image's name."""
        archives = sorted((ROOT / "build/dist").glob("python-*.glovebox.tar.zst"))
        if not archives:
            self.skipTest("cannot: there is no build/dist/python-*.glovebox.tar.zst (make dist IMAGE=1)")
        self.enter("/dev", "/sys")
        shutil.copy(archives[0], self.root)
        return f"/{archives[0].name}"

    def assert_it_is_all_there_is(self, archive: str, uid: int = 0, group: str = "") -> None:
        """Follow docs/appliance.md, from one file to a result of pandas."""
        code = "import pandas; print(pandas.__version__)"
        run = ("run", "python", "python3", "-c", code)
        for argv in (("doctor",), ("selftest",), ("image", "import", archive), run):
            done = self.assert_status(self.do("/glovebox", *argv, uid=uid, group=group))
        self.assertRegex(done.out, r"^\d+\.\d+\.\d+\n$")
        self.assertEqual(list(self.root.rglob("glovebox-selftest-*")), [])

    def test_a_release_in_an_empty_root(self) -> None:
        self.assert_it_is_all_there_is(self.enter_with_a_release())

    def test_a_release_with_one_byte_changed_is_refused(self) -> None:
        archive = self.enter_with_a_release()
        path = self.root / archive[1:]
        size = path.stat().st_size
        for at in (1000, size // 2, size - 1000):
            with path.open("r+b") as file:
                file.seek(at)
                old = file.read(1)
                file.seek(at)
                file.write(bytes([old[0] ^ 1]))
            self.assert_refused(self.glovebox("image", "import", archive, "bad"), "its SHA-256 is")

    def test_a_release_in_an_empty_root_for_an_ordinary_user(self) -> None:
        archive = self.enter_with_a_release()
        (self.root / "home").mkdir()
        os.chown(self.root / "home", 1234, 1234)
        with rootless.delegated(1234):
            unified = (rootless.CGROUPS / "cgroup.controllers").exists()
            group = f"{rootless.CGROUPS}/glovebox-1234/main" if unified else ""
            self.assert_it_is_all_there_is(archive, uid=1234, group=group)
            self.inside.communicate(timeout=DEADLINE)

    def test_a_root_without_devices_is_told_so(self) -> None:
        self.enter()
        self.import_python()
        self.assert_refused(self.glovebox("run", *NO_LIMITS, "python", "python3", "-c", "1"), "/dev/null")

    def test_limits_warm_starts_and_sessions(self) -> None:
        self.enter("/dev", "/sys")
        self.assert_status(self.glovebox("doctor"))
        self.import_python()
        self.assert_runs()
        self.assert_status(self.glovebox("warm", "start", "--image", "python", "--trust-image"))
        self.assert_runs("--warm=require")
        name = self.assert_status(self.glovebox("session", "new", "python")).out.strip()
        self.assert_status(self.glovebox("session", "exec", name, "x = 41"))
        self.assert_prints("42", self.glovebox("session", "exec", name, "x + 1"))
        self.assert_prints("[]", self.glovebox("session", "exec", name, "__import__('os').listdir('/tmp')"))
        self.assert_status(self.glovebox("session", "rm", name))
        self.assert_status(self.glovebox("warm", "stop"))

    @unittest.skipUnless(shutil.which("openssl"), "cannot: there is no openssl")
    def test_an_agent_in_an_empty_root(self) -> None:
        """No table of names, no certificates and no description of a terminal are there."""
        self.enter("/dev", "/sys")
        self.import_python()
        (self.root / "tmp").mkdir()
        cert, key = certificate(self.root)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(cert, key)
        task = ("agent", "--trust-image", "--model", "m:latest", "six by seven", "--url")
        with FakeOllama([reply("It is 42.")] * 2, tls=tls) as server:
            refused = self.assert_status(self.glovebox(*task, server.url), 4)
            self.assertRegex(refused.err, message("transport#certificate"))
            for host in ("127.0.0.1", "localhost"):
                url = server.url.replace("127.0.0.1", host)
                self.assert_prints("It is 42.", self.glovebox(*task, url, "--server-ca", f"/{cert.name}"))
            refused = self.assert_status(self.glovebox(*task, server.url.replace("127.0.0.1", "model.invalid")), 4)
            self.assertRegex(refused.err, message("transport#no address"))
            (self.root / "etc").mkdir()
            (self.root / "etc/hosts").write_text("127.0.0.1 model.invalid\n")
            refused = self.assert_status(self.glovebox(*task, server.url.replace("127.0.0.1", "model.invalid")), 4)
            self.assertRegex(refused.err, message("transport#certificate"))

    def test_other_debians(self) -> None:
        suites = os.environ.get("GLOVEBOX_SUITES", "").split()
        if not suites:
            self.skipTest("cannot: it takes minutes and a network (GLOVEBOX_SUITES='bullseye bookworm trixie')")
        for suite in suites:
            with self.subTest(suite):
                self.root = self.folder / "root"
                made = ["mmdebstrap", "--quiet", "--variant=minbase", "--include=python3", suite, str(self.root)]
                self.assert_status(execute(made, timeout=600))
                self.enter("/dev", "/sys")
                self.assert_status(self.glovebox("doctor"))
                self.assert_prints("1", self.glovebox("run", "host", "python3", "-c", "print(1)"))
                self.import_python()
                self.assert_runs()
                # Of the store in /var/lib, the image that root imported and opened to all.
                self.assert_status(self.glovebox("image", "share", "python"))
                self.assert_runs(*NO_LIMITS, uid=1234)
                self.inside.communicate(timeout=DEADLINE)
                shutil.rmtree(self.root)

    def test_a_root_with_busybox(self) -> None:
        busybox = shutil.which("busybox")
        if not busybox:
            self.skipTest("cannot: there is no busybox")
        (self.folder / "root/bin").mkdir(parents=True)
        shutil.copy(busybox, self.folder / "root/bin/busybox")
        (self.folder / "root/bin/sh").symlink_to("busybox")
        (self.folder / "root/etc").mkdir()
        (self.folder / "root/etc/passwd").write_text("operator:x:0:0::/root:/bin/sh\n")
        self.enter("/dev", "/sys")
        script = "/glovebox doctor --json && /glovebox image import /python.tar python && /glovebox run python python3 -V"
        done = self.assert_status(self.do("/bin/sh", "-c", script))
        self.assertIn('"user":"operator"', done.out)
        self.assertIn("Python 3.", done.out)
