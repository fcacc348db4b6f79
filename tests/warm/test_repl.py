"""The prompt on a session: what a person types and sees at a pty, and what the session keeps."""

import fcntl
import os
import signal
import struct
import subprocess
import termios
from pathlib import Path

from support.messages import message, sentence
from support.run import GLOVEBOX, execute
from support.terminal import Terminal
from support.times import wait_until
from support.warm import Warm
from test_sessions import READY, Sessions

# What matplotlib is to a session: figures with numbers that can be saved.
PYPLOT = """
import sys, types
class Figure:
    number, dpi = 1, 100
    def get_size_inches(self): return 4, 3
    def savefig(self, file, **options): file.write(b"\\x89PNG\\r\\n\\x1a\\n" + options["format"].encode())
opened = [1]
pyplot = types.ModuleType("matplotlib.pyplot")
pyplot.get_fignums = lambda: opened
pyplot.close = lambda what: opened.clear()
pyplot.figure = lambda number: Figure()
sys.modules["matplotlib.pyplot"] = pyplot
"""

# Code that no interrupt ends before its time. A handler, because CPython 3.13 lets one in eight out
# of a loop that catches them.
STUBBORN = """
kept = 4
import signal, time
def stubborn(seconds):
    was = signal.signal(signal.SIGINT, lambda *_: None)
    end = time.time() + seconds
    print("stubborn", flush=True)
    while time.time() < end: pass
    signal.signal(signal.SIGINT, was)
"""


class Prompt(Sessions, Terminal):
    """A prompt on a kept session."""

    as_user = ("test_history_is_kept",)

    def setUp(self) -> None:
        super().setUp()
        self.name = self.new()

    def begin_prompt(self, *words: str | Path) -> "subprocess.Popen[bytes]":
        """Start a prompt, on the test's session unless there are other words."""
        command = [GLOVEBOX, "session", "repl", *map(str, words or (self.name,))]
        process = self.begin_at_terminal(command, {**self.env(), "XDG_STATE_HOME": str(self.folder / "state")})
        self.expect(">>> ")
        return process

    def says(self, line: str, expected: str) -> None:
        """Type a line and see an answer, and the prompt after it."""
        self.type(line + "\n")
        self.expect(expected)
        self.expect(">>> ")

    def leave(self, process: "subprocess.Popen[bytes]") -> None:
        """Leave by Ctrl-D."""
        self.type("\x04")
        self.ends(process)

    def test_values_are_echoed_and_the_session_stays(self) -> None:
        process = self.begin_prompt()
        self.says("x = 41", "\n")
        self.says("x + 1", "\n42\r\n")
        self.says("'text'", "\n'text'\r\n")
        self.leave(process)
        self.assertEqual(self.does(self.name, "x, _"), "(41, 'text')")

    def test_block_goes_on_until_an_empty_line(self) -> None:
        process = self.begin_prompt()
        self.type("for i in range(2):\n")
        self.expect("... ")
        self.type("print('i is', i)\x01    \n")  # Ctrl-A: indented afterwards
        self.expect("... ")
        self.says("", "i is 0\r\ni is 1\r\n")
        self.type("y = (1 + \\\n")
        self.expect("... ")
        self.says("2)", "\n")
        self.says("y", "\n3\r\n")
        self.says("1 +", "SyntaxError")
        self.leave(process)

    def test_error_is_shown_and_the_prompt_goes_on(self) -> None:
        process = self.begin_prompt()
        self.says("1 / 0", "ZeroDivisionError: division by zero\r\n")
        self.says("7", "\n7\r\n")
        self.leave(process)

    def test_output_comes_line_by_line(self) -> None:
        process = self.begin_prompt()
        self.type("import time; print('first'); time.sleep(1000)\n")
        self.expect("\nfirst\r\n")
        self.type("\x03")
        self.expect("KeyboardInterrupt")
        self.leave(process)

    def test_interrupt_ends_the_call_and_keeps_the_variables(self) -> None:
        process = self.begin_prompt()
        self.says("kept = 5", "\n")
        self.type("import time; print('running'); time.sleep(1000)\n")
        self.expect("\nrunning\r\n")
        self.type("\x03")
        self.expect("^C\r\nTraceback")
        self.expect("KeyboardInterrupt\r\n")
        self.expect(">>> ")
        self.says("kept", "\n5\r\n")
        self.leave(process)

    def test_interrupt_at_the_prompt_drops_the_block(self) -> None:
        process = self.begin_prompt()
        self.type("if True:\n")
        self.expect("... ")
        self.type("    half\x03")
        self.expect("KeyboardInterrupt\r\n")
        self.expect(">>> ")
        self.says("8", "\n8\r\n")
        self.leave(process)

    def test_input_reads_what_is_typed(self) -> None:
        process = self.begin_prompt()
        self.type("name = input('who? ')\n")
        self.expect("who? ")
        self.says("Ada", "\n")
        self.says("name", "\n'Ada'\r\n")
        self.type("input('again? ')\n")
        self.expect("again? ")
        self.says("\x04", "EOFError")
        self.says("import sys; sys.stdin.closed", "\nFalse\r\n")
        self.leave(process)
        self.assertEqual(self.does(self.name, "sys.stdin.read()"), "''")

    def test_what_code_without_input_does_not_take_is_typed_at_the_prompt(self) -> None:
        process = self.begin_prompt()
        self.type("import os; os.close(0); print('shut', flush=True); import time; time.sleep(1)\n")
        self.expect("\nshut")
        self.says("40 + 2", "\n42\r\n")
        self.leave(process)

    def test_children_read_what_is_typed(self) -> None:
        process = self.begin_prompt()
        self.type("import os; _ = os.system('read line; echo got $line')\n")
        self.expect("\r\n")
        self.says("this", "got this\r\n")
        self.leave(process)

    def test_line_that_no_code_took_is_the_next_one(self) -> None:
        process = self.begin_prompt()
        self.type("import time; print('busy'); time.sleep(1)\n")
        self.expect("\nbusy\r\n")
        self.type("6 * 7\n")
        self.expect("\n42\r\n")
        self.leave(process)

    def test_tab_completes_names_and_indents(self) -> None:
        process = self.begin_prompt()
        self.says("import sys; a_long_name = 'found'", "\n")
        self.says("a_lo\t", "\n'found'\r\n")
        self.says("sys.maxunic\t", "\n1114111\r\n")
        self.type("a_long_name.is\t\t")
        self.expect("a_long_name.isalpha(")
        self.type("\x15if True:\n")
        self.expect("... ")
        self.type("\tprint('indented')\n")
        self.expect("... ")
        self.says("", "indented\r\n")
        self.says("'readline' in sys.modules, 'rlcompleter' in sys.modules", "(False, False)")
        self.leave(process)

    def test_completion_has_a_time_limit(self) -> None:
        process = self.begin_prompt()
        self.says("class Slow:\n def __dir__(self):\n  while True: pass\n\nslow = Slow()", "\n")
        self.expect(">>> ")
        self.type("slow.x\t")
        self.says("\x159", "\n9\r\n")
        self.leave(process)

    def test_completions_of_a_stranger_do_not_reach_the_terminal(self) -> None:
        process = self.begin_prompt()
        names = "'evil\\x1b[31m', 'evil\\n', 'evil\\0', 'evil\\ud800', 'evil\\u202e', 'evil_one', 'evil_other'"
        self.says(f"globals().update(dict.fromkeys([{names}]))", "\n")
        self.type("evil\t")
        self.expect("_o")
        self.type("\t\t")
        self.assertNotIn("\x1b[31m", self.expect("evil_other"))
        self.type("\x15")
        self.leave(process)

    def test_exit_leaves_with_its_status(self) -> None:
        process = self.begin_prompt()
        self.type("exit(3)\n")
        self.ends(process, 3)
        process = self.begin_prompt()
        self.type("input('still? ')\n")
        self.expect("still? ")
        self.says("yes", "'yes'")
        self.leave(process)

    def test_history_is_kept(self) -> None:
        process = self.begin_prompt()
        self.says("'from ' + 'before'", "'from before'")
        self.leave(process)
        process = self.begin_prompt()
        self.says("\x10", "'from before'")  # Ctrl-P
        self.leave(process)

    def remembered(self) -> str:
        """Return the history file."""
        return (self.folder / "state/glovebox/session-history").read_text()

    def test_what_was_typed_while_code_ran_is_not_remembered(self) -> None:
        process = self.begin_prompt()
        self.type("word = input('first? ')\n")
        self.expect("first? ")
        self.says("'taken'", "\n")
        self.type("import time; print('busy'); time.sleep(1)\n")
        self.expect("\nbusy\r\n")
        self.type("'one' + 'ahead'\n'two' + 'ahead'\n")
        self.expect("\n'twoahead'\r\n")
        self.expect(">>> ")
        self.says("'typed'", "\n'typed'\r\n")
        self.leave(process)
        kept = self.remembered()
        self.assertIn("typed", kept)
        self.assertNotIn("taken", kept)
        self.assertNotIn("ahead", kept)

    def test_signals_end_the_prompt_in_order(self) -> None:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            with self.subTest(number.name):
                process = self.begin_prompt()
                self.says(f"'{number.name}'", f"\n'{number.name}'\r\n")
                process.send_signal(number)
                self.ends(process, 128 + number)
                self.assertIn(number.name, self.remembered())

    def test_signals_end_a_prompt_without_a_terminal(self) -> None:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            with self.subTest(number.name):
                command = [GLOVEBOX, "session", "repl", self.name]
                streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
                process = self.start(command, env={**os.environ, **self.env()}, **streams)
                assert process.stdin and process.stdout
                process.stdin.write(b"print('ready')\n")
                process.stdin.flush()
                self.assertEqual(process.stdout.readline(), b"ready\n")
                process.send_signal(number)
                self.assertEqual(process.wait(60), 128 + number)

    def test_signal_in_a_call_ends_the_prompt(self) -> None:
        process = self.begin_prompt()
        self.type("kept = 3; import time; print('running'); time.sleep(1000)\n")
        self.expect("\nrunning\r\n")
        process.send_signal(signal.SIGTERM)
        self.ends(process, 128 + signal.SIGTERM)
        self.assertEqual(self.does(self.name, "kept"), "3")

    def test_signal_leaves_a_session_whose_code_swallows_interrupts(self) -> None:
        process = self.begin_prompt()
        self.does(self.name, STUBBORN)
        self.type("stubborn(5)\n")
        self.expect("\nstubborn\r\n")
        process.send_signal(signal.SIGHUP)
        self.ends(process, 128 + signal.SIGHUP)
        self.assertEqual(self.does(self.name, "kept"), "4")

    def test_change_of_the_window_is_harmless(self) -> None:
        process = self.begin_prompt()
        self.type("'wide'")
        self.expect("'wide'")
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("4H", 10, 20, 0, 0))
        self.says(" + 'edge'", "\n'wideedge'\r\n")
        self.leave(process)

    def test_completion_that_cannot_be_interrupted_leaves_the_session(self) -> None:
        self.does(self.name, STUBBORN + "class Slow:\n def __dir__(self): return stubborn(7) or []\nslow = Slow()")
        process = self.begin_prompt()
        self.type("slow.x\t")
        self.expect("cannot be interrupted")
        self.type("\t\x15")  # again: nobody waits for names
        self.says("kept", "\n4\r\n")
        self.says("slow = 5", "\n")
        self.says("slow.rea\t", "\n5\r\n")
        self.leave(process)
        self.assertEqual(self.does(self.name, "kept"), "4")

    def test_interrupt_ends_the_wait_for_others(self) -> None:
        process = self.begin_prompt()
        other = self.begin(self.name, READY)
        self.type("kept\t\t")  # names are not waited for
        self.type("\x15'after'\n")
        self.expect("'after'\r\n")
        self.type("\x03")
        self.expect("KeyboardInterrupt\r\n")
        self.expect(">>> ")
        other.send_signal(signal.SIGINT)
        other.wait(60)
        self.says("'free'", "\n'free'\r\n")
        self.leave(process)

    def test_signal_ends_the_wait_for_others(self) -> None:
        process = self.begin_prompt()
        other = self.begin(self.name, READY)
        self.type("'after'\n")
        self.expect("'after'\r\n")
        process.send_signal(signal.SIGTERM)
        self.ends(process, 128 + signal.SIGTERM)
        other.send_signal(signal.SIGINT)
        other.wait(60)

    def test_figures_are_saved_and_closed(self) -> None:
        self.does(self.name, PYPLOT)
        target = self.folder / "figures"
        process = self.begin_prompt("--figures", target, "--formats", "png,pdf", self.name)
        self.says("1", "figure-1.png\r\n")
        self.says("1", "\n1\r\n")
        self.leave(process)
        self.assertEqual([p.name for p in target.iterdir()], ["figure-1.png"])

    def test_figures_that_stay_open_are_mentioned_once(self) -> None:
        self.does(self.name, PYPLOT)
        process = self.begin_prompt()
        self.says("1", f"\n1\r\n{sentence('talk_hint_at_figures').strip()}\r\n")
        self.type("2\n")
        self.expect("\n2\r\n")
        before = self.expect(">>> ")
        self.assertNotIn("figures", before)
        self.leave(process)

    def test_session_that_ends_by_itself_ends_the_prompt(self) -> None:
        process = self.begin_prompt()
        self.type("import os; os._exit(1)\n")
        self.expect(sentence("call_is_lost", "", ""))
        self.ends(process, 125)

    def test_session_is_free_between_calls(self) -> None:
        process = self.begin_prompt()
        self.assertEqual(self.does(self.name, "z = 1"), "")
        self.assertFalse(self.listed()[self.name]["busy"])
        self.says("z", "\n1\r\n")
        self.leave(process)

    def test_client_killed_at_the_prompt_leaves_the_session(self) -> None:
        process = self.begin_prompt()
        self.says("w = 1", "\n")
        process.kill()
        process.wait(60)
        self.assertEqual(self.does(self.name, "w"), "1")

    def test_client_killed_in_a_call_leaves_the_session(self) -> None:
        process = self.begin_prompt()
        self.says("w = 2", "\n")
        self.type("print('reading'); input()\n")
        self.expect("\nreading\r\n")
        process.kill()
        process.wait(60)
        self.assertEqual(self.does(self.name, "w"), "2")

    def test_unknown_session_is_refused(self) -> None:
        refused = self.session("repl", "nosuch", stdin=b"1\n")
        self.assert_refused(refused, message("client_no_session", "nosuch"))
        self.assert_refused(self.session("repl", "", stdin=b"1\n"), message("main_read_flags#name"))

    def test_flags_of_a_sandbox_are_refused_with_a_name(self) -> None:
        self.assert_refused(self.session("repl", "--memory", "1g", self.name), "--memory", message("main_check_given#already"))
        self.assert_refused(self.session("repl", "--image", "host", self.name), "--image", message("main_check_given#already"))
        self.assert_refused(self.session("repl", self.name, "b"), "one NAME")

    def test_lines_may_come_through_a_pipe(self) -> None:
        said = self.session("repl", self.name, stdin=b"for i in range(2):\n  print(i)\n\n6*7\n")
        self.assert_prints("0\n1\n42", said)


class OwnSession(Sessions, Terminal):
    """A prompt without a name."""

    def test_session_ends_with_the_prompt_and_is_not_listed(self) -> None:
        process = self.begin_at_terminal([GLOVEBOX, "session", "repl", "-e", "WORD=given"], self.env())
        self.expect(">>> ")
        self.type("import os; os.environ['WORD']\n")
        self.expect("\n'given'\r\n")
        self.assertEqual(self.listed(), {})
        self.assertEqual(self.status()["running"], 1)
        self.type("os._exit(3)\n")
        self.expect(sentence("talk_show_failure").strip())
        self.expect(">>> ")
        self.type("'os' in globals()\n")
        self.expect("\nFalse\r\n")
        self.type("\x04")
        self.ends(process)
        self.assertTrue(wait_until(lambda: self.status()["running"] == 0))

    def test_completion_that_cannot_be_interrupted_leaves_it(self) -> None:
        process = self.begin_at_terminal([GLOVEBOX, "session", "repl"], self.env())
        self.expect(">>> ")
        self.type(f"exec({STUBBORN!r})\n")
        self.expect(">>> ")
        self.type("Slow = type('Slow', (), {'__dir__': lambda self: stubborn(7) or []}); slow = Slow()\n")
        self.expect(">>> ")
        self.type("slow.x\t")
        self.expect("cannot be interrupted")
        self.type("\t\x15kept\n")
        self.expect("\n4\r\n")
        self.expect(">>> ")
        self.type("stubborn(1000)\n")
        self.expect("\nstubborn\r\n")
        process.send_signal(signal.SIGTERM)
        self.ends(process, 128 + signal.SIGTERM)
        self.assertTrue(wait_until(lambda: self.status()["running"] == 0))


class Flags(Sessions):
    """What the commands of sessions take, and what they say about the flags of others."""

    def test_image_is_a_flag_or_a_word(self) -> None:
        name = self.assert_status(self.session("new", "--image", "host")).out.strip()
        self.addCleanup(self.session, "rm", name)
        self.assert_refused(self.session("new", "--image", "host", "host"), message("session_make_spec"))

    def test_limits_that_no_cell_has_are_refused_by_name(self) -> None:
        for flags in (("--cpu-time", "9s"), ("--cpuset-cpus", "0")):
            self.assert_refused(self.session("repl", "--image", "host", *flags, stdin=b"1\n"), flags[0])

    def test_prompt_names_what_was_meant(self) -> None:
        self.assert_refused(self.session("repl", "host"), "no session host", "repl --image host")
        self.assert_refused(self.session("repl", "--name", "kept"), "session new --name kept")
        name = self.new()
        self.assert_refused(self.session("repl", "--trust-image", name), "--trust-image", message("main_check_given#already"))

    def test_habits_of_docker_run_are_no_error(self) -> None:
        self.assert_prints("42", self.session("repl", "-it", "--rm", stdin=b"6 * 7\n"))

    def test_flags_of_the_session_are_named_in_a_call(self) -> None:
        self.assert_refused(self.session("exec", "-m", "1g", "x", "1"), "--memory", "session new")
        self.assert_refused(self.session("exec", "x", "1", "--timeout", "5s"), message("session_exec_read_flags#flags"))

    def test_completion_and_help_know_the_flags_of_run(self) -> None:
        said = self.glovebox("generate", "words", "session", "repl", "--").out.split()
        self.assertLessEqual({"--figures", "--image", "--memory", "--volume"}, set(said))
        self.assertIn("--memory SIZE", self.session("repl", "--help").out)


class Alone(Warm):
    """A prompt where no supervisor runs."""

    as_user = True

    def test_a_supervisor_is_started_for_it(self) -> None:
        command = [GLOVEBOX, "session", "repl", "--image", "host"]
        said = execute(command, env=self.env(), stdin=b"6 * 7\n")
        self.assert_prints("42", said)
        self.assertNotEqual(self.warm("status").status, 0)
