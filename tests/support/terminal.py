"""terminal - a program at a terminal of its own, and a person who types and looks."""

import os
import pty
import select
import subprocess
import time
from collections.abc import Sequence

from support.case import Case
from support.times import DEADLINE

PASTES = (b"\x1b[?2004h", b"\x1b[?2004l")  # a line editor asks for what is pasted as a whole


class Terminal(Case):
    """A test that has a pty; only one program at a time."""

    seen: bytes
    terminal: int

    def begin_at_terminal(
        self, command: Sequence[str], env: dict[str, str], **streams: int
    ) -> "subprocess.Popen[bytes]":
        """Start a program as the foreground process of a terminal; streams may be others."""
        self.seen = b""
        self.terminal, theirs = pty.openpty()
        self.addCleanup(os.close, self.terminal)
        process = self.start(
            ["setsid", "--ctty", "--wait", *command],
            env=dict(os.environ, TERM="xterm", **env),
            **{"stdin": theirs, "stdout": theirs, "stderr": theirs, **streams},
        )
        os.close(theirs)
        return process

    def read_more(self, seconds: float) -> bool:
        """Read what is there; False if nothing comes, or nothing will any more."""
        if not select.select([self.terminal], [], [], max(seconds, 0))[0]:
            return False
        try:
            self.seen += os.read(self.terminal, 65536)
        except OSError:
            return False
        for asks in PASTES:
            self.seen = self.seen.replace(asks, b"")
        return True

    def expect(self, text: str) -> str:
        """Read until a text appears; it and what is before it are taken away and returned."""
        end = time.monotonic() + DEADLINE
        while text.encode() not in self.seen:
            if not self.read_more(end - time.monotonic()):
                self.fail(f"no {text!r} in {self.seen!r}")
        before, found, self.seen = self.seen.partition(text.encode())
        return (before + found).decode(errors="replace")

    def type(self, text: str) -> None:
        """Type a text; a keyboard's Enter is a carriage return."""
        os.write(self.terminal, text.replace("\n", "\r").encode())

    def ends(self, process: "subprocess.Popen[bytes]", status: int = 0) -> None:
        """Assert that it ends, reading along."""
        end = time.monotonic() + DEADLINE
        while process.poll() is None and time.monotonic() < end:
            self.read_more(0.02)
        while self.read_more(0):
            pass
        self.assertEqual(process.wait(DEADLINE), status, self.seen)
