"""What a person sees of a task, and what a transcript gives back: a real terminal, a real agent."""

import json
import os
import pty
import re
import select
import subprocess
import time
from pathlib import Path

from support.agent import AgentCase, answer, fence
from support.messages import message
from support.model import Action, FakeOllama, Model, reply
from support.run import execute
from support.times import DEADLINE

MODELS = (Model("m:latest", ("completion",)),)
WORK = [
    fence("print(6 * 7)", before="Let me see.\n"),
    answer("It is 42."),
]
COLOUR = re.compile(rb"\033\[[0-9;]*m")
# What the status line needs: erase, index, up, save, restore.
CURSOR = re.compile(rb"\033(?:\[J|D|\[A|7|8)")
STATUS = re.compile(rb"\033D\033\[A\0337\r+\n[^\n]*?\0338")


def text_of(seen: bytes) -> bytes:
    """Return what is left without status lines and colours."""
    return CURSOR.sub(b"", COLOUR.sub(b"", STATUS.sub(b"", seen)))


class Screen(AgentCase):
    """A task at a terminal and away from one."""

    def on_terminal(self, script: list[Action], stdout: int | None = None, **env: str) -> bytes:
        """Run a task with its output at a terminal, unless stdout is elsewhere; return what was written there."""
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        with FakeOllama(script, MODELS) as fake:
            process = self.start(
                self.command(fake.url, "do it"),
                env=self.env() | {"TERM": "xterm"} | env,
                stdin=subprocess.DEVNULL,
                stdout=theirs if stdout is None else stdout,
                stderr=theirs,
            )
            os.close(theirs)
            seen = b""
            end = time.monotonic() + DEADLINE
            while time.monotonic() < end:
                if not select.select([ours], [], [], 0.1)[0]:
                    continue
                try:
                    seen += os.read(ours, 65536)
                except OSError:  # the last of theirs is closed
                    break
            self.assertEqual(process.wait(DEADLINE), 0, seen)
        return seen

    def test_a_terminal_has_colours_and_a_status_that_goes(self) -> None:
        seen = self.on_terminal(WORK)
        self.assertIn(b"\033[36mprint\033[0m", seen)
        self.assertIn(b"[1/6] waiting for m", seen)
        # What stands after the status was drawn for the last time begins with its end.
        tail = seen[seen.rindex(b"/6] ") :]
        self.assertIn(b"\033[J", tail)
        self.assertNotIn(b"\033", text_of(seen))
        self.assertEqual(text_of(seen).count(b"It is 42."), 1)

    def test_an_answer_that_goes_elsewhere_is_not_on_the_terminal(self) -> None:
        """As in `glovebox agent ... | cat`, whose output is at the same terminal."""
        with self.file("answer", b"").open("wb") as cat:
            seen = self.on_terminal(WORK, stdout=cat.fileno())
        self.assertEqual((self.folder / "answer").read_bytes(), b"It is 42.\n")
        self.assertIn(b"| 42", text_of(seen))
        self.assertNotIn(b"It is 42.", text_of(seen))

    def test_numbers_that_nothing_printed_are_dim(self) -> None:
        script = [fence("print(42)"), answer("It is 144.")]
        self.assertIn(b"\033[2mNo output shows \033[0m\033[2m144", self.on_terminal(script))
        self.assertIn(b"\033[JNo output shows 144.", self.on_terminal(script, NO_COLOR="1"))

    def test_markdown_is_rendered_where_there_are_colours(self) -> None:
        script = [answer("**March** was best.")]
        self.assertIn(b"\033[1mMarch\033[0m", self.on_terminal(script))
        self.assertIn(b"**March**", self.on_terminal(script, NO_COLOR="1"))
        self.assertEqual(self.agent(script, json=False).result.stdout, b"**March** was best.\n")

    def test_no_color_takes_colours_alone(self) -> None:
        seen = self.on_terminal(WORK, NO_COLOR="1")
        self.assertIsNone(COLOUR.search(seen))
        self.assertIn(b"[1/6] waiting for m", seen)

    def test_a_dumb_terminal_gets_text(self) -> None:
        seen = self.on_terminal(WORK, TERM="dumb")
        self.assertNotIn(b"\033", seen)
        self.assertNotIn(b"waiting for", seen)

    def test_hostile_text_moves_no_cursor(self) -> None:
        evil = "\033[2J\033]0;owned\a\u009b31m\u202e"
        seen = self.on_terminal(
            [
                reply(f"{evil}\n```python\nprint({evil!r})  # {evil}\n```\n"),
                answer(f"done {evil}"),
            ]
        )
        plain = text_of(seen)
        for bad in (b"\033", b"\a", b"\xc2\x9b", b"\xe2\x80\xae"):
            self.assertNotIn(bad, plain)
        self.assertIn(rb"\x1b[2J\x1b]0;owned\x07", plain)

    def test_stdout_holds_the_answer_alone(self) -> None:
        run = self.agent(WORK, json=False)
        self.assertEqual(run.result.status, 0, run.result.stderr)
        self.assertEqual(run.result.stdout, b"It is 42.\n")
        self.assertIn(b"| 42\n", run.result.stderr)
        self.assertNotIn(b"It is 42.", run.result.stderr)
        self.assertNotIn(b"\033", run.result.stderr)


class Transcript(AgentCase):
    """A task that is recorded."""

    def record(self) -> Path:
        """Return the transcript of a task."""
        path = self.folder / "t.jsonl"
        run = self.agent(WORK, "--transcript", str(path))
        self.assertEqual(run.result.status, 0, run.result.stderr)
        return path

    def test_the_chain_holds(self) -> None:
        import hashlib

        previous = "0" * 64
        for line in self.record().read_text("ascii").splitlines():
            self.assertEqual(json.loads(line)["previous"], previous)
            previous = hashlib.sha256(line.encode()).hexdigest()
