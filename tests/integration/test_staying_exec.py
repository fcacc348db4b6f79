"""exec: further programs in a sandbox that stays."""

import fcntl
import hashlib
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import termios
import time
from typing import Any

from staying import Staying
from support.processes import descriptors
from support.run import GLOVEBOX, Result, command, execute, parallel, unique
from support.times import DEADLINE, wait_until

LOTS = os.urandom(1 << 16) * 160  # 10 MiB


class Exec(Staying):
    """One that waits; programs come and go in it."""

    as_user = True

    def setUp(self) -> None:
        """Leave one behind."""
        super().setUp()
        self.name = self.stay("-e", "A=1", "-e", "B=2", "-w", "/tmp")

    def sh(self, script: str, *flags: str, **options: Any) -> Result:
        """Start a shell script in it."""
        return self.inside(self.name, script, *flags, **options)

    def begin(self, script: str, *flags: str) -> "subprocess.Popen[bytes]":
        """Start one that says "ready"."""
        line = [GLOVEBOX, "exec", *flags, self.name, "/bin/sh", "-c", script]
        return self.start_ready(line, env=dict(os.environ, **self.env))

    def test_streams_are_separate(self) -> None:
        result = self.assert_status(self.sh("echo out; echo err >&2; cat"))
        self.assertEqual((result.stdout, result.stderr), (b"out\n", b"err\n"))
        self.assertEqual(self.ours("logs", self.name).stdout, b"")  # those of the first program only

    def test_input(self) -> None:
        self.assert_prints("", self.sh("cat", stdin=b"not passed"))
        self.assertEqual(self.sh("cat; echo end", "-i", stdin=b"passed ").stdout, b"passed end\n")
        self.assertEqual(self.sh("exec <&-; exit 4", "-i", stdin=LOTS).status, 4)

    def test_exit_codes(self) -> None:
        for script, status in (
            ("exit 0", 0), ("exit 3", 3), ("exit 255", 255), ("kill -KILL $$", 137), ("kill -TERM $$", 143),
        ):  # fmt: skip
            self.assert_status(self.sh(script), status)

    def test_what_cannot_be_executed(self) -> None:
        self.assert_fails(self.ours("exec", self.name, "/nowhere"), 127, "/nowhere")
        self.assert_fails(self.ours("exec", self.name, "nowhere-at-all"), 127, "nowhere-at-all")
        self.assert_fails(self.ours("exec", self.name, "/etc/passwd"), 126, "/etc/passwd")
        self.assert_fails(self.ours("exec", "-d", self.name, "/nowhere"), 127, "/nowhere")
        self.assert_fails(self.sh("true", "-w", "/nowhere"), 125, "/nowhere")
        self.assert_prints("ok", self.sh("echo ok"))

    def test_wrong_words(self) -> None:
        for words in ([], [self.name], ["--nothing", self.name, "true"], ["-w", "tmp", self.name, "true"]):
            self.assert_status(self.ours("exec", *words), 125)
        self.assert_status(self.ours("exec", "-e", "=x", self.name, "true"), 125)
        self.assert_status(self.ours("exec", self.name, ""), 125)

    def test_variables(self) -> None:
        file = self.file("env", "C=file\nD=file\n# none\nE\n")
        script = "echo $A $B $C $D $E $F"
        flags = ("--env-file", str(file), "-e", "B=exec", "-e", "D=exec", "-e", "F")
        line = [GLOVEBOX, "exec", *flags, self.name, "/bin/sh", "-c", script]
        self.assert_prints("1 exec file exec e f", execute(line, env=self.env | {"E": "e", "F": "f"}))
        self.assert_prints("1 2", self.sh(script))

    def test_directory(self) -> None:
        self.assert_prints("/tmp", self.sh("pwd"))
        self.assert_prints("/usr", self.sh("pwd", "-w", "/usr"))

    def test_what_it_is_allowed(self) -> None:
        """It has no more rights than the first."""
        look = "grep -E '^(Uid|Gid|Groups|Cap|NoNewPrivs|Seccomp:)' /proc/self/status; ls -l /proc/self/ns | sed 's/.*->//'"
        first = self.stay(sh=f"{look}; echo end; exec sleep 1000")
        wait_until(lambda: "end\n" in self.ours("logs", first).out)
        said = self.assert_status(self.inside(first, f"{look}; echo end")).out
        self.assertEqual(said, self.ours("logs", first).out)
        self.assertRegex(said, r"NoNewPrivs:\s1\n")

    def test_descriptors(self) -> None:
        """It has its three streams and nothing of the client's, pid 1's or the monitor's."""
        reads, writes = os.pipe()
        self.addCleanup(os.close, reads)
        self.addCleanup(os.close, writes)
        self.assert_prints("0\n1\n2", self.sh("sh -c 'ls /proc/$PPID/fd; :'; :", "-i", pass_fds=[writes]))

    def test_signals_are_as_usual(self) -> None:
        look = "grep -E '^Sig(Blk|Ign)' /proc/self/status"
        none = "0" * 16
        self.assertEqual(self.assert_status(self.sh(look)).out, f"SigBlk:\t{none}\nSigIgn:\t{none}\n")

    def test_detached(self) -> None:
        result = self.assert_status(self.sh("sleep 0.01; echo lost; touch /tmp/done; cat; exec sleep 1000", "-d"))
        self.assertEqual((result.stdout, result.stderr), (b"", b""))
        self.assert_prints("ok", self.sh("while ! test -e /tmp/done; do sleep 0.01; done; echo ok"))

    def test_detached_ones_that_end_at_once(self) -> None:
        for _ in range(50):
            self.assert_status(self.sh("exit 4", "-d"))

    def test_several_at_once(self) -> None:
        meet = "touch /tmp/$1; while ! test -e /tmp/9; do sleep 0.01; done; echo $1; exit $1"
        results = parallel(lambda n: self.ours("exec", self.name, "sh", "-c", meet, "-", str(n)), range(10), 10)
        self.assertEqual([(r.out, r.status) for r in results], [(f"{n}\n", n) for n in range(10)])

    def test_many_one_after_the_other(self) -> None:
        pid = self.state(self.name)["Pid"]
        before = descriptors(pid)
        for n in range(100):
            self.assert_status(self.ours("exec", self.name, "/bin/sh", "-c", f"exit {n}"), n)
        # The monitor opens one more when it first counts the sockets of the sandbox.
        self.assertTrue(wait_until(lambda: descriptors(pid) <= before + 1))
        self.assert_prints("none", self.sh("grep '^State:.Z' /proc/[0-9]*/status || echo none"))

    def test_much_output(self) -> None:
        said = self.assert_status(self.ours("exec", "-i", self.name, "cat", stdin=LOTS))
        self.assertEqual(said.stdout, LOTS)
        said = self.assert_status(self.sh("cat >&2", "-i", stdin=LOTS))
        self.assertEqual((said.stdout, said.stderr), (b"", LOTS))
        digest = hashlib.sha256(LOTS).hexdigest()
        self.assert_prints(f"{digest}  -", self.ours("exec", "-i", self.name, "sha256sum", stdin=LOTS))

    def test_output_right_before_the_end(self) -> None:
        for _ in range(20):
            self.assertEqual(len(self.sh("head -c 65536 /dev/zero; exit 9").stdout), 65536)

    def test_a_reader_that_leaves(self) -> None:
        reads, writes = os.pipe()
        line = [GLOVEBOX, "exec", self.name, "cat", "/dev/zero"]
        process = self.start(line, stdout=writes, env=dict(os.environ, **self.env))
        os.close(writes)
        self.assertTrue(os.read(reads, 1000))
        os.close(reads)
        self.assertEqual(process.wait(DEADLINE), 141)
        self.assert_prints("ended", self.sh("while grep -lz ^/dev/zero$ /proc/[0-9]*/cmdline | grep -v self; do sleep 0.01; done 2>/dev/null >&2; echo ended"))

    def test_a_child_that_holds_the_streams_is_not_waited_for(self) -> None:
        self.assert_prints("said", self.sh("sleep 1000 & echo said"))
        self.assert_status(self.sh("sleep 1000 & exit 5", "-i"), 5)
        self.assertEqual(self.field(self.name, "State.Running"), "true")

    def test_a_client_that_leaves_takes_nothing_along(self) -> None:
        mark = unique("left")
        process = self.begin(f"echo ready; while ! test -e /tmp/go; do sleep 0.01; done; echo {mark} >/tmp/went")
        process.kill()
        process.wait()
        self.assert_status(self.sh("touch /tmp/go"))
        self.assert_prints(mark, self.sh("while ! test -s /tmp/went; do sleep 0.01; done; cat /tmp/went"))

    def test_signals_are_passed_on(self) -> None:
        for number, name in ((signal.SIGINT, "INT"), (signal.SIGTERM, "TERM")):
            process = self.begin(f"trap 'echo caught; exit 9' {name}; echo ready; while :; do sleep 0.01; done")
            process.send_signal(number)
            assert process.stdout
            self.assertEqual(process.stdout.read(), b"caught\n")
            self.assertEqual(process.wait(DEADLINE), 9)
        process = self.begin("echo ready; exec sleep 1000")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(DEADLINE), 130)

    def test_it_is_ended_with_the_sandbox(self) -> None:
        process = self.begin("echo ready; exec sleep 1000")
        self.assert_status(self.ours("kill", self.name))
        self.assertNotEqual(process.wait(DEADLINE), 0)
        assert process.stderr
        self.assertRegex(process.stderr.read(), rb"\A(glovebox: .*has ended.*\n)?\Z")

    def test_names(self) -> None:
        id = self.described(self.name)["Id"]
        for word in (self.name, id, id[:12], id[:5]):
            self.assert_prints("ok", self.ours("exec", word, "echo", "ok"))
        self.assert_fails(self.ours("exec", "nowhere", "true"), 125, "No such container: nowhere")
        self.assert_fails(self.ours("exec", "", "true"), 125, "No such container: ")

    def test_an_ambiguous_beginning(self) -> None:
        id = self.described(self.name)["Id"]
        other = id[:-1] + ("0" if id[-1] != "0" else "1")
        [record] = self.records
        shutil.copytree(record, record.with_name(other), ignore=lambda *_: ["socket"])
        text = (record.with_name(other) / "record").read_text()
        (record.with_name(other) / "record").write_text(text.replace(id, other))
        self.assert_fails(self.ours("exec", id[:63], "true"), 125, id[:63], "2 ids")
        self.assert_prints("ok", self.ours("exec", id, "echo", "ok"))

    def test_in_one_that_has_ended(self) -> None:
        self.assert_status(self.ours("stop", "-t", "0", self.name))
        self.assert_fails(self.sh("true"), 125, f"container {self.name} is not running")

    def test_in_a_run_that_does_not_stay(self) -> None:
        name = unique("staying")
        line = command("--name", name, sh="echo ready; exec sleep 1000")
        self.start_ready(line, env=dict(os.environ, **self.env))
        self.assert_fails(self.ours("exec", name, "true"), 125, name)

    def test_while_it_ends(self) -> None:
        """A client that comes right then is told so."""
        for _ in range(10):
            name = self.stay(argv=["sleep", "0.02"])
            results = parallel(lambda _, name=name: self.ours("exec", name, "sleep", "0.01"), range(8), 4)
            for result in results:
                if result.status == 125:
                    self.assertRegex(result.err, "has ended|is not running")
                else:
                    self.assertIn((result.status, result.err), [(0, ""), (137, "")])


class Terminal(Staying):
    """exec -t, at a pty of the test's own."""

    as_user = True

    def setUp(self) -> None:
        """Leave one behind."""
        super().setUp()
        self.name = self.stay()
        self.said = b""

    def begin(self, *words: str) -> "subprocess.Popen[bytes]":
        """Start exec with these words at self.terminal."""
        self.terminal, theirs = pty.openpty()
        self.addCleanup(os.close, self.terminal)
        self.addCleanup(os.close, theirs)
        self.theirs = theirs
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 111, 0, 0))
        self.before = termios.tcgetattr(theirs)
        line = ["setsid", "--ctty", "--wait", GLOVEBOX, "exec", *words]
        return self.start(line, stdin=theirs, stdout=theirs, stderr=theirs, env=dict(os.environ, **self.env))

    def expect(self, text: bytes) -> None:
        """Read until a text comes."""
        end = time.monotonic() + DEADLINE
        while text not in self.said and time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.2)[0]:
                self.said += os.read(self.terminal, 65536)
        self.assertIn(text, self.said)

    def test_it_is_a_terminal(self) -> None:
        process = self.begin("-it", self.name, "sh", "-c", "test -t 0 && test -t 1 && test -t 2 && echo $TERM; stty size; exit 7")
        self.expect(b"xterm\r\n33 111\r\n")
        self.assertEqual(process.wait(DEADLINE), 7)
        self.assertEqual(termios.tcgetattr(self.theirs), self.before)

    def test_a_shell(self) -> None:
        process = self.begin("-it", "-e", "PS1=prompt:", self.name, "sh")
        self.expect(b"prompt:")
        os.write(self.terminal, b"sh -c 'echo $((40 + 2)); exec sleep 1000'\n")
        self.expect(b"42\r\n")
        self.said = b""
        os.write(self.terminal, b"\x03")
        self.expect(b"prompt:")
        os.write(self.terminal, b"exit 5\n")
        self.assertEqual(process.wait(DEADLINE), 5)
        self.assertEqual(termios.tcgetattr(self.theirs), self.before)

    def test_the_end_of_the_input(self) -> None:
        process = self.begin("-it", self.name, "sh", "-c", "echo started; cat; echo over")
        self.expect(b"started")
        os.write(self.terminal, b"\x04")
        self.expect(b"over")
        self.assertEqual(process.wait(DEADLINE), 0)

    def test_its_size_changes(self) -> None:
        process = self.begin("-it", self.name, "sh", "-c", "trap 'stty size; exit 0' WINCH; echo started; while :; do sleep 0.01; done")
        self.expect(b"started")
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 10, 20, 0, 0))
        self.expect(b"10 20")
        self.assertEqual(process.wait(DEADLINE), 0)

    def test_a_shell_in_a_sandbox_with_a_terminal(self) -> None:
        name = self.stay("-it", argv=["sh"])
        process = self.begin("-it", name, "sh", "-c", "tty; exit 3")
        self.expect(b"/dev/pts/")
        self.assertEqual(process.wait(DEADLINE), 3)
        self.assertEqual(self.field(name, "State.Running"), "true")

    def test_only_its_output_is_a_terminal(self) -> None:
        result = self.inside(self.name, "test -t 1 && echo out; echo err >&2", "-t")
        self.assertEqual((result.stdout, result.stderr), (b"out\r\nerr\r\n", b""))
        self.assertEqual(self.inside(self.name, "true", "-it").status, 1)

    def test_much_output(self) -> None:
        said = self.ours("exec", "-t", self.name, "sh", "-c", "stty raw; head -c 1000000 /dev/zero")
        self.assertEqual(said.stdout, bytes(1000000))
