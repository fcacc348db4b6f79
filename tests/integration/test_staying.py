"""run -d: a sandbox stays, its record says how it is and how it ended, and nothing of its caller's is held."""

import os
import pty
import signal
import socket
import subprocess
from pathlib import Path

from staying import WAITS, Staying
from support.processes import is_alive
from support.run import GLOVEBOX, Result, command, execute, parallel, unique
from support.times import DEADLINE, seconds, wait_until


class Detached(Staying):
    """The command run -d."""

    as_user = True

    def refused(self, result: Result, status: int, *wanted: str) -> None:
        """Assert that nothing was left behind."""
        self.assert_fails(result, status, *wanted)
        self.assertEqual(self.records, [])
        self.assertEqual(list((self.folder / "state").rglob("names/[!.]*")), [])

    def test_it_prints_the_id_only(self) -> None:
        result = self.assert_status(self.detached(sh=WAITS))
        self.assertRegex(result.out, r"\A[0-9a-f]{64}\n\Z")
        self.assertEqual(result.err, "")
        self.assertEqual(self.field(result.out.strip(), "State.Status"), "running")

    def test_a_program_that_ends_at_once(self) -> None:
        for _ in range(60):
            self.stay(argv=["true"])
        self.assertEqual(len(self.records), 60)

    def test_a_substitution_returns(self) -> None:
        line = " ".join(f"'{word}'" for word in command("-d", argv=["sleep", "1000"]))
        script = f'id=$({line}) && {GLOVEBOX} exec "$id" echo inside && {GLOVEBOX} rm -f "$id" >/dev/null'
        self.assert_prints("inside", execute(["/bin/sh", "-c", script], env=self.env))

    def test_descriptors_of_the_caller_are_not_held(self) -> None:
        reads, writes = os.pipe()
        self.addCleanup(os.close, reads)
        line = command("-d", argv=["sleep", "1000"])
        self.assert_status(execute(line, env=self.env, pass_fds=[writes]))
        os.close(writes)
        self.assertEqual(os.read(reads, 1), b"")

    def test_terminal_and_directory_of_the_caller_are_not_held(self) -> None:
        terminal, theirs = pty.openpty()
        self.addCleanup(os.close, terminal)
        line = ["setsid", "--ctty", "--wait", *command("-d", argv=["sleep", "1000"])]
        env = dict(os.environ, **self.env)
        process = self.start(line, stdin=theirs, stdout=theirs, stderr=theirs, env=env, cwd=self.folder)
        os.close(theirs)
        name = os.read(terminal, 100).decode().strip()
        self.assertEqual(process.wait(DEADLINE), 0)
        with self.assertRaises(OSError):  # nobody has the other side: a hang-up
            os.read(terminal, 100)
        pid = self.state(name)["Pid"]
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        self.assertEqual(fields[4], "0", "it has a terminal")
        self.assertEqual(self.field(name, "State.Status"), "running")

    def test_the_program_is_not_there(self) -> None:
        self.refused(self.detached(argv=["/nowhere"]), 127, "/nowhere")
        self.refused(self.detached("--rm", argv=["/nowhere"]), 127, "/nowhere")

    def test_the_program_may_not_be_executed(self) -> None:
        self.refused(self.detached(argv=["/etc/passwd"]), 126, "/etc/passwd")

    def test_a_wrong_flag(self) -> None:
        self.assert_refused(self.detached("--memory=1x", argv=["true"]), "--memory")
        self.assert_refused(self.detached("--warm=require", argv=["true"]), "--detach")
        self.assert_refused(self.detached("--volume=/nowhere:/v", argv=["true"]), "/nowhere")
        self.assert_refused(self.detached(argv=["true"], image="nowhere"), "nowhere")
        self.assertEqual(self.records, [])

    def test_a_name_is_of_one_sandbox(self) -> None:
        name = self.stay()
        self.assert_status(self.detached("--name", name, argv=["true"]), 125)
        self.assertEqual(len(self.records), 1)
        self.assert_status(self.ours("stop", "-t", "0", name))
        result = self.detached("--name", name, argv=["true"])
        self.assert_fails(result, 125, f'Conflict. The container name "/{name}" is already in use by ')
        self.assertEqual(len(self.records), 1)
        self.assert_prints(name, self.ours("rm", name))
        self.assert_status(self.detached("--name", name, argv=["true"]))

    def test_one_of_many_gets_a_name(self) -> None:
        name = unique("staying")
        results = parallel(lambda _: self.detached("--name", name, argv=["sleep", "1000"]), range(6), 6)
        self.assertEqual(sorted(result.status for result in results), [0] + 5 * [125])
        self.assertEqual([record.name for record in self.records], ["".join(r.out for r in results).strip()])

    def test_rm_leaves_nothing(self) -> None:
        name = self.stay("--rm", argv=["sleep", "1000"])
        self.assertEqual(len(self.records), 1)
        self.assert_status(self.ours("stop", "-t", "0", name))
        self.assertEqual(self.records, [])
        self.assert_status(self.detached("--rm", "--name", name, argv=["sleep", "1000"]))

    def test_cidfile(self) -> None:
        file = self.folder / "id"
        result = self.assert_status(self.detached("--cidfile", file, argv=["true"]))
        self.assertEqual(file.read_text(), result.out.strip())
        before = self.records
        self.assert_fails(self.detached("--cidfile", file, argv=["true"]), 125, str(file))
        self.assertEqual(self.records, before)

    def test_input(self) -> None:
        self.assertEqual(self.end_of(self.stay(argv=["cat"])), "0")
        name = self.stay("-i", argv=["cat"])
        self.assert_status(self.inside(name, "true"))
        self.assertEqual(self.field(name, "State.Running"), "true")

    def test_terminal(self) -> None:
        for flag in ("-t", "-it"):
            name = self.stay(flag, sh="test -t 0 && test -t 1 && echo $TERM; cat >/dev/null; sleep 1000")
            said = wait_until(lambda name=name: self.ours("logs", name).out)
            self.assertEqual(said, "xterm\r\n")

    def test_the_end_by_a_timeout(self) -> None:
        name = self.stay("--timeout", seconds(0.3), argv=["sleep", "1000"])
        self.assertEqual(self.end_of(name), "124")
        described = self.described(name)
        self.assertEqual(described["State"]["Status"], "exited")
        self.assertEqual(described["State"]["ExitCode"], 124)
        self.assertEqual(described["Result"]["verdict"], "wall_time")

    def test_the_end_by_its_memory(self) -> None:
        name = self.stay("--memory=40m", py="b = bytearray(200 << 20); b[::4096] = b'x' * len(b[::4096])")
        self.assertEqual(self.end_of(name), "137")
        self.assertIs(self.state(name)["OOMKilled"], True)
        self.assertEqual(self.field(name, "State.OOMKilled"), "true")
        self.assertIs(self.state(self.stay(argv=["true"]))["OOMKilled"], False)

    def test_what_a_program_finds_a_further_one_finds(self) -> None:
        (self.folder / "here").mkdir()
        self.file("here/file", "volume")
        flags = ("-e", "A=1", "-w", "/tmp", "-v", f"{self.folder}/here:/v:ro")
        started = self.mapped(self.detached(*flags, sh="echo made >file; echo ready; exec sleep 1000"))
        name = self.assert_status(started).out.strip()
        wait_until(lambda: self.ours("logs", name).out)
        self.assert_prints("1\n/tmp\nmade\nvolume", self.inside(name, "echo $A; pwd; cat file /v/file; echo more >>file"))
        self.assert_prints("made\nmore", self.ours("exec", name, "cat", "/tmp/file"))

    def test_a_port(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        serves = """
import socket
s = socket.create_server(("", 8000))
print("ready", flush=True)
while True:
    c = s.accept()[0]; c.sendall(b"inside"); c.close()
"""
        result = self.assert_status(self.detached("-p", f"127.0.0.1:{port}:8000", py=serves))
        name = result.out.strip()
        self.assertRegex(name, r"\A[0-9a-f]{64}\Z")
        wait_until(lambda: self.ours("logs", name).out)
        with socket.create_connection(("127.0.0.1", port)) as connection:
            self.assertEqual(connection.recv(100), b"inside")
        self.assert_status(self.ours("stop", "-t", "0", name))
        with self.assertRaises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port))


class Ending(Staying):
    """wait, stop, kill, rm, container prune; and what a record says afterwards."""

    as_user = True

    def test_exit_codes(self) -> None:
        for code in (0, 3, 255):
            name = self.stay(sh=f"exit {code}")
            self.assertEqual(self.end_of(name), str(code))
            self.assertEqual(self.end_of(name), str(code))  # of what has ended
            self.assertEqual(self.state(name)["ExitCode"], code)
            self.assertEqual(self.state(name)["Status"], "exited")

    def test_waiting_for_several(self) -> None:
        first, second = self.stay(argv=["sleep", "1000"]), self.stay(sh="exit 5")
        third = self.stay("--rm", argv=["sleep", "1000"])
        waits = self.start(
            [GLOVEBOX, "wait", first, second, third],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(os.environ, **self.env),
        )
        self.assert_status(self.ours("kill", first))
        assert waits.stdout
        self.assertEqual([waits.stdout.readline() for _ in range(2)], [b"137\n", b"5\n"])
        self.await_client(waits)  # nothing is left of the third when it has ended
        self.assert_status(self.ours("kill", "--signal=TERM", third))
        self.assertEqual(waits.stdout.readline(), b"143\n")
        self.assertEqual(waits.wait(DEADLINE), 0)

    def test_waiting_right_after_the_start(self) -> None:
        """It may be ending: then its record says how."""
        for code in range(30):
            self.assertEqual(self.end_of(self.stay(sh=f"exit {code}")), str(code))

    def test_behind_wait_the_name_is_free(self) -> None:
        name = unique("staying")
        for flags in 30 * [["--rm"]] + 10 * [[]]:
            self.assert_status(self.detached(*flags, "--name", name, argv=["sleep", "0.01"]))
            self.ours("wait", name)
            if not flags:
                self.assert_status(self.ours("rm", name))

    def test_waiting_for_none(self) -> None:
        name = self.stay(argv=["true"])
        self.end_of(name)
        result = self.ours("wait", "nowhere", name)
        self.assertEqual(result.out, "0\n")
        self.assert_status(result, 125)
        self.assertIn("No such container: nowhere", result.err)

    def test_stop(self) -> None:
        asks = self.stay(sh=f"trap 'echo asked; exit 7' TERM; echo ready; {WAITS.partition(';')[2]}")
        wait_until(lambda: self.ours("logs", asks).out)
        self.assert_prints(asks, self.ours("stop", "-t", "100", asks))
        self.assertEqual(self.end_of(asks), "7")
        self.assertEqual(self.ours("logs", asks).out, "ready\nasked\n")
        deaf = self.stay(sh=f"trap '' TERM; echo ready; {WAITS.partition(';')[2]}")
        wait_until(lambda: self.ours("logs", deaf).out)
        self.assert_prints(deaf, self.ours("stop", "-t", "0", deaf))
        self.assertEqual(self.end_of(deaf), "137")

    def test_kill(self) -> None:
        name = self.stay(sh=f"trap 'echo one' USR1; echo ready; {WAITS.partition(';')[2]}")
        wait_until(lambda: self.ours("logs", name).out)
        self.assert_prints(name, self.ours("kill", "--signal", "USR1", name))
        self.assertEqual(wait_until(lambda: self.ours("logs", name).out.partition("ready\n")[2]), "one\n")
        self.assertEqual(self.field(name, "State.Running"), "true")
        self.assert_prints(name, self.ours("kill", name))
        self.assertEqual(self.end_of(name), "137")

    def test_removing(self) -> None:
        runs, ended = self.stay(), self.stay(argv=["true"])
        self.end_of(ended)
        self.assert_fails(self.ours("rm", runs), 125, runs, "-f")
        result = self.ours("rm", "nowhere", ended)
        self.assert_status(result, 125)
        self.assertEqual(result.out, f"{ended}\n")
        self.assertIn("No such container: nowhere", result.err)
        pid = self.state(runs)["Pid"]
        self.assert_prints(runs, self.ours("rm", "-f", runs))
        goes = self.stay("--rm")
        self.assert_prints(goes, self.ours("rm", "-f", goes))
        self.assertEqual(self.records, [])
        self.assertTrue(wait_until(lambda: not is_alive(pid)))
        self.assert_status(self.ours("rm", "-f", "nowhere"))

    def test_by_its_id_and_the_beginning_of_it(self) -> None:
        for word in (slice(64), slice(12), slice(5)):
            name = self.stay(argv=["true"])
            self.end_of(name)
            id = self.described(name)["Id"][word]
            self.assertEqual(self.described(id)["Name"], f"/{name}")
            self.assert_prints(id, self.ours("rm", id))
        self.assertEqual(self.records, [])

    def test_prune(self) -> None:
        runs = self.stay()
        ended = {self.assert_status(self.detached(argv=["true"])).out.strip() for _ in range(3)}
        for one in ended:
            self.end_of(one)
        result = self.assert_status(self.ours("container", "prune", "-f"))
        self.assertEqual(set(result.out.split()), ended)
        self.assertEqual([record.name for record in self.records], [self.described(runs)["Id"]])
        self.assert_prints("", self.ours("container", "prune"))

    def test_ps_has_it_while_it_runs(self) -> None:
        name = self.stay()
        self.assertIn(name, self.ours("ps").out)
        self.assert_status(self.ours("stop", "-t", "0", name))
        self.assertNotIn(name, self.ours("ps").out)


class Lost(Staying):
    """Its monitor is killed: the sandbox ends with it, and its record stays."""

    as_user = True

    def setUp(self) -> None:
        """Lose one."""
        super().setUp()
        mark = unique("lost")
        self.name = self.stay("-v", f"{self.subfolder('v')}:/v:ro", sh=f"echo before; exec sleep 1000 # {mark}")
        wait_until(lambda: self.ours("logs", self.name).out)
        os.kill(self.state(self.name)["Pid"], signal.SIGKILL)
        wait_until(lambda: self.field(self.name, "State.Status") == "dead")
        self.assert_gone(mark)

    def test_what_is_known_of_it(self) -> None:
        state = self.state(self.name)
        self.assertEqual((state["Status"], state["Running"], state["Dead"]), ("dead", False, True))
        self.assertEqual((state["Pid"], state["ExitCode"]), (0, 137))
        self.assert_prints("before", self.ours("logs", self.name))
        self.assert_prints("before", self.ours("logs", "-f", self.name))
        self.assertNotIn(self.name, self.ours("ps").out)

    def test_nothing_starts_in_it(self) -> None:
        self.assert_status(self.inside(self.name, "true"), 125)
        self.assert_fails(self.ours("wait", self.name), 125, self.name)

    def test_its_name_is_taken_until_it_is_removed(self) -> None:
        self.assert_status(self.detached("--name", self.name, argv=["true"]), 125)
        self.assert_prints(self.name, self.ours("rm", self.name))
        self.assert_status(self.detached("--name", self.name, argv=["true"]))

    def test_prune(self) -> None:
        self.assert_status(self.ours("container", "prune"))
        self.assertEqual(self.records, [])
