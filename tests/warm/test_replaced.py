"""The host replaces a file of /etc that the image "host" shows, as ldconfig does: another warm Python begins."""

import ctypes
import os
import subprocess
import unittest

from support.messages import message
from support.ordinary_user import OrdinaryUser
from support.run import Result
from support.times import wait_until

CLONE_NEWNS = 0x20000
# A copy of /etc in a mount namespace of its own, which lives as long as the program's input.
APART = "mount -t tmpfs none /mnt && cp -a /etc/. /mnt && mount --bind /mnt /etc && umount /mnt; echo ready; read _"
REPLACE = "cp -p /etc/ld.so.cache /etc/new && mv /etc/new /etc/ld.so.cache"


class Replaced(OrdinaryUser):
    """An ordinary user's cells have the file from their nursery; those of root open it anew."""

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
        self.assertEqual(self.run_python("require").out, "1\n")

    def become(self) -> None:
        """Enter the namespace, and become the user."""
        if ctypes.CDLL(None, use_errno=True).setns(self.namespace, CLONE_NEWNS):
            raise OSError(ctypes.get_errno(), "setns")
        super().become()

    def replace(self) -> None:
        """Replace the file."""
        subprocess.run(["nsenter", "--target", str(self.apart.pid), "--mount", "sh", "-c", REPLACE], check=True)

    def run_python(self, warm: str) -> Result:
        """Run a program."""
        return self.glovebox("run", f"--warm={warm}", "host", "python3", "-c", "print(1)")

    def is_warm(self) -> bool:
        """Say whether a cell serves a run."""
        return self.run_python("require").status == 0

    def test_runs_go_on_and_are_warm_again(self) -> None:
        self.replace()
        self.assertEqual(self.assert_status(self.run_python("auto")).out, "1\n")
        self.assertTrue(wait_until(self.is_warm))

    def test_sessions_are_kept_until_they_end(self) -> None:
        self.assert_status(self.glovebox("session", "new", "--name", "kept"))
        self.assert_status(self.glovebox("session", "exec", "kept", "x = 6 * 7"))
        self.replace()
        self.assertRegex(self.assert_status(self.run_python("require"), 125).err, message("requests_check_key#replaced"))
        self.assertEqual(self.assert_status(self.run_python("auto")).out, "1\n")
        self.assertEqual(self.assert_status(self.glovebox("session", "exec", "kept", "x")).out, "42\n")
        self.assert_status(self.glovebox("session", "rm", "kept"))
        self.assertTrue(wait_until(self.is_warm))


if __name__ == "__main__":
    unittest.main()
