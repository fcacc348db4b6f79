"""--egress, --allow-private, --allow-host and -p of a cold run: what is reached, what is not, and what is told."""

import io
import json
import os
import shutil
import signal
import tarfile
from pathlib import Path

from support.egress_case import PRELUDE, EgressCase, Reaching
from support.host_python import needed_by
from support.messages import message
from support.processes import arguments, children, is_alive
from support.run import GLOVEBOX, IS_ROOT, PYTHON, command, execute, glovebox, run
from support.times import wait_until


# Takes its orders, says this, and ends.
FALSE = """#!{python}
import socket
control = socket.socket(fileno=3)
_, fds, _, _ = socket.recv_fds(control, 1 << 17, 4)
if {answer}:
    socket.socket(fileno=fds[0]).send({answer})
"""


class Cold(Reaching):
    """All that is reached and refused, cold."""

    as_user = (
        "test_listed_hosts_are_reached",
        "test_what_is_not_listed_is_not_reached",
        "test_nothing_of_it_is_held_inside",
        "test_what_is_published_is_reached_by_many_at_once",
    )
    how = "--warm=never"


class Bounds(EgressCase):
    """What is bounded, and what ends."""

    as_user = (
        "test_it_ends_with_the_run",
        "test_if_it_dies_the_program_goes_on_and_the_result_says_so",
    )
    how = "--warm=never"

    def egress_of(self, monitor: int) -> int:
        """Return the process that serves the network of a run."""
        found = [pid for pid in children(monitor) if b"glovebox-egress" in arguments(pid)]
        self.assertEqual(len(found), 1, found)
        return found[0]

    def test_bytes_in_all(self) -> None:
        result = self.sandbox("--json", "--egress", "api.example", "--egress-bytes", "1m", py=PRELUDE + """
attempt("little", lambda: len(get("http://api.example/bytes/1000")))
attempt("much", lambda: len(get("http://api.example/bytes/3000000")))
attempt("more", lambda: len(get("http://api.example/bytes/1000")))
print(json.dumps(said))
""")  # fmt: skip
        said = json.loads(self.assert_status(result).json["stdout"])
        self.assertEqual(said.pop("little"), 1000)
        self.assertFalse([size for size in said.values() if isinstance(size, int)], said)
        told = result.json["egress"]
        self.assertLessEqual(told["bytes_in"] + told["bytes_out"], 1 << 20)

    def test_connections_at_once(self) -> None:
        said = self.tries("--egress", "api.example:5432", "--egress-connections", "2", py="""
import time
held = [socket.create_connection(("api.example", 5432), 20) for _ in range(2)]
said["held"] = [c.recv(6).decode() for c in held]
attempt("third", lambda: tcp("api.example", 5432))
held.pop().close()
def again():
    for _ in range(1000):
        try:
            return tcp("api.example", 5432)
        except ConnectionResetError:
            time.sleep(0.01)  # the end of the other one may still be on its way
attempt("when there is room", again)
""")  # fmt: skip
        self.assertEqual(said, {"held": ["hello\n"] * 2, "third": "ConnectionResetError", "when there is room": "hello\n"})

    def test_a_rate(self) -> None:
        said = self.tries("--egress", "api.example", "--egress-rate", "500k", py="""
import time
began = time.monotonic()
said["bytes"] = len(get("http://api.example/bytes/1500000"))
said["took"] = time.monotonic() - began
""")  # fmt: skip
        self.assertEqual(said["bytes"], 1500000)
        self.assertGreater(said["took"], 0.9, "a second's worth may come at once")

    def test_a_port_in_use_is_named(self) -> None:
        refused = self.world.run("--warm=never", "-p", "8000:8000", py="print('ran')")
        self.assert_refused(refused, "-p", "8000", message("published_refused#another"))

    def test_a_log_is_an_ordinary_file(self) -> None:
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        for log in (fifo, Path("/dev/null")):
            refused = self.sandbox("--egress", "api.example", "--egress-log", log, py="print('ran')")
            self.assert_refused(refused, message("egress_begin#ordinary", "--egress-log", log))

    def test_it_ends_with_the_run(self) -> None:
        process, _ = self.publish("-p", "8000")
        server = self.egress_of(process.pid)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        self.assertTrue(wait_until(lambda: not is_alive(server)), "it stays")

    def test_if_it_dies_the_program_goes_on_and_the_result_says_so(self) -> None:
        # The program waits for a line, so that its network can be ended meanwhile.
        program = PRELUDE + """
import sys
held = socket.create_connection(("api.example", 5432), 20)
held.recv(6)
print("ready", flush=True)
sys.stdin.readline()
attempt("held", lambda: held.recv(6).decode())
attempt("new", lambda: tcp("api.example", 5432))
attempt("name", lambda: get("http://api.example/"))
print(json.dumps(said))
"""
        result = self.folder / "result"
        line = command("-i", "--warm=never", f"--result-file={result}", "--egress", "api.example:5432", py=program)
        process = self.start_ready(self.world.inside(line), stdin=-1)
        os.kill(self.egress_of(process.pid), signal.SIGKILL)
        out, err = process.communicate(b"\n")
        self.assertEqual(process.returncode, 0, err)
        self.assertIn(b"[NETWORK] glovebox-egress has ended", err)
        said = json.loads(out)
        self.assertIn(said.pop("held"), ("", "ConnectionResetError"))
        self.assertFalse([name for name, outcome in said.items() if "hello" in outcome], said)
        self.assertIsNone(json.loads(result.read_text())["egress"])

    def test_a_program_that_ends_leaves_nothing(self) -> None:
        result = self.sandbox("--json", "--egress", "api.example", "-p", "8000", py="1")
        sandbox = self.assert_status(result).json["id"]
        self.assertEqual(result.json["egress"]["connections"], 0)
        left = [pid for pid in children(os.getpid()) if b"glovebox-egress" in arguments(pid)]
        self.assertEqual(left, [], sandbox)


class Without(EgressCase):
    """What needs no Internet at all."""

    def test_where_the_program_is_not_installed(self) -> None:
        alone = self.folder / "glovebox"
        shutil.copy(GLOVEBOX, alone)
        for flags in (("--egress", "a.example"), ("-p", "8000")):
            refused = execute([str(alone), "run", "--warm=never", *flags, "host", "true"])
            self.assert_refused(refused, "glovebox-egress is not installed", "docs/install.md")
        self.assert_status(execute([str(alone), "run", "--warm=never", "host", "true"]))

    def test_one_that_breaks_its_word(self) -> None:
        alone = self.folder / "glovebox"
        shutil.copy(GLOVEBOX, alone)
        whole = b'{"ok":true}'
        for answer, said in (
            (whole, message("egress_hand_over#process")),
            (b"", "has ended"),
            (b"{", message("egress_order_take_error", "glovebox-egress")),
            (b'{"ok":false}', message("egress_order_take_error", "glovebox-egress")),
            (b'{"error":"no \\u001b[31m such luck","kind":"limit"}', "no \\x1b[31m such luck"),
        ):
            program = self.file("glovebox-egress", FALSE.format(python=PYTHON, answer=answer))
            program.chmod(0o755)
            refused = execute([str(alone), "run", "--warm=never", "--egress", "a.example", "host", "true"])
            self.assert_refused(refused, said)

    def test_a_log_that_cannot_be_written(self) -> None:
        refused = run("--warm=never", "--egress", "a.example", "--egress-log", "/nosuch/log", sh="true")
        self.assert_refused(refused, "--egress-log", "/nosuch/log")

    def test_a_port_that_takes_root_is_no_command_that_cannot_be_executed(self) -> None:
        if not IS_ROOT:
            self.skipTest("cannot: ports below 1024 are open to who has mapped the world of the tests")
        line = ["setpriv", "--bounding-set=-net_bind_service", *command("--warm=never", "-p", "81:8000", sh="true")]
        self.assert_refused(self.world.execute(line), message("published_refused#needs", "--publish", 81, "127.0.0.1", 1024))

    def test_explaining_starts_nothing(self) -> None:
        log = self.folder / "log"
        said = run("--explain", "--egress", "a.example", "-p", "8000", "--egress-log", str(log), sh="true")
        self.assertIn("a.example:443", self.assert_status(said).out)
        self.assertNotIn("is port 8000 inside", said.err)
        self.assertFalse(Path(log).exists())

    def test_without_a_list_there_is_no_result_of_it(self) -> None:
        self.assertNotIn("egress", run("--json", "--warm=never", sh="true").json)


class Images(EgressCase):
    """The resolver's file and the hosts' in an image, whatever it has in their place."""

    LOOK = "cat /etc/resolv.conf /etc/hosts; ls -A /etc /dev; echo x 2>&1 >>/etc/hosts; true"
    FILES = ("dash", "cat", "ls")

    def image(self, *etc: tuple[str, str | None]) -> str:
        """Import an image with a shell and these in /etc: files (None) or links; return its name."""
        buffer = io.BytesIO()
        programs = [Path("/usr/bin", name).resolve() for name in self.FILES]
        with tarfile.open(fileobj=buffer, mode="w") as tar:
            for place in ("bin", "lib", "lib64"):
                self.add_link(tar, place, f"usr/{place}")
            self.add_link(tar, "usr/bin/sh", "dash")
            for path in sorted({*programs, *needed_by(*programs)}):
                tar.add(path.resolve(), str(path.parent.resolve() / path.name)[1:])
            for name, target in etc:
                if target is not None:
                    self.add_link(tar, f"etc/{name}", target)
                    continue
                row = tarfile.TarInfo(f"etc/{name}")
                row.size = 4
                tar.addfile(row, io.BytesIO(b"own\n"))
        self.store = {"GLOVEBOX_IMAGES": str(self.folder / "store")}
        made = glovebox("image", "import", str(self.file("tar", buffer.getvalue())), "own:1", env=self.store)
        self.assert_status(made)
        return "own:1"

    def add_link(self, tar: tarfile.TarFile, name: str, target: str) -> None:
        """Add a link."""
        row = tarfile.TarInfo(name)
        row.type, row.linkname = tarfile.SYMTYPE, target
        tar.addfile(row)

    def assert_ours(self, *etc: tuple[str, str | None]) -> str:
        """Assert what the two files say inside; return the rest of what was printed."""
        image = self.image(*etc)
        flags = ("--warm=never", "--hostname", "box", "--egress", "api.example")
        said = self.assert_status(self.world.run(*flags, sh=self.LOOK, image=image, env=self.store)).out
        ours = "nameserver 198.18.0.1\n127.0.0.1 localhost box\n::1 localhost\n"
        self.assertEqual(said[: len(ours)], ours)
        self.assertNotIn(".text", said)
        without = self.assert_status(run("--warm=never", sh="cat /etc/own", image=image, env=self.store))
        self.assertEqual(without.out, "own\n")
        return said[len(ours) :]

    def test_files(self) -> None:
        said = self.assert_ours(("own", None), ("resolv.conf", None), ("hosts", None))
        self.assertIn("/etc:\nhosts\nown\nresolv.conf\n", said)
        self.assertRegex(said, "(?i)read-only file system|permission denied")

    def test_none(self) -> None:
        self.assertIn("own\n", self.assert_ours(("own", None)))

    def test_links(self) -> None:
        leads = ("resolv.conf", "../run/systemd/resolve/stub-resolv.conf")
        self.assert_ours(("own", None), leads, ("hosts", "/usr/lib/nowhere/hosts"))
        volume = ("-v", f"{self.file('mine', 'mine')}:/etc/resolv.conf:ro")
        for flags in (volume, (*volume, "--egress", "api.example")):
            said = run("--warm=never", *flags, sh="cat /etc/resolv.conf", image="own:1", env=self.store)
            self.assert_prints("mine", self.mapped(said))
