"""Further programs in a session: pid 1 of its cell is a door, as that of a sandbox that stays (attack/test_door.py)."""

import contextlib
import json
import os
import signal
import subprocess
from pathlib import Path

from support.processes import children, links
from support.run import GLOVEBOX, TESTING, Result, execute, unique
from support.times import DEADLINE, wait_until
from support.warm import close_all, take
from test_init import NOTHING
from test_sessions import Sessions, Speaker

# The session's Python is busy until a further program lets it go on.
BUSY = """
import os, time
print('ready', flush=True)
while not os.path.exists('/workspace/go'): time.sleep(0.01)
print('gone on')
"""

# The root is the sandbox's user's, read-only, and no place to write to.
WRITE = "mkdir /x 2>/dev/null && echo open || echo closed"


class Entering(Sessions):
    """Commands that start a program in a session."""

    as_user = True

    def setUp(self) -> None:
        super().setUp()
        self.name = self.new()

    def inside(self, script: str, *flags: str, name: str = "", **options: object) -> Result:
        """Run a shell script in the session."""
        return self.glovebox("exec", *flags, name or self.name, "/bin/sh", "-c", script, **options)

    def beside(self, script: str, *flags: str) -> "subprocess.Popen[bytes]":
        """Start one that prints "ready"; it is killed with the test."""
        command = [GLOVEBOX, "exec", *flags, self.name, "/bin/sh", "-c", script]
        return self.start_ready(command, env=dict(os.environ, **self.env()))

    def assert_fails(self, result: Result, status: int, word: str) -> None:
        """Assert that a command failed with one line that names this."""
        self.assert_status(result, status)
        self.assertEqual((result.out, result.err.count("\n")), ("", 1), result.err)
        self.assertIn(word, result.err)

    def test_its_python_may_be_busy(self) -> None:
        call = self.begin(self.name, BUSY)
        self.assert_prints("1", self.inside("echo 1; touch /workspace/go"))
        self.assertEqual(self.end(call).out, "gone on\n")

    def test_streams_variables_directory_and_status(self) -> None:
        said = self.inside("cat; echo $A; pwd; echo no >&2; exit 7", "-i", "-e", "A=b", "-w", "/tmp", stdin=b"in\n")
        self.assertEqual((said.status, said.out, said.err), (7, "in\nb\n/tmp\n", "no\n"))
        self.assert_prints("/workspace", self.inside("pwd"))
        self.assert_status(self.inside("kill -9 $$"), 137)
        self.assert_prints("/dev/pts/0", self.inside("tty", "-t"))

    def test_what_cannot_be_started(self) -> None:
        self.assert_fails(self.glovebox("exec", self.name, "nosuch"), 127, "nosuch")
        self.assert_fails(self.glovebox("exec", self.name, "/etc/passwd"), 126, "/etc/passwd")
        self.assert_refused(self.inside("1", "-w", "relative"), "relative")
        self.assert_refused(self.glovebox("exec", unique("none"), "true"), "No such container")

    def test_no_output_is_kept(self) -> None:
        self.assert_fails(self.inside("true", "-d", "--keep"), 125, "--keep")
        self.assert_fails(self.glovebox("logs", f"{self.name}/1"), 125, self.name)

    def test_commands_of_sandboxes_that_stay(self) -> None:
        """Each says which command does it to a session."""
        for line, remedy in (
            *(("attach {}", "session repl"), ("logs {}", "session exec"), ("logs {}/1", "session exec"), ("wait {}", "session rm")),
            *(("pause {}", "session freeze"), ("update --timeout 1m {}", "session egress")),
            *(("stats {}", "session ls --json"), ("port {}", "session ls --json"), ("inspect {}", "session ls --json"), ("top {}", "exec NAME ps -e")),
            *(("restart {}", "session new"), ("rename {} another", "session new")),
            *(("diff {}", "session files"), ("export {}", "session get"), ("commit {} some:1", "session get"), ("generate unit {}", "no unit")),
        ):
            with self.subTest(line):
                said = self.glovebox(*line.format(self.name).split())
                self.assertNotEqual(said.status, 0)
                self.assertEqual(said.err.count("\n"), 1, said.err)
                self.assertIn(f"glovebox: {self.name} is a session: ", said.err)
                self.assertIn(remedy, said.err)
        self.assertEqual(self.does(self.name, "1"), "1")

    def test_it_is_ended_as_a_sandbox_is(self) -> None:
        for words in (("stop",), ("kill",), ("rm",), ("rm", "-f")):
            name = self.new()
            self.assert_prints(name, self.glovebox(*words, name))
            self.assertNotIn(name, self.glovebox("session", "ls").out)

    def test_it_has_the_sandbox_of_its_python(self) -> None:
        facts = "id -u; cat /proc/self/mountinfo; touch /x 2>/dev/null || echo closed; touch /workspace/a; umask"
        self.assert_prints(f"{self.does(self.name, 'import os; os.getuid()')}\nclosed\n0022", self.inside(facts))
        self.assertEqual(self.does(self.name, "os.listdir('/workspace')"), "['a']")

    def test_files_are_copied(self) -> None:
        self.assert_status(self.inside("mkdir -p /workspace/d; echo 1 >/workspace/d/f"))
        self.assert_status(self.glovebox("cp", f"{self.name}:/workspace/d", self.folder / "out"))
        self.assertEqual((self.folder / "out/f").read_text(), "1\n")
        (self.folder / "in").write_text("2\n")
        self.assert_status(self.glovebox("cp", self.folder / "in", f"{self.name}:/workspace/d/g"))
        self.assert_prints("2", self.inside("cat /workspace/d/g"))

    def test_files_are_counted_and_watched(self) -> None:
        self.assert_status(self.inside("mkdir /workspace/d; echo 1 >/workspace/d/f"))
        self.assertEqual(json.loads(self.assert_status(self.glovebox("usage", "--json", self.name, "/workspace/d")).out)["bytes"], 2)
        client = self.start([GLOVEBOX, "watch", self.name, "/workspace/d"], stdout=subprocess.PIPE, env=os.environ | self.env(), text=True)
        assert client.stdout
        self.assertIn("watched", client.stdout.readline())
        self.does(self.name, "open('/workspace/d/g', 'w').close()")
        self.assertEqual(client.stdout.readline(), "created  /workspace/d/g\n")
        self.glovebox("session", "rm", self.name)
        self.assertEqual(client.wait(DEADLINE), 125)

    def test_signals_reach_the_right_program(self) -> None:
        client = self.beside("trap 'exit 5' INT; echo ready; while :; do sleep 0.01; done")
        call = self.begin(self.name, "import time\nprint('ready', flush=True)\ntime.sleep(100)")
        client.send_signal(signal.SIGINT)
        self.assertEqual(client.wait(DEADLINE), 5)
        self.assertIsNone(call.poll())
        call.send_signal(signal.SIGINT)
        self.assert_status(self.end(call), 130)

    def test_several_at_once_are_told_of_their_own_ends(self) -> None:
        gate = "echo ready; until [ -e /workspace/go ]; do sleep 0.01; done; exit"
        clients = [self.beside(f"{gate} {n}") for n in range(5)]
        self.assert_status(self.inside("touch /workspace/go"))
        self.assertEqual([client.wait(DEADLINE) for client in clients], [*range(5)])

    def test_a_rollback_ends_it(self) -> None:
        self.assert_status(self.session("checkpoint", self.name))
        client = self.beside("echo ready; sleep 1000")
        self.assert_status(self.session("rollback", self.name))
        self.assertEqual(client.wait(DEADLINE), 137)
        self.assert_prints("1", self.inside("echo 1"))
        call = self.begin(self.name, "import time\nprint('ready', flush=True)\ntime.sleep(100)")
        call.send_signal(signal.SIGINT)  # pid 1 knows the program of now
        self.assert_status(self.end(call), 130)

    def test_a_frozen_session_is_named(self) -> None:
        self.assert_status(self.session("freeze", self.name))
        self.assert_refused(self.inside("true"), "frozen", "session thaw")
        self.assert_status(self.session("thaw", self.name))
        self.assert_status(self.inside("true"))

    def test_one_that_a_call_has_thawed_is_entered(self) -> None:
        self.assert_status(self.session("freeze", self.name))
        call = self.begin(self.name, BUSY)
        self.assertIs(self.listed()[self.name]["frozen"], False)
        self.assert_prints("beside", self.inside("echo beside; touch /workspace/go"))
        self.assertEqual(self.end(call).out, "gone on\n")

    def test_a_client_that_is_killed_leaves_its_program(self) -> None:
        client = self.beside("echo ready; until [ -e /workspace/go ]; do sleep 0.01; done; touch /workspace/done")
        client.kill()
        client.wait()
        self.assert_status(self.inside("touch /workspace/go; until [ -e /workspace/done ]; do sleep 0.01; done"))

    def test_the_end_of_the_session_ends_it(self) -> None:
        for how in ("rm", "exit"):
            with self.subTest(how):
                client = self.beside("echo ready; sleep 1000")
                if how == "rm":
                    self.assert_status(self.session("rm", self.name))
                else:
                    self.call(self.name, "import os; os._exit(3)")
                self.assertIn(client.wait(DEADLINE), (125, 137))  # 137: pid 1 had the time to say so
                self.name = self.new()

    def test_no_process_is_left_for_it(self) -> None:
        self.name = self.new("--pids-limit", "20")
        fill = "import os, time\ntry:\n    while True:\n        if not os.fork(): time.sleep(1000)\nexcept OSError: print('full')"
        self.assertIn("full", self.call(self.name, fill).out)
        self.assert_refused(self.inside("true"), "--pids-limit")

    def test_a_sandbox_that_stays_comes_first(self) -> None:
        """Where both have the name."""
        env = {"XDG_STATE_HOME": f"{self.folder}/state"} | self.env()
        self.addCleanup(execute, [GLOVEBOX, "rm", "-f", self.name], env=env)
        self.assert_status(execute([GLOVEBOX, "run", "-d", "--rm", "--name", self.name, "host", "sleep", "1000"], env=env))
        self.assert_status(execute([GLOVEBOX, "exec", self.name, "touch", "/tmp/here"], env=env))
        self.assert_status(self.inside("test ! -e /tmp/here"))


class Idle(Speaker):
    """A session in which a client has a program is not idle."""

    def test_a_program_keeps_it(self) -> None:
        self.start_warm(pool=1)
        name = self.new("--idle", "1s")
        command = [GLOVEBOX, "exec", "-i", name, "/bin/sh", "-c", "echo ready; cat"]
        client = self.start_ready(command, env=dict(os.environ, **self.env()), stdin=subprocess.PIPE)
        with contextlib.suppress(subprocess.TimeoutExpired):
            client.wait(2.5)
        self.assertIn(name, self.listed())
        client.communicate(timeout=DEADLINE)
        self.assertTrue(wait_until(lambda: name not in self.listed()))


class Init(Speaker):
    """Pid 1 of a session and what it starts: a bug in the one must be worth no more than the other."""

    as_user = True

    omit = ""

    def env(self) -> dict[str, str]:
        """Add what is left out."""
        return super().env() | {"GLOVEBOX_OMIT": self.omit}

    def begin_in(self, omit: str = "", late: str = "") -> int:
        """Start a session and return its pid 1; leave out layers, or some of its plan's."""
        self.omit = omit
        self.program = TESTING if omit or late else GLOVEBOX
        supervisor = self.start_warm(pool=1)
        self.settled()
        self.omit += late
        [pid] = self.parked(supervisor)
        self.name = self.assert_status(self.glovebox("session", "new", "host")).out.strip()
        self.addCleanup(self.session, "rm", self.name)
        return pid

    def locked(self, text: str) -> dict[str, str]:
        """Return what of a status says that a process is locked down."""
        lines = (line.partition(":") for line in text.splitlines())
        return {name: value.strip() for name, _, value in lines if name in NOTHING}

    def of_pid_1(self, pid: int) -> dict[str, str]:
        """Return that of a process of the host."""
        return self.locked(Path(f"/proc/{pid}/status").read_text(encoding="ascii"))

    def of_a_program(self) -> dict[str, str]:
        """Return that of a further program."""
        return self.locked(self.assert_status(self.glovebox("exec", self.name, "cat", "/proc/self/status")).out)

    def test_they_are_locked_down(self) -> None:
        pid = self.begin_in()
        self.assertEqual(self.of_pid_1(pid), NOTHING)
        self.assertEqual(self.of_a_program(), NOTHING)

    def test_they_are_open_without_its_layers(self) -> None:
        """A nursery has no_new_privs and a filter, which its cells inherit."""
        pid = self.begin_in("init-caps,init-no-new-privs,init-seccomp")
        self.assertNotEqual(int(self.of_pid_1(pid)["CapEff"], 16), 0)
        self.assertNotEqual(int(self.of_a_program()["CapEff"], 16), 0)

    def test_pid_1_holds_one_descriptor(self) -> None:
        if os.geteuid() != 0:
            self.skipTest("cannot: only root may look at a process that is not dumpable")
        pid = self.begin_in()
        self.assert_status(self.glovebox("exec", self.name, "true"))
        # The socket for the end of that program is closed after the report.
        self.assertTrue(wait_until(lambda: len([link for link in links(Path(f"/proc/{pid}/fd")) if "signalfd" not in link]) == 1))

    def written(self, omit: str) -> str:
        """Say whether a program writes beside the places for it, without these layers."""
        self.begin_in(late=omit)
        return self.assert_status(self.glovebox("exec", self.name, "sh", "-c", WRITE)).out.strip()

    def test_landlock_stands_behind_the_mounts(self) -> None:
        self.assertEqual(self.written("ro-root"), "closed")

    def test_it_writes_without_both(self) -> None:
        self.assertEqual(self.written("ro-root,landlock,init-landlock"), "open")

    def test_a_program_that_is_ordered_at_a_rollback(self) -> None:
        """Pid 1 reads both orders after the old Python has ended: the session goes on."""
        pid = self.begin_in()
        self.assert_status(self.session("checkpoint", self.name))
        [old, _] = children(pid)
        os.kill(pid, signal.SIGSTOP)
        env = dict(os.environ, **self.env())
        program = self.start([GLOVEBOX, "exec", self.name, "true"], env=env)
        with contextlib.suppress(subprocess.TimeoutExpired):
            program.wait(0.3)  # its order comes first
        rollback = self.start([GLOVEBOX, "session", "rollback", self.name], env=env)
        self.assertTrue(wait_until(lambda: " Z " in Path(f"/proc/{old}/stat").read_text(encoding="ascii")))
        os.kill(pid, signal.SIGCONT)
        self.assertEqual(rollback.wait(DEADLINE), 0)
        program.wait(DEADLINE)
        self.assertEqual(self.does(self.name, "6 * 7"), "42")

    def test_a_client_of_another_build_is_refused(self) -> None:
        self.begin_in()
        answer, _ = take(self.request({"op": "door", "name": self.name, "layout": "1.2.3"}))
        self.assertIn("another build", json.dumps(answer))
        self.assert_status(self.glovebox("exec", self.name, "true"))

    def test_clients_are_bounded(self) -> None:
        self.begin_in()
        wish = {"op": "door", "name": self.name, "layout": self.layout()}
        for _ in range(256):
            answer, fds = take(client := self.request(wish))
            close_all(fds)
            self.assertIn("exec", answer)
        self.assert_refused(self.glovebox("exec", self.name, "true"), "256 clients")
        client.close()
        self.assertTrue(wait_until(lambda: not self.glovebox("exec", self.name, "true").status))

    def layout(self) -> str:
        """Return what a client of this build says of itself."""
        return self.cell_request()["key"].split("\n")[3]

    def test_it_sees_no_mounts(self) -> None:
        self.begin_in()
        self.assert_prints("", self.glovebox("exec", self.name, "cat", "/proc/self/mountinfo"))

    def test_it_has_the_root_of_the_nursery_without_its_layer(self) -> None:
        self.begin_in(late="door-root,init-landlock")
        said = self.glovebox("exec", "-w", "/", self.name, "sh", "-c", "test -d /workspace || echo another")
        self.assert_prints("another", said)
