"""test_session - the frames of a session: whole whenever an interrupt comes, and no larger than asked.

session.py is run as a program on the host; the test is its driver. What a driver can do by
chance it does here on purpose: it stops in the middle of a frame.
"""

import fcntl
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import termios
import threading
import unittest
from pathlib import Path
from typing import Any

GUEST = Path(__file__).resolve().parents[2] / "rootfs/guest"
SERVE = f"""
import sys
sys.path.insert(0, {str(GUEST)!r})
import session
session.serve(None)
"""
# Takes every SIGINT that the worker itself would rather not see, as a kernel may choose to.
THREAD = "import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()"


class SessionCase(unittest.TestCase):
    """A session, and its driver."""

    def setUp(self) -> None:
        self.channel, theirs = socket.socketpair()
        self.addCleanup(self.channel.close)
        self.channel.settimeout(60)
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-c", SERVE],
                stdin=subprocess.DEVNULL,
                stdout=self.output(),
                pass_fds=(3,),
                preexec_fn=lambda: os.dup2(theirs.fileno(), 3),
            )
        self.addCleanup(self.process.wait, 60)
        self.addCleanup(self.process.kill)
        self.number = 0

    def output(self) -> int:
        """Return where standard output goes."""
        return subprocess.DEVNULL

    def frame(self, source: str, **members: Any) -> bytes:
        """Return a request to run a source."""
        self.number += 1
        text = json.dumps({"id": self.number, "op": "run", "source": source, **members}).encode()
        return struct.pack("<I", len(text)) + text

    def send(self, frame: bytes) -> None:
        """Send the beginning of a request, or all of it, and the pipe for its answer."""
        answer, theirs = os.pipe()
        self.pipe = os.fdopen(answer, "rb")
        self.addCleanup(self.pipe.close)
        socket.send_fds(self.channel, [frame[:1]], [theirs])
        os.close(theirs)
        self.channel.sendall(frame[1:])

    def answer(self) -> dict[str, Any]:
        """Return the next answer, which is the one to the last request."""
        header = self.pipe.read(4)
        self.assertEqual(len(header), 4, "the session has ended")
        (self.size,) = struct.unpack("<I", header)
        answer = json.loads(self.pipe.read(self.size))
        self.assertEqual(self.pipe.read(), b"", "it is one answer, and the end")
        self.assertEqual(answer["id"], self.number)
        return answer

    def does(self, source: str, **members: Any) -> dict[str, Any]:
        """Run a source and return the answer."""
        self.send(self.frame(source, **members))
        return self.answer()


class Interrupts(SessionCase):
    """SIGINT between, within and around the frames."""

    def interrupt(self) -> None:
        """Send one, and wait until it has been taken."""
        path = Path(f"/proc/{self.process.pid}/status")
        self.process.send_signal(signal.SIGINT)
        while any(
            int(line.split()[1], 16) & 1 << signal.SIGINT - 1
            for line in path.read_text().splitlines()
            if line.startswith(("SigPnd", "ShdPnd"))
        ):
            pass

    def assert_interrupted_in(self, at: int) -> None:
        """Assert that one which comes in the middle of a request ends its source."""
        frame = self.frame("kept = 2")
        self.send(frame[:at])
        while self.unread():
            pass
        self.interrupt()
        self.channel.sendall(frame[at:])
        self.assertEqual(self.answer()["error"]["name"], "KeyboardInterrupt")
        self.assertEqual(self.does("kept")["value"], {"text/plain": "1"})

    def unread(self) -> bool:
        """Tell whether the worker has yet to come for what was sent."""
        return fcntl.ioctl(self.channel, termios.TIOCOUTQ, bytes(4)) != bytes(4)

    def test_interrupt_in_a_frame_ends_the_source_of_that_frame(self) -> None:
        self.does("kept = 1")
        for at in (1, 3, 4, 20):
            self.assert_interrupted_in(at)

    def test_interrupt_that_a_thread_takes_in_a_frame(self) -> None:
        self.does(THREAD + "; kept = 1")
        self.assert_interrupted_in(10)

    def test_interrupt_between_two_frames_hits_neither(self) -> None:
        self.does("kept = 1")
        self.interrupt()
        self.assertEqual(self.does("kept")["value"], {"text/plain": "1"})

    def test_handler_of_a_source_is_its_own(self) -> None:
        self.does("import signal; signal.signal(2, signal.SIG_IGN)")
        self.interrupt()
        again = "signal.raise_signal(2); signal.getsignal(2) is signal.SIG_IGN"
        self.assertEqual(self.does(again)["value"], {"text/plain": "True"})
        self.does("signal.signal(2, signal.default_int_handler)")
        again = "signal.raise_signal(2)"
        self.assertEqual(self.does(again)["error"]["name"], "KeyboardInterrupt")


class Sizes(SessionCase):
    """`answer_max`: what is more is cut, and the answer says so."""

    MOST = 100_000

    def cut(self, source: str) -> dict[str, Any]:
        """Run a source whose answer is too large, and return that."""
        answer = self.does(source, answer_max=self.MOST)
        self.assertLessEqual(self.size, self.MOST)
        self.assertIs(answer["truncated"], True)
        return answer

    def test_answer_that_fits_is_whole(self) -> None:
        answer = self.does("'x' * 1000", answer_max=2000)
        self.assertEqual(answer["value"], {"text/plain": repr("x" * 1000)})
        self.assertNotIn("truncated", answer)
        self.assertNotIn("truncated", self.does("'x' * 200_000"))

    def test_first_bundles_stay(self) -> None:
        answer = self.cut("for i in range(9):\n    display({'text/plain': str(i), 'text/html': 'x' * 30_000}, raw=True)\n7")
        self.assertEqual(answer["value"], {"text/plain": "7"})
        self.assertEqual([len(bundle.get("text/html", "")) for bundle in answer["displays"]], [30_000] * 3 + [0] * 6)
        self.assertEqual([bundle["text/plain"] for bundle in answer["displays"]], [str(i) for i in range(9)])
        self.assertIn("too large", answer["displays"][3]["dropped"])
        self.assertEqual((answer["status"], answer["figures"]), ("ok", []))

    def test_long_texts_are_cut(self) -> None:
        answer = self.cut("'\\U0001f600' * 500_000")
        self.assertIn("more characters]", answer["value"]["text/plain"])
        answer = self.cut("for i in range(1000):\n    display('\u00e9' * 900)")
        self.assertLess(len(answer["displays"]), 1000)
        self.assertGreater(self.size, self.MOST // 2)

    def test_end_of_a_traceback_stays(self) -> None:
        lines = [f"def f{i}(): f{i + 1}()  # {'x' * 2000}" for i in range(100)]
        answer = self.cut("\n".join([*lines, "def f100(): 1 / 0", "f0()"]))
        self.assertEqual((answer["status"], answer["error"]["name"]), ("error", "ZeroDivisionError"))
        self.assertEqual(answer["error"]["traceback"][-1], "ZeroDivisionError: division by zero\n")
        self.assertLess(1, len(answer["error"]["traceback"]))
        answer = self.cut("raise ValueError('x' * 900_000)")
        self.assertIn("more characters]", answer["error"]["value"])


class Streams(SessionCase):
    """Standard output: what was printed is in the pipe, in its place, however the program ends."""

    def output(self) -> int:
        self.printed, theirs = os.pipe()
        self.addCleanup(os.close, self.printed)
        self.addCleanup(os.close, theirs)
        return theirs

    def prints(self, source: str) -> str:
        """Run a source to its end and return what is in the pipe."""
        self.does(source)
        return os.read(self.printed, 1 << 16).decode()

    def ends(self, source: str) -> str:
        """Run a source that ends the interpreter and return what is in the pipe."""
        self.send(self.frame(source))
        self.process.wait(60)
        return os.read(self.printed, 1 << 16).decode()

    def test_lines_of_children_stand_where_they_were_written(self) -> None:
        for child in (
            "os.system('echo b')",
            "subprocess.run(['echo', 'b'])",
            "subprocess.run([sys.executable, '-c', 'print(\"b\")'])",
            "os.write(1, b'b\\n')",
            "os.waitpid(os.posix_spawnp('echo', ['echo', 'b'], os.environ), 0)",
            "os.waitpid(os.fork() or (print('b'), os._exit(0)), 0)",
        ):
            with self.subTest(child=child):
                source = f"import os, subprocess, sys; print('a', end=' '); {child}; print('c'); None"
                self.assertEqual(self.prints(source), "a b\nc\n")

    def test_what_was_printed_before_an_end_is_there(self) -> None:
        self.assertEqual(self.ends("import os; print('one'); print('two', end=''); os._exit(3)"), "one\ntwo")

    def test_what_was_printed_before_a_crash_is_there(self) -> None:
        self.assertEqual(self.ends("print('before', end=''); import ctypes; ctypes.string_at(0)"), "before")

    def test_what_was_printed_before_a_kill_is_there(self) -> None:
        source = "import os, sys; sys.stdout.write('before'); os.kill(os.getpid(), 9)"
        self.assertEqual(self.ends(source), "before")

    def test_what_a_python_of_the_program_printed_before_its_end_is_there(self) -> None:
        child = "import os; print('before', end=''); os._exit(1)"
        self.assertEqual(self.prints(f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}]); 0"), "before")

    def test_lines_of_forked_processes_do_not_mix(self) -> None:
        source = """
            import os
            children = []
            for letter in "abcd":
                children.append(os.fork())
                if not children[-1]:
                    for _ in range(500):
                        print(letter * 9)
                    os._exit(0)
            for child in children:
                os.waitpid(child, 0)
        """
        lines = self.prints("if 1:" + source).splitlines()
        self.assertEqual(sorted(lines), sorted(letter * 9 for letter in "abcd" for _ in range(500)))

    def test_writes_are_whole_on_a_pipe_that_does_not_block(self) -> None:
        read = bytearray()

        def reads() -> None:
            while not read.endswith(b"end\n"):
                read.extend(os.read(self.printed, 1 << 16))

        reader = threading.Thread(target=reads, daemon=True)
        reader.start()
        self.does("import os; os.set_blocking(1, False); print('x' * 300_000); print('end'); None")
        reader.join(60)
        self.assertEqual(len(read), 300_000 + 5)

    def test_bytes_go_through_too(self) -> None:
        source = "import sys, array; print('a', end=''); sys.stdout.buffer.write(array.array('I', [0x62626262])); None"
        self.assertEqual(self.prints(source), "abbbb")

    def test_encoding_and_names_are_those_of_python(self) -> None:
        source = "import sys; print(sys.stdout.encoding, sys.stdout.name, sys.stdout.mode, sys.stdout is sys.__stdout__, '\u20ac')"
        self.assertEqual(self.prints(source), "utf-8 <stdout> w True \u20ac\n")
