"""What systemd passes to a server and is told by it, with sockets of the test's in its place."""

import contextlib
import os
import re
import signal
import socket
from pathlib import Path

from support.messages import message, named
from support.serve import ServeCase, Server
from support.times import DEADLINE, wait_until

# As systemd does it: the socket is descriptor 3 of the process that is named.
PASS = 'fd=$1 LISTEN_PID=${2:-$$}; shift 2; eval "exec 3<&$fd"; export LISTEN_PID; exec "$@"'


class SystemdCase(ServeCase):
    """Tests that each start a server of their own."""

    @classmethod
    def setUpClass(cls) -> None:
        """Start none."""
        super(ServeCase, cls).setUpClass()


class Told(SystemdCase):
    """NOTIFY_SOCKET."""

    def listener(self, where: str) -> socket.socket:
        """Return a socket that is told; it is closed with the test."""
        told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(told.close)
        told.settimeout(DEADLINE)
        told.bind("\0" + where[1:] if where.startswith("@") else where)
        return told

    def test_its_life(self) -> None:
        for where in (f"{self.folder}/notify", f"@glovebox-test-{os.getpid()}"):
            with self.subTest(where=where):
                told = self.listener(where)
                server = self.start_server(env={"NOTIFY_SOCKET": where})
                self.assertEqual(told.recv(1000), b"READY=1")
                self.assertTrue(wait_until(lambda: server.address), "it serves")
                server.process.send_signal(signal.SIGHUP)
                self.assertRegex(told.recv(1000), rb"\ARELOADING=1\nMONOTONIC_USEC=\d+\Z")
                self.assertEqual(told.recv(1000), b"READY=1")
                server.wait_ready()
                for pid in server.family():
                    environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
                    if Path(f"/proc/{pid}/comm").read_text() not in ("warm-watchdog\n", "glovebox-serve\n"):  # shown as it was
                        self.assertFalse([each for each in environment if each.startswith(b"NOTIFY_SOCKET")])
                self.assertEqual(server.stop(), 0)
                self.assertEqual(told.recv(1000), b"STOPPING=1")

    def test_nobody_who_listens(self) -> None:
        """It serves all the same: what is told is for others."""
        full = self.listener(f"{self.folder}/full")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as filler:
            filler.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                while True:
                    filler.sendto(b"x", f"{self.folder}/full")
        del full
        for where in (f"{self.folder}/full", f"{self.folder}/nothing", "@", "vsock:2:1", "x" * 200, "/" + "x" * 200):
            with self.subTest(where=where[:20]):
                server = self.start_server(env={"NOTIFY_SOCKET": where})
                self.assertEqual(server.get("/health").status, 200)

    def test_one_that_does_not_start(self) -> None:
        told = self.listener(f"{self.folder}/notify")
        server = Server("--node", "NOT", env={"NOTIFY_SOCKET": f"{self.folder}/notify"})
        self.assertEqual(server.end(), 125)
        told.setblocking(False)
        with self.assertRaises(BlockingIOError):
            told.recv(1000)


class Passed(SystemdCase):
    """LISTEN_FDS."""

    def passed(self, listener: socket.socket, *flags: str, pid: str = "") -> Server:
        """Start a server that is passed a socket; it may refuse it."""
        below = ("sh", "-c", PASS, "sh", str(listener.fileno()), pid)
        server = Server(*flags, listen="127.0.0.1:0", below=below, env={"LISTEN_FDS": "1"}, pass_fds=[listener.fileno()])
        self.addCleanup(server.discard)
        return server

    def inodes(self, pid: int) -> set[str]:
        """Return the sockets that a process holds."""
        found = set()
        for fd in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                found |= set(re.findall(r"socket:\[(\d+)\]", os.readlink(fd)))
        return found

    def test_it_serves_on_it(self) -> None:
        """Those who came before it started are served; nobody but it holds the socket."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            early = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE)
            self.addCleanup(early.close)
            early.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            server = self.passed(listener)
            self.assertEqual(server.address, f"http://127.0.0.1:{port}")
            self.assertTrue(early.makefile("rb").read().startswith(b"HTTP/1.1 200 "))
            server.wait_ready()
            self.assertEqual(server.post("/v1/execute", {"code": "6 * 7", "timeout_ms": 30000}).json["stdout"], "42\n")
            inode = os.fstat(listener.fileno()).st_ino
            self.assertIn(str(inode), self.inodes(server.process.pid))
            for pid in server.family():
                if pid != server.process.pid:
                    self.assertNotIn(str(inode), self.inodes(pid), Path(f"/proc/{pid}/cmdline").read_bytes())
            self.assertEqual(server.stop(), 0)
            # The next one takes over where it was: nobody who comes meanwhile is refused.
            late = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE)
            self.addCleanup(late.close)
            late.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            self.passed(listener)
            self.assertTrue(late.makefile("rb").read().startswith(b"HTTP/1.1 200 "))

    def test_a_socket_file(self) -> None:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.folder / "socket"))
            listener.listen()
            server = self.passed(listener)
            self.assertEqual((server.address, server.get("/health").status), (f"unix:{self.folder}/socket", 200))
            self.assertEqual(server.stop(), 0)
            self.assertTrue((self.folder / "socket").exists(), "it is systemd's")

    def test_what_is_refused(self) -> None:
        with socket.create_server(("0.0.0.0", 0)) as public, socket.socket() as mute:
            for listener, said in ((public, message("addresses_add", "--listen")), (mute, "does not listen")):
                server = self.passed(listener)
                self.assertEqual(server.end(), 125)
                self.assertRegex(server.said[-1], named(said))

    def test_a_socket_of_somebody_else(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            server = self.passed(listener, pid="1")
            self.assertNotEqual(server.port, listener.getsockname()[1])
            self.assertEqual(server.get("/health").status, 200)
