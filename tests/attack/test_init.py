"""Pid 1 of a sandbox, seen from the host: it is locked down as the program is."""

import os
import subprocess

from support.attack import AttackCase
from support.times import wait_until

PUBLIC = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp")
NOTHING = {name: "0" * 16 for name in PUBLIC[:5]} | {"NoNewPrivs": "1", "Seccomp": "2"}


class InitTest(AttackCase):
    """A bug in pid 1 must be worth nothing."""

    quick = ("test_pid_1_is_locked_down", "test_pid_1_is_open_without_its_layers")
    as_user = True

    kernel = True

    def start_victim(self, omit: str = "") -> subprocess.Popen[str]:
        """Start a sandbox that waits for the end of its standard input."""
        inside = self.command("neighbour_victim", self.token)
        process = self.start("-i", inside=inside, omit=omit, stdin=subprocess.PIPE)
        self.addCleanup(self.assert_gone)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "READY\n")
        return process

    def status(self, pid: int | str) -> dict[str, str]:
        """Read the public status of a process of the host."""
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)

    def processes(self, omit: str = "") -> tuple[dict[str, str], dict[str, str], str]:
        """Start one; return the status of the program and of pid 1, and pid 1's pid."""
        self.start_victim(omit)
        program = self.status(self.inside()[0])
        init = program["PPid"]
        # It gives up its rights once the program is executed, beside it, and then waits for its end.
        self.assertTrue(wait_until(lambda: self.status(init)["State"].startswith("S")))
        return program, self.status(init), init

    def locked(self, status: dict[str, str]) -> dict[str, str]:
        """What of a status says that the process is locked down."""
        return {name: status[name] for name in PUBLIC}

    def test_program_is_locked_down(self) -> None:
        program, _, _ = self.processes()
        self.assertEqual(self.locked(program), NOTHING)
        kept = [] if os.geteuid() == 0 else os.getgroups()  # which only root can drop
        self.assertEqual(sorted(map(int, program["Groups"].split())), sorted(kept))

    def test_pid_1_is_locked_down(self) -> None:
        _, init, _ = self.processes()
        self.assertEqual(self.locked(init), NOTHING)

    def test_pid_1_is_open_without_its_layers(self) -> None:
        _, init, _ = self.processes("init-caps,init-no-new-privs,init-seccomp")
        self.assertNotEqual(int(init["CapEff"], 16), 0)
        self.assertEqual((init["NoNewPrivs"], init["Seccomp"]), ("0", "0"))

    def test_pid_1_holds_one_descriptor(self) -> None:
        """The control socket."""
        self.assertEqual(len(self.descriptors("")), 1)

    def test_pid_1_holds_more_without_its_layer(self) -> None:
        self.assertGreater(len(self.descriptors("init-close-fds")), 1)

    def descriptors(self, omit: str) -> list[str]:
        """List what pid 1 has open, but for what it opened to watch the program."""
        if os.geteuid() != 0:
            self.skipTest("cannot: only root may look at a process that is not dumpable")
        _, _, init = self.processes(omit)
        links = [os.readlink(f"/proc/{init}/fd/{fd}") for fd in os.listdir(f"/proc/{init}/fd")]
        return [link for link in links if "signalfd" not in link]

    def test_ids_of_the_host_are_not_root(self) -> None:
        program, init, _ = self.processes()
        for status in (program, init):
            ids = {*status["Uid"].split(), *status["Gid"].split()}
            self.assertNotIn("0", ids)
