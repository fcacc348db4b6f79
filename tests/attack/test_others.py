"""Attacks of another user of the machine on sandboxes that stay: on their state, their sockets, and with files of its own."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from integration.staying import WAITS
from integration.test_user import FIRST_UID, Stranger
from support.run import GLOVEBOX, PYTHON, TESTING, Result, execute

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
        self.id = self.leave(GLOVEBOX)

    def leave(self, program: str) -> str:
        """Leave a sandbox of root's behind; return its id."""
        one = self.assert_status(execute([program, "run", "-d", "host", "sh", "-c", WAITS], env=self.env)).out.strip()
        self.addCleanup(execute, [GLOVEBOX, "rm", "-f", one], env=dict(self.env))
        return one

    def ours(self, *args: str, program: str = GLOVEBOX) -> Result:
        """Run a command as root."""
        return execute([program, *args], env=self.env)

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

    def asked(self, one: str) -> tuple[str, str]:
        """What a monitor answers the user, were each directory open, and root."""
        below = [self.place / part for part in ("glovebox", "glovebox/sandboxes", f"glovebox/sandboxes/{one}")]
        for path in below:
            path.chmod(0o777)
        (below[-1] / "socket").chmod(0o777)
        ids = ("setpriv", f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups")
        said = [execute([*who, PYTHON, "-c", ASKS, str(below[-1])]).out for who in (ids, ())]
        for path in below:
            path.chmod(0o700)
        return said[0], said[1]

    def test_the_socket(self) -> None:
        """Its number turns the user away."""
        user, root = self.asked(self.id)
        self.assertEqual(user, "b''\n")
        self.assertNotEqual(root, "b''\n")
        self.assert_runs()

    def test_the_socket_without_the_layer(self) -> None:
        self.env["GLOVEBOX_OMIT"] = "peer"
        user, _ = self.asked(self.leave(TESTING))
        self.assertNotEqual(user, "b''\n")

    def test_places_of_its_own(self) -> None:
        """What another user can exchange is neither read nor written as root's state."""
        for name in ("sandboxes", "names"):
            for make in (self.own, self.link, self.open):
                with self.subTest(name=name, make=make.__name__):
                    result = self.started_in(name, make)
                    self.assertEqual((result.status, result.out), (125, ""), result.err)
                    self.assertIn(name, result.err)
                    self.assertEqual(list((self.folder / "theirs").glob("*")), [])
        self.assert_runs()

    def test_places_of_its_own_without_the_layer(self) -> None:
        """Where everybody may write. A link is not followed all the same."""
        self.env["GLOVEBOX_OMIT"] = "private-dir"
        for name in ("sandboxes", "names"):
            with self.subTest(name=name):
                self.assert_status(self.started_in(name, self.open, TESTING))

    def started_in(self, name: str, make: Callable[[Path], None], program: str = GLOVEBOX) -> Result:
        """Start a sandbox where the user has made a directory of root's state; it is gone afterwards."""
        other = self.folder / "other"
        (other / "glovebox").mkdir(parents=True)
        make(other / "glovebox" / name)
        self.env["XDG_STATE_HOME"] = str(other)
        result = self.ours("run", "-d", "--name", "mine", "host", "sleep", "1000", program=program)
        if result.status == 0:
            self.assert_status(self.ours("rm", "-f", "mine", program=program))
        self.env["XDG_STATE_HOME"] = str(self.place)
        shutil.rmtree(other)
        return result

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
