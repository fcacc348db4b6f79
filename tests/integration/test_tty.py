"""-t: a terminal made inside, connected to ours."""

import ast
import fcntl
import os
import shutil
import pty
import select
import signal
import struct
import subprocess
import termios
import time

from support.case import Case
from support.messages import message
from support.run import command, run, unique
from support.times import DEADLINE, wait_until


class Terminal(Case):
    """A run with -it on a pty of the test's own."""

    as_user = (
        "test_it_is_a_terminal",
        "test_prompt_of_bash",
        "test_the_hosts_terminal_is_not_reachable",
    )

    def start_on_pty(self, args: list[str], rows: int = 33, columns: int = 111) -> None:
        """Start a program whose terminal is self.master."""
        self.master, slave = pty.openpty()
        self.addCleanup(lambda: self.master < 0 or os.close(self.master))
        self.said = b""
        self.slave_name = os.ttyname(slave)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.before = termios.tcgetattr(slave)

        def own() -> None:
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.process = self.start(args, stdin=slave, stdout=slave, stderr=slave, preexec_fn=own)
        self.slave = slave
        self.addCleanup(os.close, slave)

    def read_until(self, word: bytes) -> bytes:
        """Read what the terminal shows until a word comes."""
        end = time.monotonic() + DEADLINE
        while word not in self.said and time.monotonic() < end:
            if select.select([self.master], [], [], 0.2)[0]:
                self.said += os.read(self.master, 65536)
        self.assertIn(word, self.said)
        return self.said

    def test_it_is_a_terminal(self) -> None:
        self.start_on_pty(
            command("-it", sh="test -t 0 && test -t 1 && test -t 2 && echo yes; echo $TERM; tty")
        )
        self.read_until(b"/dev/pts/")
        self.assertEqual(self.process.wait(DEADLINE), 0)
        self.assertIn(b"yes\r\nxterm\r\n", self.said)
        self.assertNotIn(self.slave_name.encode() + b"\r", self.said.replace(b"/dev/pts/0", b""))

    def test_window_size(self) -> None:
        self.start_on_pty(command("-it", sh="stty size; echo end"))
        self.assertIn(b"33 111\r\n", self.read_until(b"end"))

    def test_window_size_changes(self) -> None:
        script = "trap 'stty size; exit 0' WINCH; echo started; while :; do sleep 0.1; done"
        self.start_on_pty(command("-it", sh=script))
        self.read_until(b"started")
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 10, 20, 0, 0))
        self.read_until(b"10 20")

    def test_input_reaches_the_program(self) -> None:
        self.start_on_pty(command("-it", sh="read line; echo got:$line; exit 5"))
        os.write(self.master, b"hello\n")
        self.read_until(b"got:hello")
        self.assertEqual(self.process.wait(DEADLINE), 5)

    def prompt(self, shell: str) -> None:
        """Assert that a shell says where it is."""
        self.start_on_pty(command("-it", "-h", "box", "-w", "/tmp", argv=[shell]))
        self.read_until(b"box:/tmp$ ")
        os.write(self.master, b"exit 5\n")
        self.assertEqual(self.process.wait(DEADLINE), 5)

    def test_prompt_of_bash(self) -> None:
        self.prompt("bash")

    def test_prompt_of_sh(self) -> None:
        self.prompt("sh")

    def test_end_of_input(self) -> None:
        self.start_on_pty(command("-it", sh="echo started; cat; echo end"))
        self.read_until(b"started")
        os.write(self.master, b"\x04")
        self.read_until(b"end")

    def test_control_c_goes_to_the_program(self) -> None:
        script = "trap 'echo caught; exit 3' INT; echo started; while :; do sleep 0.1; done"
        self.start_on_pty(command("-it", sh=script))
        self.read_until(b"started")
        os.write(self.master, b"\x03")
        self.read_until(b"caught")
        self.assertEqual(self.process.wait(DEADLINE), 3)

    def test_the_terminal_is_restored(self) -> None:
        self.start_on_pty(command("-it", sh="stty -echo raw; echo started; exit 0"))
        self.read_until(b"started")
        self.process.wait(DEADLINE)
        self.assertEqual(termios.tcgetattr(self.slave), self.before)

    def test_the_terminal_is_restored_after_a_signal(self) -> None:
        self.start_on_pty(command("-it", sh="echo started; sleep 1000"))
        self.read_until(b"started")
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.process.wait(DEADLINE), 143)
        self.assertEqual(termios.tcgetattr(self.slave), self.before)

    def test_a_closed_terminal_ends_the_sandbox(self) -> None:
        marker = unique()
        self.start_on_pty(
            command("-it", sh=f": {marker}; echo started; trap '' HUP; sleep 1000; sleep 1000")
        )
        self.read_until(b"started")
        os.close(self.slave)
        self.slave = os.open("/dev/null", os.O_RDONLY)  # for the cleanup
        os.close(self.master)
        self.master = -1
        self.process.wait(DEADLINE)
        self.assert_gone(marker)

    def test_a_lot_of_output(self) -> None:
        self.start_on_pty(
            command(
                "-it",
                sh="i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done; echo finished",
            )
        )
        said = self.read_until(b"finished")
        self.assertEqual(said.count(b"line "), 20000)

    def test_the_hosts_terminal_is_not_reachable(self) -> None:
        self.start_on_pty(command("-it", sh="ls -l /proc/self/fd /dev/pts; echo end"))
        said = self.read_until(b"end\r\n")
        self.assertNotIn(b"/dev/pts/1", said)

    def test_without_i_and_t_our_terminal_is_not_the_programs(self) -> None:
        self.start_on_pty(command(sh="tty; (: < /dev/tty) 2>/dev/null && echo has-tty; echo end"))
        said = self.read_until(b"end")
        self.assertIn(b"not a tty", said)
        self.assertNotIn(b"has-tty", said)

    def test_stop_and_continue_of_glovebox(self) -> None:
        self.start_on_pty(command("-it", sh="echo started; read line; echo got:$line"))
        self.read_until(b"started")
        self.process.send_signal(signal.SIGSTOP)
        self.process.send_signal(signal.SIGCONT)
        os.write(self.master, b"x\n")
        self.read_until(b"got:x")


class Ptys(Case):
    """Without -t a program makes terminals of its own, as pexpect, script and IPython's `!` do."""

    TALK = """
import os, pty
child, master = pty.fork()
if not child:
    os.execvp("sh", ["sh", "-c", "tty; stty size; (: < /dev/tty) && read a && echo got:$a"])
os.write(master, b"x\\n")
said = b""
try:
    while piece := os.read(master, 4096):
        said += piece
except OSError:  # the other end is closed
    pass
print(os.waitpid(child, 0)[1], said.split())
"""

    def check(self, *flags: str) -> None:
        """Have a child of a program talk on a pty."""
        result = run(*flags, py=self.TALK)
        self.assert_status(result)
        code, said = result.out.split(" ", 1)
        # The terminal's echo of x comes before what the shell prints, after it, or between.
        self.assertEqual((code, sorted(ast.literal_eval(said))), ("0", [b"/dev/pts/0", b"0", b"0", b"got:x", b"x"]))

    def test_a_child_has_a_terminal(self) -> None:
        self.check()

    def test_as_root_inside(self) -> None:
        self.check("-u", "0")

    def test_beside_the_terminal_of_t(self) -> None:
        result = run("-t", py=self.TALK)
        self.assert_status(result)
        self.assertIn("b'/dev/pts/1'", result.out)

    def test_script(self) -> None:
        if not shutil.which("script"):
            self.skipTest("cannot: no script here")
        result = run(sh="script -qec 'echo from $(tty)' /dev/null")
        self.assert_status(result)
        self.assertIn("from /dev/pts/0", result.out)

    def test_their_number_is_bounded(self) -> None:
        result = run(
            py="import errno, os\ntry:\n  for i in range(100): os.openpty()\n"
            "except OSError as e:\n  print(i, errno.errorcode[e.errno])"
        )
        self.assertEqual(result.out, "64 ENOSPC\n")

    def test_none_is_there_at_first(self) -> None:
        process = self.start(command("-it", sh="sleep 1000"), stdin=self.slave, stdout=subprocess.PIPE)
        self.addCleanup(process.kill)
        self.assertEqual(run(sh="ls /dev/pts").out, "ptmx\n")

    def setUp(self) -> None:
        """Hold a terminal of the host."""
        master, self.slave = os.openpty()
        self.addCleanup(os.close, master)
        self.addCleanup(os.close, self.slave)


class NoTerminal(Case):
    """-t where there is none."""

    def test_t_with_i_and_no_terminal_is_refused_as_docker_does(self) -> None:
        result = run("-it", argv=["/bin/true"])
        self.assert_status(result, 1)
        self.assertRegex(result.err, message("run_check_terminal"))

    def test_t_alone_makes_a_terminal(self) -> None:
        result = run("-t", sh="test -t 1 && echo yes; echo err >&2")
        self.assert_status(result)
        self.assertIn(b"yes\r\n", result.stdout)
        self.assertIn(b"err\r\n", result.stdout)

    def test_json_and_t_disagree(self) -> None:
        self.assert_refused(run("-t", "--json", argv=["/bin/true"]), "--json")

    def test_t_keeps_the_exit_status_and_timeout(self) -> None:
        self.assert_status(run("-t", sh="exit 9"), 9)
        result = run("-t", "--timeout", "1", sh="sleep 1000")
        self.assert_status(result, 124)
        self.assertIn(b"[TIMEOUT] Script exceeded 1 second", result.stderr + result.stdout)

    def test_a_reader_that_leaves(self) -> None:
        marker = unique()
        process = self.start(command("-t", sh=f": {marker}; yes"), stdout=subprocess.PIPE)
        process.stdout.readline()
        process.stdout.close()
        wait_until(lambda: process.poll() is not None)
        self.assert_gone(marker)
