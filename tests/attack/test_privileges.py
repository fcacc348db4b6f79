"""What each command holds when root calls it, read from /proc where the testing build stops."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import unittest
from collections.abc import Sequence
from pathlib import Path

import privileges_table
from support.case import Case
from support.run import GLOVEBOX, IS_ROOT, TESTING, execute, unique

# Without an argument these print a help or an error, and are no command yet.
WORDS = {"generate": ("man",)}
# Dispatch does not look behind the word, so it stops there as another command, whose bounds stay.
FIRST = {"serve key": "serve", "kernel install": "kernel"}
STREAMS = {"0", "1", "2"}
# What a monitor has open while a program runs (ARCHITECTURE.md, "Processes and privileges"), beside trees to mount.
MONITOR = re.compile(r"pipe:|socket:|anon_inode:\[(pidfd|signalfd|eventfd)\]|pidfd:|/sys/fs/cgroup/|/run/glovebox/running(/[0-9a-f]{12})?$")
O_PATH = 0o10000000


def status(pid: int) -> dict[str, int]:
    """Return the sets of a process, and whether it has no_new_privs."""
    text = Path(f"/proc/{pid}/status").read_text()
    fields = dict(re.findall(r"^(Cap\w+|NoNewPrivs):\s+(\w+)$", text, re.MULTILINE))
    return {name: int(value, 16) for name, value in fields.items()}


def descriptors(pid: int) -> dict[str, str]:
    """Return what the descriptors of a process are open on, but for those that only name a place.

    A sandbox that begins shares the table of its stopped monitor until it has parted, and closes
    what it does not need: what is gone at a second look does not count.
    """
    found = {}
    for fd in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found[fd.name] = os.readlink(fd)
    info = {}
    for fd in found:
        with contextlib.suppress(FileNotFoundError):
            info[fd] = Path(f"/proc/{pid}/fdinfo/{fd}").read_text()
    found = {fd: place for fd, place in found.items() if fd in info}
    flags = {fd: re.findall(r"^flags:\s+(\d+)$", text, re.MULTILINE) for fd, text in info.items()}
    return {fd: place for fd, place in found.items() if not int(flags[fd][0], 8) & O_PATH}


def listed(*words: str) -> list[str]:
    """Return the commands that a help text lists."""
    text = execute([GLOVEBOX, *words]).out
    family = " ".join(w for w in words if w not in ("help", "--help"))
    if "\nCommands:\n" not in text:
        return re.findall(rf"^glovebox ({family} [a-z]+)\b", text, re.MULTILINE)
    names = re.findall(r"^  ([a-z]+) +\S", text.split("\nCommands:\n")[1], re.MULTILINE)
    return [f"{family} {name}".strip() for name in names]


class Table(unittest.TestCase):
    """The table is whole."""

    def test_every_command_has_a_row_and_every_row_a_command(self) -> None:
        families = {"warm", "session", "volume", "image", "generate"}
        names = set(listed("help")) - families
        for words in (("help", "warm"), ("help", "session"), ("help", "volume"), ("image", "--help")):
            names |= set(listed(*words))
        rows = {row.command for row in privileges_table.rows()} - {"generate", "serve key", "kernel install"}
        self.assertEqual(rows, names)


@unittest.skipUnless(IS_ROOT, "cannot: an ordinary user has nothing to give up")
class Held(Case):
    """The sets at each moment."""

    def stopped(self, row: privileges_table.Row, *words: str, **env: str) -> subprocess.Popen[bytes]:
        """Start a command, and return when it has stopped at the row's moment."""
        env = os.environ | {"GLOVEBOX_STOP_AT": row.moment} | env
        program = self.start([TESTING, *row.command.split(), *words], env=env, stdout=subprocess.DEVNULL)
        self.assert_stopped(row, program.pid)
        if row.command in FIRST:
            os.waitid(os.P_PID, program.pid, os.WSTOPPED)  # without WNOWAIT: this stop is over
            program.send_signal(signal.SIGCONT)
            self.assert_stopped(row, program.pid)
        return program

    def assert_stopped(self, row: privileges_table.Row, pid: int) -> None:
        """Wait until a process has stopped."""
        how = os.waitid(os.P_PID, pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        assert how
        self.assertEqual(how.si_code, os.CLD_STOPPED, f"{row.command}: it did not stop")

    def first(self, row: privileges_table.Row) -> privileges_table.Row | None:
        """Return the row of what dispatch takes a command for, if that is another."""
        rows = privileges_table.rows()
        return next((r for r in rows if r.command == FIRST.get(row.command)), None)

    def assert_holds(self, row: privileges_table.Row, pid: int) -> None:
        """Assert that a process has what its row says, of what we have ourselves."""
        own, has = status(os.getpid()), status(pid)
        kept = own["CapPrm"] & row.mask
        bound = own["CapBnd"]
        for other in privileges_table.rows():
            if other in (row, self.first(row)) and other.executed == "BOUNDED":
                bound &= other.mask
        expected = {"CapPrm": kept, "CapEff": kept, "CapInh": 0, "CapAmb": 0, "CapBnd": bound}
        expected["NoNewPrivs"] = int(row.executed == "SAME") | own["NoNewPrivs"]
        self.assertEqual({k: hex(v) for k, v in has.items()}, {k: hex(v) for k, v in expected.items()})

    def test_before_a_file_of_its_arguments_is_opened(self) -> None:
        """What is tested of the agent is the program that is installed, which waits for a model."""
        for row in privileges_table.rows():
            if row.moment != "arguments" or row.command == "agent":
                continue
            with self.subTest(command=row.command):
                program = self.stopped(row, *WORDS.get(row.command, ()))
                self.assert_holds(row, program.pid)
                self.assertLessEqual(descriptors(program.pid).keys(), STREAMS)

    def running(self, *flags: str) -> Sequence[str]:
        """Check a run while its program runs; it must go on. Returns what else it has open."""
        moment = "collects" if flags else "running"
        rows = {row.moment: row for row in privileges_table.rows() if row.command == "run"}
        program = self.stopped(rows[moment], *flags, "host", "sleep", "0.1")
        self.assert_holds(rows[moment], program.pid)
        others = [p for fd, p in descriptors(program.pid).items() if fd not in STREAMS]
        program.send_signal(signal.SIGCONT)
        self.assertEqual(program.wait(20), 0)
        return [place for place in others if not MONITOR.match(place)]

    def test_while_the_program_runs(self) -> None:
        self.assertEqual(self.running(), [])

    def test_while_a_program_with_an_output_runs(self) -> None:
        """Then only the directory that is collected into is open as well."""
        output = self.subfolder("output")
        self.assertEqual(set(self.running("--output", str(output))), {str(output)})

    def test_while_files_are_copied(self) -> None:
        """The sandbox of a root that is opened again has begun by then, with what that takes."""
        [row] = [row for row in privileges_table.rows() if row.moment == "copies"]
        name, place = unique("copies"), {"XDG_STATE_HOME": str(self.folder)}
        self.assert_status(execute([GLOVEBOX, "create", "--name", name, "host", "true"], env=place))
        program = self.stopped(row, f"{name}:/etc/hostname", str(self.folder / "copy"), **place)
        self.assert_holds(row, program.pid)
        program.send_signal(signal.SIGCONT)
        program.wait(20)
        self.assert_status(execute([GLOVEBOX, "rm", name], env=place))

    def test_an_agent_that_waits_for_its_model(self) -> None:
        agent = Path(GLOVEBOX).with_name("glovebox-agent")
        if not agent.exists():
            self.skipTest(f"cannot: {agent} is missing")
        with socket.create_server(("127.0.0.1", 0)) as server, contextlib.ExitStack() as stack:
            server.settimeout(20)
            host = f"http://127.0.0.1:{server.getsockname()[1]}"
            env = os.environ | {"OLLAMA_HOST": host, "XDG_DATA_HOME": str(self.folder)}
            program = self.start([GLOVEBOX, "agent", "--image", "host", "a task"], env=env, stderr=subprocess.DEVNULL)
            stack.enter_context(server.accept()[0])
            [row] = [row for row in privileges_table.rows() if row.command == "agent"]
            self.assert_holds(row, program.pid)

    def test_a_proc_that_hides_pid_1(self) -> None:
        """It is looked up while it can be seen; ten times a second its sockets are counted."""
        shell = 'mount -t proc -o hidepid=2,gid=4321 proc /proc; exec "$0" run host sleep 0.5'
        result = execute(["unshare", "--mount", "sh", "-ec", shell, GLOVEBOX])
        self.assert_status(result)
