"""The conversation at a terminal: a pty, a scripted model, the real sandbox."""

import json
import os
import pty
import select
import signal
import socket
import subprocess
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from support import model
from support.agent import STUBBORN, AgentCase, answer, fence
from support.messages import message, named, sentence
from support.model import Answer, FakeOllama, Model, Wait, call, reply
from support.run import execute
from support.times import DEADLINE, wait_until

MODELS = (Model("m:latest", ("completion",)),)
UNDONE = sentence("command_undo#forgotten").partition(";")[0]


class Terminal(AgentCase):
    """An agent at a pty."""

    def setUp(self) -> None:
        super().setUp()
        self.seen = b""

    def begin(self, fake: FakeOllama, *flags: str, env: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Start an agent at a terminal of its own."""
        return self.begin_command(self.command(fake.url, *flags), env=self.env() | {"TERM": "xterm"} | (env or {}))

    def begin_command(self, command: list[str], **options: Any) -> subprocess.Popen[bytes]:
        """Start a command as the foreground process of a terminal."""
        options.setdefault("env", self.env() | {"TERM": "xterm"})
        self.terminal, theirs = pty.openpty()
        self.addCleanup(os.close, self.terminal)
        process = self.start(
            ["setsid", "--ctty", "--wait", *command],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            **options,
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
        self.seen_before, _, self.seen = self.seen.partition(text.encode())

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


class Conversation(Terminal):
    """What a person sees and does."""

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

    def test_words_are_answers_also_after_a_failure(self) -> None:
        script = [reply("Hello! How can I help you today?"), fence("1 / 0"), reply("There is no network.")]
        with FakeOllama(script, MODELS) as fake:
            process = self.begin(fake)
            for said, heard in (("hello there", "today?"), ("fetch it", "network.")):
                self.expect("> ")
                self.type(f"{said}\n")
                self.expect(heard)
            self.expect("> ")
            self.type("/quit\n")
            self.ends(process)
            self.assertEqual(len(fake.chats), 3)

    def test_the_first_line_names_model_and_directories(self) -> None:
        (self.workspace / "sales.csv").touch()
        with FakeOllama([], MODELS) as fake:
            process = self.begin(fake)
            self.expect(f"m; /data is {self.workspace} (1 file), /output is {self.output}; /help")
            self.expect("> ")
            self.type("/quit\n")
            self.ends(process)

    def elsewhere(self) -> Path:
        """Make a directory in which nobody else can write."""
        here = self.folder / "elsewhere"
        here.mkdir(mode=0o755)
        return here

    def in_folder(self, *words: str) -> list[str]:
        """Return the command line of an agent that takes the directories below its own."""
        return [*self.command("")[:2], "--model", "m", "--image", self.image, *words]

    def test_the_first_line_says_that_there_is_no_workspace(self) -> None:
        here = self.elsewhere()
        process = self.begin_command(self.in_folder("--url", "http://127.0.0.1:1"), cwd=here)
        self.expect("/data is empty, because there is no ./workspace")
        self.expect("> ")
        self.type("/quit\n")
        self.ends(process)

    def test_an_output_directory_for_nothing_goes(self) -> None:
        here = self.elsewhere()
        script = [answer("hello"), fence("open('/output/a', 'w').close()"), answer("made")]
        with FakeOllama(script, MODELS) as fake:
            for left in ([], ["a"]):
                command = self.in_folder("--url", fake.url, "say hello")
                result = execute(command, env=self.env(), cwd=here)
                self.assert_status(result)
                self.assertRegex(result.err, message("greeting_no_data#data", "./workspace"))
                self.assertEqual([p.name for p in here.glob("output/*")], left)
                self.assertEqual((here / "output").exists(), bool(left))

    def test_the_status_moves_while_a_model_is_silent_and_while_code_runs(self) -> None:
        loaded = threading.Event()
        wait = fence("import os, time", "print('so-' + 'far', flush=True)", "while not os.path.exists('/output/go'): time.sleep(0.01)")
        first = replace(wait, before=(model.Gate(loaded),))
        with FakeOllama([first, answer("all-done")], MODELS) as fake:
            process = self.begin(fake, "do it")
            self.expect("waiting for m  2 s, a model that is not loaded yet takes a while")
            loaded.set()
            self.expect("running  1 s")
            self.assertIn(b"so-far", self.seen_before)
            (self.output / "go").touch()
            self.expect("all-done")
            self.assertNotIn(b"so-far", self.seen_before)
            self.ends(process)

    def test_the_status_says_model_while_a_model_is_waited_for_alone(self) -> None:
        wait = call("import os, time\nwhile not os.path.exists('/output/go'): time.sleep(0.01)")
        with FakeOllama([wait, answer("all-done")], (Model("m:latest", ("completion", "tools")),)) as fake:
            process = self.begin(fake, "do it")
            self.expect("running  3 s")
            self.assertNotIn(b"not loaded", self.seen_before)
            (self.output / "go").touch()
            self.expect("all-done")
            self.ends(process)

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

    def test_the_ctrl_c_that_stops_does_not_count(self) -> None:
        with FakeOllama([Answer((Wait(),)), answer("still-here")], MODELS) as fake:
            process = self.begin(fake)
            self.expect("> ")
            self.type("wait\n")
            self.assertTrue(wait_until(lambda: fake.chats))
            self.type("\x03")
            self.expect("^C")
            self.expect("\r\n\x1b[33mglovebox: stopped")
            self.expect("> ")
            self.type("half a line")
            self.expect("half a line")
            self.type("\x03")
            self.expect("> ")
            self.type("\x03")
            self.expect("(Ctrl-C once more")
            self.expect("> ")
            self.type("go on\n")
            self.expect("still-here")
            self.expect("> ")
            self.type("\x03")
            self.expect("(Ctrl-C once more")
            self.expect("> ")
            self.type("\x03")
            self.ends(process)

    def test_a_paste_is_one_task(self) -> None:
        with FakeOllama([answer("got-it")], MODELS) as fake:
            process = self.begin(fake)
            self.expect("> ")
            self.type("\x1b[200~a\tb\rone\t1\r\x1b[201~\r")
            self.expect("got-it")
            self.expect("> ")
            self.type("/quit\n")
            self.ends(process)
            self.assertEqual([c["messages"][-1]["content"] for c in fake.chats], ["a\tb\none\t1"])

    def test_ctrl_c_twice_leaves_while_code_runs_that_catches_it(self) -> None:
        with FakeOllama([fence(STUBBORN)], MODELS) as fake:
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


class Commands(Terminal):
    """What begins with a slash or an exclamation mark."""

    def say(self, text: str, *wanted: str) -> None:
        """Type a line at the prompt and wait for what comes of it."""
        self.expect("> ")
        self.type(text + "\r")
        for each in wanted:
            self.expect(each)

    def test_an_unknown_one_is_refused_with_the_list(self) -> None:
        with FakeOllama([answer("a-path")], MODELS) as fake:
            process = self.begin(fake)
            self.say("/nosuch", "/nosuch is not a command:", "/help")
            self.say("/save", "/save takes FILE")
            self.say("/new x", "/new takes nothing")
            self.say("/data/x.csv has what?", "a-path")
            self.say("/help", "/undo", "!LINE")
            self.say("/quit")
            self.ends(process)
            self.assertEqual(len(fake.chats), 1)

    def test_undo_returns_words_and_variables(self) -> None:
        script = [fence("x = 1"), answer("one-done"), fence("x = 2"), answer("two-done")]
        with FakeOllama([*script, fence("print('x is', x)"), answer("three-done")], MODELS) as fake:
            process = self.begin(fake)
            self.say("first", "one-done")
            self.say("second", "two-done")
            self.say("/undo", UNDONE)
            self.say("/undo", "nothing to undo")
            self.say("third", "three-done")
            self.say("/quit")
            self.ends(process)
            messages = [m["content"] for m in fake.chats[-1]["messages"]]
        self.assertIn("first", messages)
        self.assertNotIn("second", messages)
        self.assertIn("x is 1", messages[-1])

    def test_undo_of_the_first_task_leaves_no_variable(self) -> None:
        script = [fence("x = 1"), answer("one-done"), fence("x"), answer("two-done")]
        with FakeOllama(script, MODELS) as fake:
            process = self.begin(fake)
            self.say("first", "one-done")
            self.say("/undo", UNDONE)
            self.say("second", "two-done")
            self.say("/quit")
            self.ends(process)
            self.assertIn("NameError", fake.chats[-1]["messages"][-1]["content"])

    def test_undo_that_ends_threads_is_insisted_on(self) -> None:
        thread = "import threading; threading.Thread(target=threading.Event().wait, name='beat', daemon=True).start()"
        script = [fence(f"x = 1; {thread}"), answer("one-done"), fence("x = 2"), answer("two-done")]
        with FakeOllama([*script, fence("print('x is', x)"), answer("three-done")], MODELS) as fake:
            process = self.begin(fake)
            self.say("first", "one-done")
            self.say("second", "two-done")
            self.say("/undo", "1 thread of beat")
            self.say("/undo now", "/undo force")
            self.say("/undo force", UNDONE)
            self.say("third", "three-done")
            self.say("/quit")
            self.ends(process)
        self.assertIn("x is 1", fake.chats[-1]["messages"][-1]["content"])

    def test_checkpoints_do_not_run_out(self) -> None:
        script = [part for n in range(10) for part in (fence(f"x = {n}"), answer(f"done-{n}"))]
        with FakeOllama([*script, fence("print('x is', x)"), answer("ten-done")], MODELS) as fake:
            process = self.begin(fake)
            for n in range(10):
                self.say(f"task {n}", f"done-{n}")
            self.say("/undo", UNDONE)
            self.say("tenth", "ten-done")
            self.say("/quit")
            self.ends(process)
            self.assertIn("x is 8", fake.chats[-1]["messages"][-1]["content"])

    def test_a_conversation_is_saved_and_goes_on(self) -> None:
        kept = self.folder / "kept.json"
        with FakeOllama([fence("x = 1"), answer("one-done"), answer("two-done")], MODELS) as fake:
            process = self.begin(fake)
            self.say("first", "one-done")
            self.say(f"/save {kept}", "(saved")
            self.say(f"/save {kept}", "(saved")
            self.say("/new", "(forgotten)")
            self.say(f"/load {kept}", "(loaded: 5 messages")
            self.say("second", "two-done")
            self.say("/quit")
            self.ends(process)
            before, after = (c["messages"] for c in fake.chats[1:])
        self.assertEqual(after[: len(before)], before)
        self.assertEqual(after[-1]["content"], "second")

    def converse(self, fake: FakeOllama) -> None:
        """Have one task done in a conversation, and leave."""
        process = self.begin(fake)
        self.say("first", "one-done")
        self.say("/quit")
        self.ends(process)

    def test_the_last_conversation_is_taken_up(self) -> None:
        script = [fence("x = 41"), answer("one-done"), fence("print('x' in globals())"), answer("two-done")]
        with FakeOllama(script, MODELS) as fake:
            self.converse(fake)
            process = self.begin(fake, "--continue")
            self.say("second", "two-done")
            self.say("/quit")
            self.ends(process)
            before, after = (fake.chats[n]["messages"] for n in (1, 2))
            told = fake.chats[3]["messages"][-1]["content"]
        self.assertEqual((after[: len(before)], after[-1]["content"]), (before, "second"))
        self.assertIn("False", told)

    def test_a_task_at_a_terminal_is_taken_up(self) -> None:
        with FakeOllama([answer("one-done"), answer("piped-done"), answer("two-done")], MODELS) as fake:
            process = self.begin(fake, "first")
            self.expect("one-done")
            self.ends(process)
            self.assertEqual(execute(self.command(fake.url, "from a script"), env=self.env()).status, 0)
            self.assertEqual(execute(self.command("http://127.0.0.1:1", "lost"), env=self.env()).status, 4)
            process = self.begin(fake, "--continue", "second")
            self.expect("two-done")
            self.ends(process)
            asked = [m["content"] for m in fake.chats[2]["messages"] if m["role"] == "user"]
        self.assertEqual(asked, ["first", "second"])

    def test_its_code_runs_again_if_asked(self) -> None:
        script = [fence("x = 41"), answer("one-done"), fence("print(x + 1)"), answer("two-done"), fence("print(x + 2)"), answer("three-done")]
        with FakeOllama(script, MODELS) as fake:
            self.converse(fake)
            process = self.begin(fake, "--continue", "--rerun", "second")
            self.expect(sentence("resume_rerun", 1, "").strip())
            self.expect("two-done")
            self.ends(process)
            process = self.begin(fake, "--continue")
            self.say("/rerun", sentence("resume_rerun", 2, "s").strip())
            self.say("third", "three-done")
            self.say("/quit")
            self.ends(process)
            self.assertIn("42", fake.chats[3]["messages"][-1]["content"])
            self.assertIn("43", fake.chats[5]["messages"][-1]["content"])

    def test_code_of_a_kept_conversation_is_asked_about_again(self) -> None:
        script = [fence("open('/output/one', 'w')"), fence("open('/output/two', 'w')"), answer("all-done")]
        with FakeOllama(script, MODELS) as fake:
            process = self.begin(fake)
            self.say("do it", "all-done")
            self.say("/quit")
            self.ends(process)
            for name in ("one", "two"):
                (self.output / name).unlink()
            process = self.begin(fake, "--continue", "--rerun", "--approve")
            self.expect(Approval.ASKS)
            self.type("y\r")
            self.expect(Approval.ASKS)
            self.type("n\r")
            self.expect(sentence("resume_rerun", 1, "").strip())
            self.say("/rerun", Approval.ASKS)
            self.type("no\r")
            self.expect(sentence("resume_rerun", 0, "s").strip())
            self.say("/quit")
            self.ends(process)
        self.assertEqual([p.name for p in self.output.iterdir()], ["one"])

    def test_what_was_undone_or_forgotten_is_not_taken_up(self) -> None:
        script = [answer("one-done"), answer("two-done"), answer("three-done")]
        with FakeOllama(script, MODELS) as fake:
            process = self.begin(fake)
            self.say("first", "one-done")
            self.say("second", "two-done")
            self.say("/undo", "is forgotten")
            self.say("/quit")
            self.ends(process)
            process = self.begin(fake, "--continue")
            self.say("third", "three-done")
            self.say("/new", "(forgotten)")
            self.say("/quit")
            self.ends(process)
            asked = [m["content"] for m in fake.chats[2]["messages"] if m["role"] == "user"]
        self.assertEqual(asked, ["first", "third"])
        said = execute(self.command("http://127.0.0.1:1", "--continue", "x"), env=self.env())
        self.assertRegex(said.err, message("resume_load#nothing", "--continue"))

    def test_what_cannot_be_taken_up_is_named(self) -> None:
        folder = self.folder / "state/glovebox"
        folder.mkdir(parents=True)
        kept = folder / "agent-conversation.json"
        env = {**self.env(), "XDG_STATE_HOME": str(self.folder / "state")}
        (folder / "elsewhere").write_text('{"glovebox_conversation":1,"messages":[{"role":"user","content":"x"}]}')
        for make, words in (
            (lambda: kept.write_text("{"), "is not a conversation"),
            (lambda: kept.write_text('{"glovebox_conversation":1,"messages":[{}]}'), message("conversation_file_load#without")),
            (lambda: kept.mkdir(), "agent-conversation.json"),
            (lambda: os.mkfifo(kept), "agent-conversation.json"),
        ):
            make()
            said = execute(self.command("http://127.0.0.1:1", "--continue", "x"), env=env)
            self.assertEqual(said.status, 125)
            self.assertIn("glovebox: --continue: ", said.err)
            self.assertRegex(said.err, named(words))
            self.assertEqual(len(said.err.splitlines()), 1)
            kept.rmdir() if kept.is_dir() else kept.unlink()

    def test_there_is_nothing_to_take_up(self) -> None:
        for flags, words in ((["--continue"], message("resume_load#nothing", "--continue")), (["--rerun"], "--rerun needs --continue")):
            said = execute(self.command("http://127.0.0.1:1", *flags, "x"), env=self.env())
            self.assertEqual(said.status, 125)
            self.assertRegex(said.err, named(words))

    def test_a_conversation_is_saved_as_a_notebook(self) -> None:
        kept = self.folder / "kept.ipynb"
        with FakeOllama([fence("6 * 7"), answer("one-done")], MODELS) as fake:
            process = self.begin(fake)
            self.say("first", "one-done")
            self.say(f"/save {kept}", "(saved")
            self.say("/quit")
            self.ends(process)
        book = json.loads(kept.read_text())
        self.assertEqual([(c["cell_type"], c["source"].strip()) for c in book["cells"]],
                         [("markdown", "first"), ("code", "6 * 7"), ("markdown", "one-done")])  # fmt: skip
        self.assertEqual(book["cells"][1]["outputs"][0]["text"], "42\n")

    def test_save_writes_over_nothing_else(self) -> None:
        other = self.folder / "other.json"
        other.write_text("{}")
        with FakeOllama([], MODELS) as fake:
            process = self.begin(fake)
            self.say(f"/save {other}", sentence("conversation_file_read", other))
            self.say(f"/load {other}", sentence("conversation_file_read", other))
            self.say("/quit")
            self.ends(process)
        self.assertEqual(other.read_text(), "{}")

    def test_another_model_goes_on(self) -> None:
        models = (*MODELS, Model("other:latest", ("completion",)))
        with FakeOllama([answer("one-done"), answer("two-done")], models) as fake:
            process = self.begin(fake)
            self.say("first", "one-done")
            self.say("/model nosuch", "nosuch")
            self.say("/model", "(the model is m)")
            self.say("/model other", "(the model is other)")
            self.say("second", "two-done")
            self.say("/quit")
            self.ends(process)
            self.assertEqual([c["model"] for c in fake.chats], ["m", "other"])
            self.assertIn("first", [m["content"] for m in fake.chats[1]["messages"]])

    def test_models_are_loaded_while_a_person_types(self) -> None:
        models = (*MODELS, Model("other:latest", ("completion",)))
        with FakeOllama([answer("done")], models) as fake:
            process = self.begin(fake, "--num-ctx=4096", "--keep-alive=9m")
            self.assertTrue(wait_until(lambda: fake.loads))
            self.say("/model nosuch", "nosuch")
            self.say("/model other", "(the model is other)")
            self.assertTrue(wait_until(lambda: len(fake.loads) == 2))
            self.assertEqual(fake.chats, [])
            self.say("go on", "done")
            self.say("/quit")
            self.ends(process)
        self.assertEqual([load["model"] for load in fake.loads], ["m", "other"])
        for same in ("model", "options", "keep_alive"):
            self.assertEqual(fake.loads[1][same], fake.chats[0][same])

    def test_a_conversation_that_is_forgotten_needs_its_model_still(self) -> None:
        with FakeOllama([], MODELS) as fake:
            fake.on["load"] = Answer((Wait(),))
            process = self.begin(fake)
            self.assertTrue(wait_until(lambda: fake.loads))
            before = self.connected(fake)
            self.say("/new", "(forgotten)")
            self.assertEqual(self.connected(fake), before)
            self.say("/quit")
            self.ends(process)

    @staticmethod
    def connected(fake: FakeOllama) -> int:
        """Count the connections that nobody has closed."""
        count = 0
        for one in list(fake.open):
            try:
                one.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
            except BlockingIOError:
                count += 1
            except OSError:  # it was reset
                pass
        return count

    def test_files_are_listed(self) -> None:
        (self.workspace / "in.csv").write_text("abc")
        with FakeOllama([], MODELS) as fake:
            process = self.begin(fake)
            self.say("/files", "3  /data/in.csv", "/output is empty")
            self.say("/quit")
            self.ends(process)

    def test_a_line_of_shell_runs_in_the_sandbox(self) -> None:
        with FakeOllama([], MODELS) as fake:
            process = self.begin(fake)
            self.say("!echo gr\u00fc\u00df; pwd; exit 3", "gr\u00fc\u00df\r\n", "/output\r\n", "exit status 3")
            self.say("/quit")
            self.ends(process)
            self.assertEqual(fake.chats, [])


class Approval(Terminal):
    """--approve: a person decides whether code runs."""

    ASKS = sentence("approval_hear")

    def test_code_runs_when_it_may(self) -> None:
        script = [fence("print('ran-' + 'one')"), fence("print('ran-' + 'two')"), answer("all-done")]
        with FakeOllama(script, MODELS) as fake:
            process = self.begin(fake, "--approve", "do it")
            self.expect(self.ASKS)
            for unclear in ("what", "yes, but not so", "a file is missing", "e it"):
                self.type(unclear + "\r")
                self.expect(self.ASKS)
            self.type("n\r")
            self.expect(self.ASKS)
            self.type("y\r")
            self.expect("ran-two")
            self.expect("all-done")
            self.ends(process)
            told = [c["messages"][-1]["content"] for c in fake.chats]
        self.assertIn("does not want it to run", told[1])
        self.assertNotIn("ran-one", told[1])
        self.assertIn("ran-two", told[2])

    def test_words_behind_no_go_to_the_model(self) -> None:
        script = [fence("print('ran-' + 'one')")] * 2 + [answer("=12345")]
        with FakeOllama(script, MODELS) as fake:
            process = self.begin(fake, "--approve", "do it")
            self.expect(self.ASKS)
            self.type("you decide\r")
            self.expect(self.ASKS)
            self.type("n, take 12345 \u00fc\r")
            self.expect(self.ASKS)
            self.type("not again\r")
            self.expect("=12345")
            self.ends(process)
            told = [c["messages"][-1]["content"] for c in fake.chats]
        self.assertIn("\nThe user says: take 12345 \u00fc\n", told[1])
        self.assertIn("\nThe user says: not again\n", told[2])
        self.assertNotIn(b"output", self.seen)

    def test_all_of_a_task_is_approved_at_once(self) -> None:
        script = [fence("print('ran-' + 'one')"), fence("print('ran-' + 'two')"), answer("all-done"), fence("print('ran-' + 'three')"), answer("so-be-it")]
        with FakeOllama(script, MODELS) as fake:
            process = self.begin(fake, "--approve")
            self.expect("> ")
            self.type("do it\r")
            self.expect(self.ASKS)
            self.type("a\r")
            self.expect("ran-two")
            self.expect("all-done")
            self.expect("> ")
            self.type("go on\r")
            self.expect(self.ASKS)
            self.type("no\r")
            self.expect("so-be-it")
            self.expect("> ")
            self.type("/quit\r")
            self.ends(process)

    def test_code_is_edited_first(self) -> None:
        editor = self.folder / "editor"
        editor.write_text("#!/bin/sh\nsed -i s/one/other/ \"$1\"\n")
        editor.chmod(0o755)
        script = [fence("print('ran-' + 'one')"), answer("all-done")]
        with FakeOllama(script, MODELS) as fake:
            process = self.begin(fake, "--approve", "do it", env={"EDITOR": str(editor)})
            self.expect(self.ASKS)
            self.type("e\r")
            self.expect(self.ASKS)
            self.type("y\r")
            self.expect("ran-other")
            self.expect("all-done")
            self.ends(process)
            told = fake.chats[-1]["messages"][-1]["content"]
        self.assertIn("ran-other", told)
        self.assertRegex(told, message("approval_note"))

    def test_ctrl_c_at_the_question_stops_the_task(self) -> None:
        with FakeOllama([fence("print('ran-' + 'one')")], MODELS) as fake:
            process = self.begin(fake, "--approve", "do it")
            self.expect(self.ASKS)
            self.type("\x03")
            self.expect("stopped")
            self.ends(process, 130)

    def test_ctrl_c_at_the_question_does_not_leave(self) -> None:
        with FakeOllama([fence("print('ran-' + 'one')"), answer("still-here")], MODELS) as fake:
            process = self.begin(fake, "--approve")
            self.expect("> ")
            self.type("do it\r")
            self.expect(self.ASKS)
            self.type("\x03")
            self.expect("stopped")
            self.expect("> ")
            self.type("go on\r")
            self.expect("still-here")
            self.expect("> ")
            self.type("/quit\r")
            self.ends(process)

    def test_it_needs_somebody_to_ask(self) -> None:
        for flags, wanted in (([], message("approval_check#terminal", "--approve")), (["--json"], message("approval_check#programs", "--json"))):
            result = execute(self.command("http://127.0.0.1:1", "--approve", *flags, "x"), env=self.env())
            self.assertEqual(result.status, 125)
            self.assertRegex(result.err, named(wanted))
