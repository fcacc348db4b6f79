"""The conversation at a terminal: a pty, a scripted model, the real sandbox."""

import os
import pty
import select
import signal
import subprocess
import time

from support.agent import READY, STUBBORN, AgentCase, answer, fence
from support.model import Answer, FakeOllama, Model, Wait
from support.run import execute
from support.times import DEADLINE, wait_until

MODELS = (Model("m:latest", ("completion",)),)


class Conversation(AgentCase):
    """What a person sees and does."""

    def setUp(self) -> None:
        super().setUp()
        self.seen = b""

    def begin(self, fake: FakeOllama, *flags: str) -> subprocess.Popen[bytes]:
        """Start an agent at a terminal of its own, as its foreground process."""
        self.terminal, theirs = pty.openpty()
        self.addCleanup(os.close, self.terminal)
        process = self.start(
            ["setsid", "--ctty", "--wait", *self.command(fake.url, *flags)],
            env=self.env() | {"TERM": "xterm"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        return process

    def expect(self, text: str) -> None:
        """Read until a text appears; it and what is before it are taken away."""
        end = time.monotonic() + DEADLINE
        while text.encode() not in self.seen:
            if not select.select([self.terminal], [], [], max(end - time.monotonic(), 0))[0]:
                self.fail(f"no {text!r} in {self.seen!r}")
            try:
                self.seen += os.read(self.terminal, 65536)
            except OSError:
                self.fail(f"no {text!r} at the end: {self.seen!r}")
        self.seen = self.seen.partition(text.encode())[2]

    def type(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def ends(self, process: subprocess.Popen[bytes], status: int = 0) -> None:
        """Assert that it ends, reading along."""
        end = time.monotonic() + DEADLINE
        while process.poll() is None and time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.02)[0]:
                try:
                    self.seen += os.read(self.terminal, 65536)
                except OSError:
                    break
        self.assertEqual(process.wait(DEADLINE), status, self.seen)

    def test_variables_and_words_stay(self) -> None:
        script = [
            fence("x = 41"),
            answer("remembered"),
            fence("print('x is', x + 1)"),
            answer("forty-two"),
        ]
        with FakeOllama(script, MODELS) as fake:
            process = self.begin(fake)
            self.expect("> ")
            self.type("remember 41\n")
            self.expect("remembered")
            self.expect("> ")
            self.type("add one\n")
            self.expect("forty-two")
            self.expect("> ")
            self.type("/quit\n")
            self.ends(process)
            messages = fake.chats[-1]["messages"]
        said = [m["content"] for m in messages if m["role"] == "user"]
        self.assertIn("remember 41", said)
        self.assertIn("add one", said)
        self.assertIn("x is 42", said[-1])

    def test_a_recorded_conversation_is_played_to_its_end(self) -> None:
        recorded = self.folder / "t.jsonl"
        with FakeOllama([fence("x = 41"), answer("first"), fence("print(x)"), answer("second")], MODELS) as fake:
            process = self.begin(fake, "--transcript", str(recorded))
            for word in ("first", "second"):
                self.expect("> ")
                self.type(f"say {word}\n")
                self.expect(f"\x1b[1m{word}")
            self.expect("> ")
            self.type("/quit\n")
            self.ends(process)
        result = execute(self.command("http://127.0.0.1:1", "--replay", str(recorded)), env=self.env())
        self.assert_status(result)
        self.assertEqual(result.out, "first\nsecond\n")
        self.assertNotIn("transcript", result.err)

    def test_new_forgets(self) -> None:
        script = [fence("x = 1"), answer("one"), fence("x"), answer("two")]
        with FakeOllama(script, MODELS) as fake:
            process = self.begin(fake)
            self.expect("> ")
            self.type("first\n")
            self.expect("one")
            self.expect("> ")
            self.type("/new\n")
            self.expect("(forgotten)")
            self.expect("> ")
            self.type("second\n")
            self.expect("two")
            self.expect("> ")
            self.type("/quit\n")
            self.ends(process)
            messages = fake.chats[-1]["messages"]
        self.assertNotIn("first", [m["content"] for m in messages])
        self.assertIn("NameError", messages[-1]["content"])

    def test_ctrl_c_stops_a_generation_and_the_conversation_goes_on(self) -> None:
        with FakeOllama([Answer((Wait(),)), answer("still-here")], MODELS) as fake:
            process = self.begin(fake)
            self.expect("> ")
            self.type("wait\n")
            self.assertTrue(wait_until(lambda: fake.chats))
            self.type("\x03")
            self.expect("stopped")
            self.expect("> ")
            self.type("go on\n")
            self.expect("still-here")
            self.expect("> ")
            self.type("/quit\n")
            self.ends(process)

    def test_ctrl_c_stops_an_execution_and_keeps_its_variables(self) -> None:
        loop = fence("x = 5", "open('/output/ready', 'w').close()", "while True: pass")
        with FakeOllama([loop, fence("print('x', x)"), answer("five")], MODELS) as fake:
            process = self.begin(fake)
            self.expect("> ")
            self.type("loop\n")
            self.assertTrue(wait_until((self.output / "ready").exists))
            self.type("\x03")
            self.expect("stopped")
            self.expect("> ")
            self.type("x?\n")
            self.expect("five")
            self.expect("> ")
            self.assertIn("x 5", fake.chats[-1]["messages"][-1]["content"])
            self.type("/quit\n")
            self.ends(process)

    def test_ctrl_c_twice_leaves(self) -> None:
        with FakeOllama([Answer((Wait(),))], MODELS) as fake:
            process = self.begin(fake)
            self.expect("> ")
            self.type("wait\n")
            self.assertTrue(wait_until(lambda: fake.chats))
            self.type("\x03")
            self.expect("stopped")
            self.expect("> ")
            self.type("\x03")
            self.ends(process)

    def test_ctrl_c_twice_leaves_while_code_runs_that_catches_it(self) -> None:
        with FakeOllama([fence(READY, STUBBORN)], MODELS) as fake:
            process = self.begin(fake)
            self.expect("> ")
            self.type("loop\n")
            self.assertTrue(wait_until((self.output / "ready").exists))
            self.type("\x03")
            self.assertTrue(wait_until((self.output / "again").exists))
            self.type("\x03")
            self.ends(process)

    def test_ctrl_d_leaves(self) -> None:
        with FakeOllama([], MODELS) as fake:
            process = self.begin(fake)
            self.expect("> ")
            self.type("\x04")  # perhaps a moment before the terminal gives single characters
            self.ends(process)

    def test_the_terminal_hangs_up(self) -> None:
        with FakeOllama([Answer((Wait(),))], MODELS) as fake:
            process = self.begin(fake)
            self.expect("> ")
            self.type("wait\n")
            self.assertTrue(wait_until(lambda: fake.chats))
            process.send_signal(signal.SIGHUP)
            self.assertNotEqual(process.wait(DEADLINE), 0)
