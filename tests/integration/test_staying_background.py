"""exec -d --keep: programs of a sandbox that stays whose output is kept, and what NAME/NUMBER is good for."""

import fcntl
import json
import os
import signal
import stat
import subprocess
from typing import Any

from staying import Staying
from support.processes import descriptors, is_alive
from support.run import GLOVEBOX, Result
from support.times import DEADLINE, wait_until

UNTIL = "until [ -e /tmp/{0} ]; do sleep 0.01; done"


class Background(Staying):
    """One that waits, and programs that are left in it."""

    def setUp(self) -> None:
        """Leave one behind."""
        super().setUp()
        self.name = self.stay()

    def try_keep(self, script: str, *flags: str) -> Result:
        """Start a shell script whose output is kept."""
        return self.inside(self.name, script, "-d", "--keep", *flags)

    def keep(self, script: str, *flags: str) -> str:
        """Do the same; return its name."""
        result = self.assert_status(self.try_keep(script, *flags))
        self.assertRegex(result.out, rf"\A{self.name}/[1-9]\d*\n\Z")
        self.assertEqual(result.err, "")
        return result.out.strip()

    def touch(self, file: str) -> None:
        """Make a file in its /tmp."""
        self.assert_status(self.inside(self.name, f"touch /tmp/{file}"))

    def begin(self, *args: str, **options: Any) -> "subprocess.Popen[bytes]":
        """Start a command of glovebox's."""
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return self.start([GLOVEBOX, *args], env=dict(os.environ, **self.env), **(streams | options))

    def await_follower(self, client: "subprocess.Popen[bytes]") -> None:
        """Wait until a client watches a log, and so takes signals."""
        look = ["ls", "-l", f"/proc/{client.pid}/fd"]
        self.assertTrue(wait_until(lambda: b"inotify" in subprocess.run(look, capture_output=True, check=False).stdout))

    def programs(self) -> dict[str, dict[str, Any]]:
        """Return what inspect says of its programs, by their names."""
        said = self.described(self.name)
        self.assertEqual(len(said["ExecIDs"] or []), len(said["Programs"]))
        return dict(zip(said["ExecIDs"] or [], said["Programs"], strict=True))


class Kept(Background):
    """What is printed, and how it ended."""

    as_user = True

    def test_output_and_exit_code(self) -> None:
        one = self.keep("echo out; echo err >&2; exit 7")
        other = self.keep("printf other; kill -TERM $$")
        self.assert_prints("7", self.ours("wait", one))
        self.assert_prints("143", self.ours("wait", other))
        said = self.assert_status(self.ours("logs", one))
        self.assertEqual((said.out, said.err), ("out\n", "err\n"))
        self.assertEqual(self.ours("logs", other).out, "other")
        self.assertEqual(self.ours("logs", self.name).out, "")
        self.assert_prints("7\n143", self.ours("wait", one, other))

    def test_all_that_was_printed_is_there_when_its_end_is_told(self) -> None:
        for _ in range(10):
            one = self.keep("head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2")
            self.assert_prints("0", self.ours("wait", one))
            said = self.ours("logs", one)
            self.assertEqual((len(said.stdout), len(said.stderr)), (300000, 300000))

    def test_flags_of_logs(self) -> None:
        one = self.keep("for i in 1 2 3; do echo $i; done")
        self.assert_prints("0", self.ours("wait", one))
        self.assertEqual(self.ours("logs", "--tail", "2", one).out, "2\n3\n")
        self.assertEqual(self.ours("logs", "--since", "2099-01-01", one).out, "")
        self.assertRegex(self.ours("logs", "-t", one).out, r"\A\d{4}-\S+Z 1\n")

    def test_several_follow(self) -> None:
        one = self.keep(f"echo before; {UNTIL.format('go')}; echo after; exit 3")
        readers = [self.begin("logs", "-f", one) for _ in range(3)]
        waiting = self.begin("wait", one)
        for reader in readers:
            assert reader.stdout
            self.assertEqual(reader.stdout.readline(), b"before\n")
        self.touch("go")
        for reader in readers:
            out, err = reader.communicate(timeout=DEADLINE)
            self.assertEqual((out, err, reader.returncode), (b"after\n", b"", 0))
        self.assertEqual(waiting.communicate(timeout=DEADLINE), (b"3\n", b""))
        self.assert_prints("before\nafter", self.ours("logs", "-f", one))

    def test_variables_and_directory(self) -> None:
        one = self.keep("echo $A; pwd", "-e", "A=set", "-w", "/usr")
        self.assert_prints("0", self.ours("wait", one))
        self.assertEqual(self.ours("logs", one).out, "set\n/usr\n")

    def test_what_cannot_be_executed(self) -> None:
        self.assert_fails(self.ours("exec", "-d", "--keep", self.name, "/nowhere"), 127, "/nowhere")
        self.assert_fails(self.ours("exec", "-d", "--keep", self.name, "/etc/passwd"), 126, "/etc/passwd")
        self.assert_fails(self.try_keep("true", "-w", "/nowhere"), 125, "/nowhere")
        self.assertEqual(self.programs(), {})
        self.assertEqual(list(self.records[0].glob("programs/*")), [])

    def test_wrong_words(self) -> None:
        self.assert_fails(self.inside(self.name, "true", "--keep"), 125, "--keep", "--detach")
        for size in ("1k", "1x", "0", "-1", "257m"):
            self.assert_status(self.try_keep("true", "--output-limit", size), 125)
        self.assert_fails(self.ours("exec", "-d", "--keep", "nowhere", "true"), 125, "No such container: nowhere")
        self.assertEqual(self.programs(), {})

    def test_without_keep_output_is_lost(self) -> None:
        self.assert_prints("", self.inside(self.name, f"echo lost; {UNTIL.format('go')}", "-d"))
        [one] = self.programs()
        self.assert_fails(self.ours("logs", one), 125, one, "--keep")
        waiting = self.begin("wait", one)
        self.touch("go")
        self.assertEqual(waiting.communicate(timeout=DEADLINE), (b"0\n", b""))
        self.assertEqual(self.programs(), {})


class Input(Background):
    """`attach NAME/NUMBER`."""

    as_user = True

    def test_typing_and_reattaching(self) -> None:
        one = self.keep("while read x; do echo got $x; [ $x = end ] && exit 4; done", "-i")
        for word in ("a", "b"):
            client = self.begin("attach", one, stdin=subprocess.PIPE)
            assert client.stdin and client.stdout
            client.stdin.write(f"{word}\n".encode())
            client.stdin.flush()
            self.assertEqual(client.stdout.readline(), f"got {word}\n".encode())
            client.kill()
            client.wait()
        result = self.ours("attach", one, stdin=b"end\n")
        self.assertEqual((result.out, result.err, result.status), ("got end\n", "", 4))
        self.assertEqual(self.ours("logs", one).out, "got a\ngot b\ngot end\n")
        self.assert_fails(self.ours("attach", one), 125, one, "not running")

    def test_without_input(self) -> None:
        one = self.keep(f"cat; echo read; {UNTIL.format('go')}")
        self.assertTrue(wait_until(lambda: self.ours("logs", one).out == "read\n"))
        client = self.begin("attach", "--no-stdin", one)
        self.await_follower(client)
        self.touch("go")
        self.assertEqual(client.communicate(timeout=DEADLINE)[0], b"")
        self.assertEqual(client.returncode, 0)

    def test_signals_of_its_client(self) -> None:
        one = self.keep("trap 'echo caught; exit 5' INT; echo begun; while :; do sleep 0.01; done", "-i")
        self.assertTrue(wait_until(lambda: self.ours("logs", one).out == "begun\n"))
        client = self.begin("attach", one, stdin=subprocess.PIPE)
        self.await_follower(client)
        client.send_signal(signal.SIGINT)
        assert client.stdout
        self.assertEqual((client.stdout.read(), client.wait()), (b"caught\n", 5))

    def test_terminal(self) -> None:
        one = self.keep("test -t 0 && test -t 2 && stty size && read x && echo got $x", "-i", "-t")
        self.assertTrue(wait_until(lambda: self.ours("logs", one).out == "24 80\r\n"))
        result = self.ours("attach", one, stdin=b"typed\n")
        self.assertEqual((result.out, result.status), ("typed\r\ngot typed\r\n", 0))
        output_only = self.keep("test -t 1 && echo yes", "-t")
        self.assert_prints("0", self.ours("wait", output_only))
        self.assertEqual(self.ours("logs", output_only).out, "yes\r\n")

    def test_a_client_gets_no_description_of_the_terminal(self) -> None:
        """It gets the writing end of a pipe: a flag that it clears there changes nothing for the monitor."""
        one = self.keep(f"stty raw -echo; echo raw; {UNTIL.format('go')}; head -c 300000 | wc -c; exit 6", "-i", "-t")
        self.assertTrue(wait_until(lambda: "raw" in self.ours("logs", one).out))
        _, [fd] = self.ask(self.name, op="attach", exec=int(one.rpartition("/")[2]))
        self.assertTrue(stat.S_ISFIFO(os.fstat(fd).st_mode))
        self.assertEqual(fcntl.fcntl(fd, fcntl.F_GETFL) & (os.O_ACCMODE | os.O_NONBLOCK), os.O_WRONLY)
        writer = self.start(["head", "-c", "300000", "/dev/zero"], stdout=fd)
        self.assertEqual(list(self.programs()), [one])  # it answers while nobody reads what is typed
        self.touch("go")
        self.assert_prints("6", self.ours("wait", one))
        self.assertEqual(writer.wait(), 0)
        self.assertEqual(self.ours("logs", one).out, "raw\n300000\n")


class Listed(Background):
    """`kill` and `inspect`."""

    as_user = True

    def test_kill_is_for_the_program_alone(self) -> None:
        self.keep("sleep 1000")
        script = "trap 'echo caught' USR1; echo ready; while :; do sleep 0.01; done"
        one = self.keep(script)
        self.assertTrue(wait_until(lambda: "ready" in self.ours("logs", one).out))
        self.assert_prints(one, self.ours("kill", "-s", "USR1", one))
        self.assertTrue(wait_until(lambda: "caught" in self.ours("logs", one).out))
        self.assert_prints(one, self.ours("kill", one))
        self.assert_prints("137", self.ours("wait", one))
        self.assertEqual([p["Status"] for p in self.programs().values()], ["running", "exited"])
        self.assert_fails(self.ours("kill", one), 125, one, "not running")
        self.assertEqual(self.state(self.name)["Running"], True)

    def test_inspect(self) -> None:
        self.assertIsNone(self.described(self.name)["ExecIDs"])
        one = self.keep("exit 9")
        self.assert_prints("9", self.ours("wait", one))
        line = [GLOVEBOX, "exec", self.name, "/bin/sh", "-c", "echo ready; exec sleep 1000"]
        self.start_ready(line, env=dict(os.environ, **self.env))
        first, second = self.programs().items()
        self.assertEqual(first[0], one)
        wanted = {"Number": 1, "Command": "/bin/sh -c exit 9", "Kept": True, "Tty": False, "Status": "exited", "ExitCode": 9}
        self.assertEqual({key: first[1][key] for key in wanted}, wanted)
        self.assertRegex(first[1]["StartedAt"], r"\A20\d\d-")
        self.assertRegex(first[1]["FinishedAt"], r"\A20\d\d-")
        wanted = {"Number": 2, "Kept": False, "Status": "running", "ExitCode": 0, "FinishedAt": "0001-01-01T00:00:00Z"}
        self.assertEqual({key: second[1][key] for key in wanted}, wanted)
        self.assertEqual(json.loads(self.assert_status(self.ours("inspect", "-f", "{{json .ExecIDs}}", self.name)).out), [one, second[0]])
        self.assert_prints(second[0], self.ours("kill", second[0]))
        self.assertEqual(list(self.programs()), [one])

    def test_names_of_none(self) -> None:
        one = self.keep("true")
        self.assert_prints("0", self.ours("wait", one))
        for number in ("0", "01", "-1", "+1", "1x", "", " 1", "7", "4294967296", "99999999999999999999", "1/1"):
            for words in (["logs"], ["logs", "-f"], ["wait"], ["kill"], ["attach"]):
                with self.subTest(number=number, words=words):
                    self.assert_fails(self.ours(*words, f"{self.name}/{number}"), 125)
        self.assert_fails(self.ours("rm", f"{self.name}/1"), 125, "No such container")
        self.assert_status(self.ours("rm", "-f", f"{self.name}/1"), 0)
        self.assert_status(self.ours("stop", f"{self.name}/1"), 125)
        self.assertEqual(self.state(self.name)["Running"], True)

    def test_the_end_of_the_sandbox(self) -> None:
        """Logs stay until it starts anew."""
        one = self.keep("echo said; exec sleep 1000")
        self.assertTrue(wait_until(lambda: self.ours("logs", one).out == "said\n"))
        followers = [self.begin("logs", "-f", one), self.begin("wait", one), self.begin("attach", "--no-stdin", one)]
        self.await_follower(followers[2])
        self.assert_status(self.ours("stop", "-t", "0", self.name))
        ends = [process.communicate(timeout=DEADLINE) for process in followers]
        self.assertEqual((ends[0], followers[0].returncode), ((b"said\n", b""), 0))
        for (_, err), process in zip(ends[1:], followers[1:], strict=True):
            self.assertRegex(err, rb"ended|not running")
            self.assertEqual(process.returncode, 125)
        self.assertEqual(self.ours("logs", one).out, "said\n")
        self.assertEqual(self.ours("logs", "-f", one).out, "said\n")
        self.assert_fails(self.ours("wait", one), 125, "not running")
        self.assert_status(self.ours("start", self.name))
        self.assert_fails(self.ours("logs", one), 125, one)
        self.assertEqual(self.keep("true"), one)

    def test_under_the_name_docker(self) -> None:
        docker = self.folder / "docker"
        docker.symlink_to(GLOVEBOX)
        self.program = str(docker)
        for words in (["logs"], ["wait"], ["kill"]):
            result = self.ours(*words, f"{self.name}/7")
            self.assertRegex(result.err, r"\A(docker|Error response from daemon): ", words)


class Bounds(Background):
    """How much is remembered."""

    def test_the_oldest_is_forgotten(self) -> None:
        first = self.keep("sleep 1000")
        second = self.keep("true")
        held = descriptors(self.state(self.name)["Pid"])
        script = f"{GLOVEBOX} exec -d --keep {self.name} true >/dev/null || exit 9"
        line = ["/bin/sh", "-c", f"for i in $(seq 255); do {script}; done"]
        self.assertEqual(subprocess.run(line, env=dict(os.environ, **self.env), check=False).returncode, 0)
        programs = self.programs()
        self.assertEqual(len(programs), 256)
        self.assertIn(first, programs)
        self.assertNotIn(second, programs)
        self.assert_fails(self.ours("logs", second), 125, second)
        self.assert_fails(self.ours("wait", second), 125, "No such exec instance")
        self.assertEqual(len(list(self.records[0].glob("programs/*"))), 256)
        self.assertLess(descriptors(self.state(self.name)["Pid"]), held + 20)

    def test_the_soft_limit_of_open_files_is_none(self) -> None:
        self.ulimit = "ulimit -Sn 100"
        self.name = self.stay()
        for _ in range(40):
            self.keep("sleep 1000")

    def test_logs_have_a_sum(self) -> None:
        one = self.keep("sleep 1000", "--output-limit", "128m")
        other = self.keep("true", "--output-limit", "128m")
        self.assert_prints("0", self.ours("wait", other))
        self.assert_status(self.ours("exec", "-d", "--keep", self.name, "/nowhere"), 127)
        self.assertEqual(list(self.programs()), [one, other])
        third = self.keep("sleep 1000", "--output-limit", "128m")
        self.assertEqual(list(self.programs()), [one, third])
        self.assert_fails(self.try_keep("true", "--output-limit", "4k"), 125, "256 MiB", "--output-limit")
        self.assertEqual(list(self.programs()), [one, third])
        self.assert_prints(one, self.ours("kill", one))
        self.keep("true", "--output-limit", "4k")
        self.assertTrue(is_alive(self.state(self.name)["Pid"]))
