"""The host replaces a file of /etc that the image "host" shows, as ldconfig does: its cells have the new one."""

import ctypes
import os
import subprocess
import unittest

from support.ordinary_user import OrdinaryUser
from support.run import Result

CLONE_NEWNS = 0x20000
# A copy of /etc in a mount namespace of its own, which lives as long as the program's input.
APART = "mount -t tmpfs none /mnt && cp -a /etc/. /mnt && mount --bind /mnt /etc && umount /mnt; echo ready; read _"
TAIL = "print(open('/etc/ld.so.cache', 'rb').read()[-5:])"
REPLACE = "cp -p /etc/ld.so.cache /etc/new && mv /etc/new /etc/ld.so.cache"


class Replaced(OrdinaryUser):
    """An ordinary user's cells mount the file from their nursery; those of root open it anew."""

    def setUp(self) -> None:
        """Make the namespace."""
        super().setUp()
        command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", APART]
        self.apart = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.apart.communicate)
        assert self.apart.stdout
        self.assertEqual(self.apart.stdout.readline(), "ready\n")
        self.namespace = os.open(f"/proc/{self.apart.pid}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
        self.addCleanup(os.close, self.namespace)
        self.addCleanup(self.glovebox, "warm", "stop")
        self.assert_status(self.glovebox("warm", "start", "host", "--pool", "1"))
        self.assertEqual(self.run_python().out, "1\n")

    def become(self) -> None:
        """Enter the namespace, and become the user."""
        if ctypes.CDLL(None, use_errno=True).setns(self.namespace, CLONE_NEWNS):
            raise OSError(ctypes.get_errno(), "setns")
        super().become()

    def replace(self, how: str = REPLACE) -> None:
        """Replace the file."""
        subprocess.run(["nsenter", "--target", str(self.apart.pid), "--mount", "sh", "-c", how], check=True)

    def run_python(self, *flags: str) -> Result:
        """Run a program in a cell, and nowhere else."""
        return self.glovebox("run", "--warm=require", *flags, "host", "python3", "-c", "print(1)")

    def test_runs_are_warm(self) -> None:
        self.replace()
        self.assertEqual(self.assert_status(self.run_python()).out, "1\n")
        self.assertEqual(self.assert_status(self.run_python("-v", f"{self.subfolder('data')}:/data")).out, "1\n")

    def test_sessions_go_on_and_begin(self) -> None:
        for name in ("before", "after"):
            self.assert_status(self.glovebox("session", "new", "--name", name))
            self.assert_status(self.glovebox("session", "exec", name, "x = 6 * 7"))
            self.replace()
        for name in ("before", "after"):
            self.assertEqual(self.assert_status(self.glovebox("session", "exec", name, "x")).out, "42\n")

    def test_it_shows_what_replaced_it(self) -> None:
        write = "cp -p /etc/ld.so.cache /etc/new && echo here >>/etc/new && mv /etc/new /etc/ld.so.cache"
        self.replace(write)
        shown = self.glovebox("run", "--warm=require", "host", "python3", "-c", TAIL)
        self.assertEqual(self.assert_status(shown).out, "b'here\\n'\n")


if __name__ == "__main__":
    unittest.main()
