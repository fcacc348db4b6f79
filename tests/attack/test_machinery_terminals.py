"""Attacks by way of terminals: one that nobody reads, a slave that does not read."""

import fcntl
import os
import signal
import struct
import subprocess
import termios
import threading
import time
import tty
from typing import Any

from machinery_case import GRACE_S, MachineryCase, is_slow, slack_s, source
from support.beside import Beside
from support.times import wait_until

LIMIT_S = 2


class TerminalTest(Beside, MachineryCase):
    """glovebox's own streams are terminals, and what is inside makes the worst of it."""

    def setUp(self) -> None:
        super().setUp()
        self.limit = LIMIT_S * (5 if is_slow() else 1)
        self.ours, self.theirs = os.openpty()
        tty.setraw(self.theirs)
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        for fd in (self.ours, self.theirs):
            self.addCleanup(os.close, fd)

    def ends_in_time(self, words: list[str], signals: tuple[int, ...] = (), **popen: Any) -> int:
        """Run a command that cannot write; it must end at its limit, or by these signals."""
        with self.others_are_served():
            start = time.monotonic()
            process = self.begin(words, stdout=self.theirs, stderr=subprocess.DEVNULL, **popen)
            for number in signals:
                time.sleep(self.limit)
                process.send_signal(number)
            bound = start + self.limit * (1 + len(signals)) + GRACE_S + slack_s()
            wait_until(lambda: process.poll() is not None, bound - time.monotonic())
            took = time.monotonic() - start
        self.assertIsNotNone(process.poll(), f"{words[0]} is still there after {took:.1f} s")
        print(f"  {words[0]} ended with {process.returncode} after {took:.1f} s")
        return process.returncode

    def run_words(self, start: str, *flags: str, mode: str = "out") -> list[str]:
        """Return a run that floods its output, or sleeps."""
        return ["run", f"--warm={start}", *flags, "host", "python3", "-c", source("flood", mode)]

    def test_run_into_a_terminal_that_nobody_reads(self) -> None:
        for start in ("never", "require"):
            words = self.run_words(start, f"--timeout={self.limit}s")
            self.assertEqual(self.ends_in_time(words), 124)

    def test_run_with_a_terminal_into_one_that_nobody_reads(self) -> None:
        for start in ("never", "require"):
            words = self.run_words(start, f"--timeout={self.limit}s", "-t")
            self.assertEqual(self.ends_in_time(words), 124)

    def test_run_that_is_interrupted_twice(self) -> None:
        words = self.run_words("never")
        self.ends_in_time(words, signals=(signal.SIGINT, signal.SIGINT))

    def test_session_exec_into_a_terminal_that_nobody_reads(self) -> None:
        self.start_session("hostile")
        words = ["session", "exec", f"--timeout={self.limit}s", "hostile", source("flood", "out")]
        self.assertIn(self.ends_in_time(words), (124, 125))
        self.assert_nothing_left()

    def test_session_exec_that_is_interrupted_twice(self) -> None:
        self.start_session("hostile")
        words = ["session", "exec", "hostile", source("flood", "out")]
        self.ends_in_time(words, signals=(signal.SIGINT, signal.SIGINT))
        self.assert_nothing_left()

    def test_paste_into_a_slave_that_does_not_read(self) -> None:
        """A megabyte is typed; the program takes none of it."""
        for start in ("never", "require"):
            for flags in (("-i", "-t"), ("-i",)):
                ours, theirs = os.openpty()
                tty.setraw(theirs)
                os.set_blocking(ours, False)
                words = self.run_words(start, f"--timeout={self.limit}s", *flags, mode="sleep")
                typing = threading.Thread(target=self.type_in, args=(ours,))
                typing.start()
                try:
                    self.assertEqual(self.ends_in_time(words, stdin=theirs), 124, (start, flags))
                finally:
                    self.typed_enough = True
                    typing.join()
                    os.close(ours)
                    os.close(theirs)

    def type_in(self, fd: int) -> None:
        """Type a megabyte as fast as it goes."""
        self.typed_enough = False
        left, end = 1 << 20, time.monotonic() + 60
        while left > 0 and not self.typed_enough and time.monotonic() < end:
            try:
                left -= os.write(fd, b"x" * 4096)
            except BlockingIOError:
                time.sleep(0.02)
