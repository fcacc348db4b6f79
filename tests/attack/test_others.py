"""Attacks of another user of the machine on sandboxes that stay: on their state, their sockets, and with files of its own."""

import os
import shutil
from pathlib import Path

from integration.staying import WAITS
from integration.test_user import FIRST_UID, Stranger
from support.run import GLOVEBOX, PYTHON, Result, execute

# Connects to a monitor, asks it for a program, and says what comes back.
ASKS = """
import os, socket, sys
os.chdir(sys.argv[1])
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as monitor:
    monitor.settimeout(20)
    try:
        monitor.connect("socket")
        monitor.send(b'{"op": "exec", "argv": [{"text": "true"}], "env": [], "mute": true}')
        print(monitor.recv(4096))
    except (ConnectionError, BrokenPipeError):
        print(b"")
"""


class Others(Stranger):
    """Root's sandboxes, and an ordinary user."""

    uid = FIRST_UID + 90

    def setUp(self) -> None:
        """Leave a sandbox of root's behind, in a place that others may reach."""
        super().setUp()
        self.place = self.folder / "state"
        self.place.mkdir(mode=0o755)
        self.env = {"XDG_STATE_HOME": str(self.place)}
        self.id = self.assert_status(self.ours("run", "-d", "host", "sh", "-c", WAITS)).out.strip()
        self.addCleanup(self.ours, "rm", "-f", self.id)

    def ours(self, *args: str) -> Result:
        """Run a command as root."""
        return execute([GLOVEBOX, *args], env=self.env)

    def assert_runs(self) -> None:
        """The sandbox goes on, and is reached."""
        result = self.assert_status(self.ours("exec", self.id, "echo", "open"))
        self.assertEqual(result.out, "open\n")

    def test_commands(self) -> None:
        """It can name root's place, and sees nothing there."""
        for words in ("ps -a", "inspect @", "logs @", "exec @ true", "kill @", "rm -f @", "rename @ x", "cp @:/etc/passwd -"):
            with self.subTest(words):
                result = self.by_user(*words.replace("@", self.id).split(), **self.env)
                self.assertNotIn(self.id[:12], result.out)
                self.assertEqual(result.status == 0, words == "ps -a" and not result.err, result)
        self.assert_runs()

    def test_the_socket(self) -> None:
        """Were each directory open, it would be turned away by its number."""
        below = [self.place / part for part in ("glovebox", "glovebox/sandboxes", f"glovebox/sandboxes/{self.id}")]
        for path in below:
            path.chmod(0o777)
        (below[-1] / "socket").chmod(0o777)
        ids = ("setpriv", f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups")
        self.assertEqual(execute([*ids, PYTHON, "-c", ASKS, str(below[-1])]).out, "b''\n")
        self.assertNotEqual(execute([PYTHON, "-c", ASKS, str(below[-1])]).out, "b''\n")
        for path in below:
            path.chmod(0o700)
        self.assert_runs()

    def test_places_of_its_own(self) -> None:
        """What another user can exchange is neither read nor written as root's state."""
        for name in ("sandboxes", "names"):
            for make in (self.own, self.link, self.open):
                with self.subTest(name=name, make=make.__name__):
                    other = self.folder / "other"
                    (other / "glovebox").mkdir(parents=True)
                    make(other / "glovebox" / name)
                    self.env["XDG_STATE_HOME"] = str(other)
                    result = self.ours("run", "-d", "--name", "mine", "host", "sleep", "1000")
                    self.assertEqual((result.status, result.out), (125, ""), result.err)
                    self.assertIn(name, result.err)
                    self.assertEqual(list((self.folder / "theirs").glob("*")), [])
                    self.env["XDG_STATE_HOME"] = str(self.place)
                    shutil.rmtree(other)
        self.assert_runs()

    def own(self, path: Path) -> None:
        """A directory of the other user's."""
        path.mkdir(mode=0o700)
        os.chown(path, self.uid, self.uid)

    def link(self, path: Path) -> None:
        """A link of its to a directory of its."""
        theirs = self.folder / "theirs"
        theirs.mkdir(exist_ok=True)
        os.chown(theirs, self.uid, self.uid)
        path.symlink_to(theirs)
        os.chown(path, self.uid, self.uid, follow_symlinks=False)

    def open(self, path: Path) -> None:
        """A directory into which everybody may write."""
        path.mkdir()
        path.chmod(0o777)
