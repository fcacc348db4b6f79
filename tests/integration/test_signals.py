"""Signals to glovebox: the sandbox ends at once, and nothing of it stays."""

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import time
import unittest
from pathlib import Path

from docker_name import DockerCase
from support.case import Case
from support.processes import marked
from support.run import GLOVEBOX, IS_ROOT, command, run, unique
from support.times import DEADLINE, wait_until

V1 = Path("/sys/fs/cgroup")


def cgroups_of(pid: int) -> list[Path]:
    """Return the directories of a process's control groups below the top."""
    found = []
    for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        root = Path("/sys/fs/cgroup", controllers.removeprefix("name="))
        if not controllers and Path("/sys/fs/cgroup/unified").is_dir():
            root = Path("/sys/fs/cgroup/unified")
        if path != "/" and root.is_dir():
            found.append(root / path.lstrip("/"))
    return found


def locked_group(folder: Path) -> int:
    """Make a control group; until the descriptor is closed nobody's sweep takes it away."""
    while True:
        folder.mkdir(0o700, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            lock = os.open(folder, os.O_RDONLY)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if folder.exists():
                return lock
            os.close(lock)


class Ended(Case):
    """Whatever the program does about it."""

    kernel = True
    as_user = (
        "test_control_c",
        "test_sigkill_of_glovebox_leaves_nothing",
        "test_a_start_with_fewer_limits_sweeps_as_well",
        "test_sigkill_at_any_moment",
    )

    RESIST = (
        "trap '' INT TERM HUP QUIT; setsid sleep 1000 & echo ready; while :; do sleep 1000; done"
    )

    def start_marked(self, *flags: str, sh: str = RESIST) -> subprocess.Popen[bytes]:
        """Start a sandbox whose processes can be found by self.marker."""
        self.marker = unique()
        return self.start_ready(command(*flags, sh=f": {self.marker}; {sh}"))

    def inside(self, process: subprocess.Popen[bytes]) -> list[int]:
        """Return the processes with the marker besides glovebox itself."""
        return [p for p in marked(self.marker) if p != process.pid]

    def assert_ends(self, number: signal.Signals, *flags: str) -> None:
        """Send a signal to glovebox and assert its status, promptness and cleanliness."""
        process = self.start_marked(*flags)
        groups = cgroups_of(self.inside(process)[0])
        start = time.monotonic()
        process.send_signal(number)
        self.assertEqual(process.wait(DEADLINE), 128 + number)
        self.assertLess(time.monotonic() - start, 20)
        self.assert_gone(self.marker)
        own = set(cgroups_of(os.getpid()))
        self.assertEqual([g for g in groups if g not in own and g.exists()], [])

    def test_control_c(self) -> None:
        self.assert_ends(signal.SIGINT)

    def test_sigterm(self) -> None:
        self.assert_ends(signal.SIGTERM)

    def test_sighup(self) -> None:
        self.assert_ends(signal.SIGHUP)

    def test_with_i_and_json(self) -> None:
        self.assert_ends(signal.SIGTERM, "-i")

    def test_json_says_cancelled(self) -> None:
        process = self.start(
            command("--json", sh="echo partial; sleep 1000; :"), stdout=subprocess.PIPE
        )
        # --json prints nothing before the end: a second process inside tells that it runs
        sleeping = b"sleep\x001000\0"
        wait_until(lambda: sleeping in map(cmdline, descendants(process.pid)))
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=DEADLINE)
        self.assertEqual(process.returncode, 143)
        self.assertIn(b'"cancelled"', out)
        self.assertIn(b"partial", out)

    def test_a_second_signal_while_ending(self) -> None:
        process = self.start_marked()
        for number in (signal.SIGINT, signal.SIGINT, signal.SIGTERM):
            process.send_signal(number)
        self.assertIn(process.wait(DEADLINE), (130, 143))
        self.assert_gone(self.marker)

    def test_stop_timeout_lets_the_program_say_goodbye(self) -> None:
        script = "trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.1; done"
        process = self.start_marked("--stop-timeout", "60", sh=script)
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=DEADLINE)
        self.assertEqual(out, b"bye\n")
        self.assertIn(process.returncode, (5, 143))

    def test_stop_signal_is_the_one_that_is_sent(self) -> None:
        script = "trap 'echo usr1; exit 5' USR1; echo ready; while :; do sleep 0.1; done"
        process = self.start_marked("--stop-timeout", "60", "--stop-signal", "USR1", sh=script)
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=DEADLINE)
        self.assertEqual(out, b"usr1\n")

    def test_stop_timeout_is_not_waited_for_longer(self) -> None:
        process = self.start_marked("--stop-timeout", "1")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(DEADLINE), 143)
        self.assert_gone(self.marker)

    def assert_swept(self, *flags: str) -> None:
        """Kill glovebox, assert that nothing runs on and that the next start cleans up."""
        process = self.start_marked()
        groups = cgroups_of(self.inside(process)[0])
        process.kill()
        process.wait()
        self.assert_gone(self.marker)
        own = set(cgroups_of(os.getpid()))
        there = lambda: [g for g in groups if g not in own and g.exists()]  # noqa: E731
        wait_until(lambda: run(*flags, argv=["/bin/true"]).status or not there())
        self.assertEqual(there(), [])

    def test_sigkill_of_glovebox_leaves_nothing(self) -> None:
        self.assert_swept()

    def test_a_start_with_fewer_limits_sweeps_as_well(self) -> None:
        self.assert_swept("--pids-limit", "-1", "--cpus", "0")

    @unittest.skipUnless(IS_ROOT and Path(V1, "memory/glovebox").is_dir(), "cannot: only root can make a directory per controller here")
    def test_what_is_still_ending_stays_where_a_sweep_looks(self) -> None:
        name = f"glovebox/sandbox-{unique()}"
        memory, pids = (V1 / controller / name for controller in ("memory", "pids"))
        ending = subprocess.Popen(["/bin/sleep", "1000"])
        self.addCleanup(ending.wait)
        self.addCleanup(ending.kill)
        # Memory first: another run's sweep that finds it unlocked removes the others, too.
        locks = [locked_group(folder) for folder in (memory, pids)]
        (pids / "cgroup.procs").write_text(str(ending.pid))
        for lock in locks:
            os.close(lock)
        self.assert_status(run(argv=["/bin/true"]))
        self.assertTrue(memory.is_dir(), "no sweep would find the other group any more")
        ending.kill()
        ending.wait()
        wait_until(lambda: run(argv=["/bin/true"]).status or not (pids.exists() or memory.exists()))
        self.assertEqual((memory.exists(), pids.exists()), (False, False))

    @unittest.skipUnless(IS_ROOT and Path(V1, "memory/glovebox").is_dir(), "cannot: only root can make a directory per controller here")
    def test_groups_that_had_other_limits_are_swept_unless_they_are_locked(self) -> None:
        stale, held = (V1 / f"pids/glovebox/sandbox-{unique()}" for _ in range(2))
        lock = locked_group(held)
        self.addCleanup(held.rmdir)
        self.addCleanup(os.close, lock)
        stale.mkdir(0o700)
        wait_until(lambda: run(argv=["/bin/true"]).status or not stale.exists())
        self.assertEqual((stale.exists(), held.exists()), (False, True))

    def test_sigkill_at_any_moment(self) -> None:
        marker = unique()
        for delay in range(0, 40, 2):
            process = self.start(command("--tmpfs", "/x", sh=f": {marker}; sleep 1000"))
            time.sleep(delay / 1000)
            process.kill()
            process.wait()
        self.assert_gone(marker)

    def test_sigterm_at_any_moment(self) -> None:
        marker = unique()
        for delay in range(0, 40, 2):
            process = self.start(command(sh=f": {marker}; sleep 1000"))
            time.sleep(delay / 1000)
            process.terminate()
            self.assertIn(process.wait(DEADLINE), (143, -signal.SIGTERM))
        self.assert_gone(marker)

    def test_a_signal_that_the_caller_ignores_still_ends_it(self) -> None:
        # nohup: SIGHUP stays ignored, SIGTERM works
        process = self.start_ready(
            command(sh="echo ready; sleep 1000"),
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
        )
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(DEADLINE), 143)

    def test_stopping_glovebox_does_not_stop_the_deadline_for_good(self) -> None:
        process = self.start_marked("--timeout", "1")
        process.send_signal(signal.SIGSTOP)
        time.sleep(1.5)
        process.send_signal(signal.SIGCONT)
        self.assertEqual(process.wait(DEADLINE), 124)
        self.assert_gone(self.marker)


CATCH = """
import signal, sys, time
def caught(number, frame):
    print("caught", signal.Signals(number).name, flush=True)
    if number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        sys.exit(5)
for name in "TERM INT HUP QUIT USR1 USR2 WINCH CONT TSTP".split():
    signal.signal(getattr(signal, "SIG" + name), caught)
print("ready", flush=True)
while True:
    time.sleep(1)
"""

FINALLY = """
import time
print("ready", flush=True)
try:
    time.sleep(1000)
finally:
    print("saved", flush=True)
"""


class Forwarded(DockerCase):
    """Under the name docker the client stands in for the program."""

    warm = "never"

    def start_docker(self, text: str, *flags: str, name: str = "docker") -> subprocess.Popen[bytes]:
        """Start a program of Python, and wait until it is ready."""
        args = [self.folder / "bin/docker" if name == "docker" else GLOVEBOX, "run", f"--warm={self.warm}"]
        return self.start_ready([*args, *flags, "host", "python3", "-uc", text])

    def assert_ends(self, process: subprocess.Popen[bytes], status: int, said: str) -> bytes:
        """Assert the status and what was printed; return standard error."""
        out, err = process.communicate(timeout=DEADLINE)
        self.assertEqual((process.returncode, out.decode()), (status, said), err)
        return err

    def test_the_handler_decides(self) -> None:
        for name in ("TERM", "HUP", "QUIT"):
            process = self.start_docker(CATCH)
            process.send_signal(getattr(signal, f"SIG{name}"))
            self.assert_ends(process, 5, f"caught SIG{name}\n")

    def test_signals_that_end_nothing(self) -> None:
        process = self.start_docker(CATCH)
        for name in ("USR1", "USR2", "WINCH", "CONT", "TSTP", "INT", "TERM"):
            process.send_signal(getattr(signal, f"SIG{name}"))
            self.assertEqual(process.stdout.readline(), f"caught SIG{name}\n".encode())
        self.assert_ends(process, 5, "")

    def test_control_c_is_a_keyboard_interrupt(self) -> None:
        process = self.start_docker(FINALLY)
        process.send_signal(signal.SIGINT)
        self.assertIn(b"KeyboardInterrupt", self.assert_ends(process, 130, "saved\n"))

    def test_without_a_handler_the_program_ends_by_the_signal(self) -> None:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
            process = self.start_docker(FINALLY)
            process.send_signal(number)
            self.assert_ends(process, 128 + number, "")

    STUBBORN = CATCH.replace("sys.exit(5)", "pass")

    def test_the_second_is_forwarded_and_the_third_kills(self) -> None:
        process = self.start_docker(self.STUBBORN)
        for _ in range(2):
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.stdout.readline(), b"caught SIGTERM\n")
        process.send_signal(signal.SIGTERM)
        self.assert_ends(process, 143, "")

    def test_stop_timeout_kills(self) -> None:
        process = self.start_docker(self.STUBBORN, "--stop-timeout", "1")
        process.send_signal(signal.SIGTERM)
        self.assert_ends(process, 137, "caught SIGTERM\n")

    def test_what_came_is_sent_and_not_stop_signal(self) -> None:
        process = self.start_docker(CATCH, "--stop-timeout", "60", "--stop-signal", "USR1")
        process.send_signal(signal.SIGTERM)
        self.assert_ends(process, 5, "caught SIGTERM\n")

    def test_json_has_the_programs_own_end(self) -> None:
        process = self.start_docker(CATCH, "--result-file", str(self.folder / "result"))
        process.send_signal(signal.SIGTERM)
        self.assert_ends(process, 5, "caught SIGTERM\n")
        said = json.loads((self.folder / "result").read_text())
        self.assertEqual((said["verdict"], said["exit_code"]), ("exited", 5))

    def test_without_sig_proxy(self) -> None:
        process = self.start_docker(CATCH, "--sig-proxy=false")
        process.send_signal(signal.SIGTERM)
        self.assert_ends(process, 143, "")

    def test_glovebox_does_so_if_it_is_told(self) -> None:
        process = self.start_docker(CATCH, "--sig-proxy", name="glovebox")
        process.send_signal(signal.SIGTERM)
        self.assert_ends(process, 5, "caught SIGTERM\n")

    def test_glovebox_ends_it_at_once(self) -> None:
        process = self.start_docker(CATCH, name="glovebox")
        process.send_signal(signal.SIGTERM)
        self.assert_ends(process, 143, "")


def descendants(pid: int) -> list[int]:
    """Return the processes below one, any number of levels."""
    found: list[int] = []
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return found
    for child in map(int, children):
        found += [child, *descendants(child)]
    return found


def cmdline(pid: int) -> bytes:
    """Return the arguments of a process, empty if it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
