"""test_session - an interrupt and the frames of a session: whenever it comes, both stay whole.

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


class Interrupts(unittest.TestCase):
    """SIGINT between, within and around the frames."""

    def setUp(self) -> None:
        self.channel, theirs = socket.socketpair()
        self.addCleanup(self.channel.close)
        self.channel.settimeout(60)
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-c", SERVE],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(3,),
                preexec_fn=lambda: os.dup2(theirs.fileno(), 3),
            )
        self.addCleanup(self.process.wait, 60)
        self.addCleanup(self.process.kill)
        self.number = 0

    def frame(self, source: str) -> bytes:
        """Return a request to run a source."""
        self.number += 1
        text = json.dumps({"id": self.number, "op": "run", "source": source}).encode()
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
        answer = json.loads(self.pipe.read(struct.unpack("<I", header)[0]))
        self.assertEqual(self.pipe.read(), b"", "it is one answer, and the end")
        self.assertEqual(answer["id"], self.number)
        return answer

    def does(self, source: str) -> dict[str, Any]:
        """Run a source and return the answer."""
        self.send(self.frame(source))
        return self.answer()

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
