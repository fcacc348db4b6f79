"""Sessions: what `glovebox session` promises, and what hostile code inside one can do to others.

The classes share one supervisor each (Sessions); those that end it have their own (Supervision).
Code inside says "ready" where a test must know that it runs; nothing here waits by the clock.
"""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from support.messages import message, sentence
from support.processes import children, groups, is_alive, marked
from support.run import GLOVEBOX, Result, execute, parallel, unique
from support.times import DEADLINE, seconds, wait_until
from support.warm import Warm

NONE_RUNS = f"glovebox: {sentence('ask_finds_none')}\n"
OVER = message("sessions_lose_in_call")
READY = "import time; print('ready', flush=True); time.sleep(100)"
ENDLESS = "print('ready', flush=True)\nwhile True:\n    n = 0\n    for i in range(1000): n += i\n"
STUBBORN = """
import time
n = 0
while True:
    try:
        if not n:
            print('ready', flush=True)
        while True:
            time.sleep(100)
    except KeyboardInterrupt:
        n = 1
"""

# What an attacker inside finds: the pipe for the answer to the call that he is in.
PIPE = """
import os
A = min(int(n) for n in os.listdir("/proc/self/fd")
        if int(n) > 3 and "pipe:" in os.path.realpath("/proc/self/fd/" + n))
"""

# ... and the number of the request that is being answered.
FORGE = PIPE + """
import struct, sys
frame = sys._getframe()
while "number" not in frame.f_locals:
    frame = frame.f_back
text = b'{"id": %d, "status": "ok", "forged": 1}' % frame.f_locals["number"]
text = struct.pack("<I", len(text)) + text
"""

# Runs `act()` as soon as there is a file `go`, and leaves a file `done` to say so.
BETWEEN = """
import os, threading, time
def later():
    while not os.path.exists("/workspace/go"):
        time.sleep(0.01)
    act()
    open("/workspace/done", "w").close()
threading.Thread(target=later, daemon=True).start()
"""


# Replaces the guest's waiting as a checkpoint by a process that steals requests and answers them.
LURKER = """
import sys, types
frame = sys._getframe()
while "wait_as_checkpoint" not in frame.f_globals:
    frame = frame.f_back
def lurk(checkpoint, fork, threads):
    import ctypes, json, os, signal, socket, struct, threading, time
    signal.signal(signal.SIGCONT, lambda *_: None)
    libc, timer = ctypes.CDLL(None), ctypes.c_void_p()
    event = (ctypes.c_int * 16)(0, 0, signal.SIGCONT)
    libc.timer_create(1, event, ctypes.byref(timer))
    libc.timer_settime(timer, 0, (ctypes.c_long * 4)(0, 5_000_000, 0, 5_000_000), None)
    def steal():
        while not os.path.exists("/workspace/go"):
            time.sleep(0.01)
        os.kill(-1, signal.SIGSTOP)
        channel = socket.socket(fileno=os.dup(3))
        while True:
            first, pipes, _, _ = socket.recv_fds(channel, 1, 4)
            size, = struct.unpack("<I", first + channel.recv(3, socket.MSG_WAITALL))
            asked = json.loads(channel.recv(size, socket.MSG_WAITALL))
            said = json.dumps({"id": asked["id"], "status": "ok", "displays": [], "figures": []})
            os.write(pipes[0], struct.pack("<I", len(said)) + said.encode())
    threading.Thread(target=steal, daemon=True).start()
    while True:
        request, pipe, _ = receive(checkpoint)
        send(checkpoint, pipe, {"id": request["id"], "pid": getpid()})
frame.f_globals["wait_as_checkpoint"] = types.FunctionType(lurk.__code__, frame.f_globals)
0"""

# Answers its call, then the next one as soon as its number is known; the rest of that stays unread.
EARLY = FORGE + """
import socket, time
os.write(A, text)
channel = socket.socket(fileno=os.dup(3))
head, pipes, _, _ = socket.recv_fds(channel, 1, 4)
while b"," not in head[4:]:
    head += channel.recv(1)
number = int(head[4:].split(b'"id":')[1].split(b",")[0])
text = b'{"id": %d, "status": "ok", "displays": [], "figures": []}' % number
os.write(pipes[0], struct.pack("<I", len(text)) + text)
while True: time.sleep(1)
"""


def give_away(*paths: Path) -> None:
    """Let what will be mounted belong to somebody who is not root."""
    for path in paths:
        if os.geteuid() == 0:
            os.chown(path, 1000, 1000)


class Speaker(Warm):
    """A test that speaks to sessions; see warm.py for the supervisor."""

    def session(self, *args: str | Path, **options: Any) -> Result:
        """Run `glovebox session`."""
        return execute([GLOVEBOX, "session", *map(str, args)], env=self.env(), **options)

    def new(self, *flags: str) -> str:
        """Start a session that ends with the test, and return its name."""
        name = self.assert_status(self.session("new", *flags, "host")).out.strip()
        self.addCleanup(self.session, "rm", name)
        return name

    def call(self, name: str, code: str, *flags: str, **options: Any) -> Result:
        """Run code in a session."""
        return self.session("exec", *flags, name, code, **options)

    def does(self, name: str, code: str) -> str:
        """Run code that succeeds and return what it prints."""
        return self.assert_status(self.call(name, code)).out.strip()

    def structured(self, name: str, code: str, *flags: str) -> dict[str, Any]:
        """Return what --json prints of a call, which is one line."""
        said = self.call(name, code, "--json", *flags)
        self.assertEqual((said.out.count("\n"), said.err), (1, ""))
        return said.json

    def begin(self, name: str, code: str, *flags: str) -> "subprocess.Popen[bytes]":
        """Start a call and return its client as soon as the code runs."""
        command = [GLOVEBOX, "session", "exec", *flags, name, code]
        return self.start_ready(command, env=dict(os.environ, **self.env()))

    def end(self, client: "subprocess.Popen[bytes]") -> Result:
        """Wait for a client that has been started."""
        out, err = client.communicate(timeout=60)
        return Result(client.returncode, out, err)

    def listed(self) -> dict[str, dict[str, Any]]:
        """Return what `session ls` says, by name."""
        said = self.assert_status(self.session("ls", "--json"))
        self.assertEqual((said.out.count("\n"), said.err), (1, ""))
        return {one["name"]: one for one in said.json["sessions"]}

    def assert_lost(self, result: Result, *words: str | re.Pattern[str]) -> None:
        """Assert that a call says in one line that its session is gone, and why."""
        self.assert_refused(result, message("call_is_lost"))
        self.assertEqual(result.err.count("\n"), 1, result.err)
        for word in words:
            self.assertRegex(result.err, word)

    def assert_over(self, name: str, *words: str | re.Pattern[str]) -> None:
        """Assert that a session is gone and that who asks for it is told why."""
        self.assertNotIn(name, self.listed())
        refused = self.assert_refused(self.call(name, "1"), name, *words)
        self.assertEqual(refused.err.count("\n"), 1)


class Sessions(Speaker):
    """A test that shares the supervisor of its class."""

    home: Path
    supervisor: int

    @classmethod
    def setUpClass(cls) -> None:
        """Start the supervisor."""
        super().setUpClass()
        cls.home = Path(tempfile.mkdtemp(prefix="sessions-"))
        cls.addClassCleanup(shutil.rmtree, cls.home, ignore_errors=True)
        keeper = cls()
        keeper.place = cls.home
        cls.addClassCleanup(keeper.end_supervisors)
        cls.supervisor = keeper.start_warm()

    def setUp(self) -> None:
        """Have the supervisor of the class; in the end it is the same one."""
        super(Warm, self).setUp()
        self.place = self.home
        self.addCleanup(self.assert_unharmed)

    def assert_unharmed(self) -> None:
        """Assert that the supervisor and its nursery live and that nothing stays in the table."""
        now = self.status()
        self.assertEqual((now["pid"], now["restarts"]), (self.supervisor, 0))
        self.assertEqual(self.listed(), {})


class Calls(Sessions):
    """Code, and what comes of it."""

    def setUp(self) -> None:
        super().setUp()
        self.name = self.new()

    def test_state_lives_from_call_to_call(self) -> None:
        self.assertEqual(self.does(self.name, "import json\ndef f(): return n + 1\nn = 41"), "")
        self.assertEqual(self.does(self.name, "f()"), "42")
        self.assertEqual(self.does(self.name, "_ + 1, json.dumps(n)"), "(43, '41')")

    def test_value_of_a_last_expression_is_printed(self) -> None:
        self.assert_prints("'text'", self.call(self.name, "x = 'text'; x"))
        for code in ("1;", "None", "y = 1", "", "# nothing"):
            self.assert_prints("", self.call(self.name, code))

    def test_output_goes_to_our_streams_and_the_value_after_it(self) -> None:
        code = "import sys\nprint('out')\nprint('err', file=sys.stderr)\n'value'"
        said = self.assert_status(self.call(self.name, code))
        self.assertEqual((said.out, said.err), ("out\n'value'\n", "err\n"))

    def test_displays_are_printed_in_order(self) -> None:
        said = self.call(self.name, "display(1); print(2); display('three', 4); print(5)\n6")
        self.assert_prints("1\n2\n'three'\n4\n5\n6", said)

    def test_figures_stay_open_where_nobody_sees_them(self) -> None:
        pyplot = """
import sys, types
drawn = []
pyplot = types.ModuleType("matplotlib.pyplot")
pyplot.get_fignums = lambda: [1]
pyplot.close = pyplot.figure = drawn.append
sys.modules["matplotlib.pyplot"] = pyplot
"""
        self.does(self.name, pyplot)
        self.assertEqual(self.does(self.name, "drawn"), "[]")
        self.structured(self.name, "1")
        self.assertEqual(self.does(self.name, "drawn"), "[1, 'all']")

    def test_shown_figures_are_saved_where_nobody_sees_them(self) -> None:
        """The package is one of the test's own, with the calls that show.py changes."""
        package = """
import os, sys
for name, text in (
    ("__init__", ""),
    ("_pylab_helpers", "class Gcf:\\n    figs = {}\\n    destroy = figs.pop"),
    ("backend_bases", "class FigureManagerBase:\\n    def show(self): pass"),
):
    os.makedirs("matplotlib", exist_ok=True)
    open(f"matplotlib/{name}.py", "w").write(text)
import matplotlib._pylab_helpers, matplotlib.backend_bases
class Figure:
    def savefig(self, file, **_): file.write(b"\\x89PNG\\r\\n\\x1a\\nx")
def show():
    manager = matplotlib.backend_bases.FigureManagerBase()
    manager.canvas, manager.figure, manager.num = manager, Figure(), 1
    matplotlib._pylab_helpers.Gcf.figs[1] = manager
    manager.show()
"""
        self.does(self.name, package)
        said = self.assert_status(self.call(self.name, "show(); print('between'); show()"))
        self.assertEqual(said.out, "between\n")
        self.assertRegex(said.err, message("Screen.save#figure is in", "plt.show()", "figure-1.png\n"))
        self.assertIn("figure-2.png", self.session("files", self.name).out)
        figures = self.subfolder("figures")
        said = self.assert_status(self.call(self.name, "show(); print('between'); show()", "--figures", str(figures)))
        self.assertRegex(said.out, "^<.*Figure.*>\nbetween\n<.*Figure.*>\nfigure-1.png\nfigure-2.png\n$")
        self.assertEqual(len([*figures.iterdir()]), 2)
        result = self.structured(self.name, "show(); show()")["result"]
        self.assertEqual(["image/png" in bundle for bundle in result["displays"]], [True, True])

    def test_output_comes_while_the_call_runs(self) -> None:
        client = self.begin(self.name, READY)  # has seen "ready"
        self.assertIsNone(client.poll())
        client.send_signal(signal.SIGINT)
        self.assert_status(self.end(client), 130)

    def test_output_of_a_child_process(self) -> None:
        self.assert_prints("7\n0", self.call(self.name, "import os; os.system('echo 7')"))

    def test_lines_of_a_notebook(self) -> None:
        code = "%matplotlib inline\nn\u00a0= 6\n!echo $n {n}\n%time print(\u201cx\u201d)\nn * 7"
        said = self.assert_status(self.call(self.name, code))
        self.assertRegex(said.out, "^6 6\nx\nCPU times.*\nWall time.*\n42\n$")
        for code in ("!pip install rich", "%pip install rich", "pip install -q rich"):
            self.assertIn("pip: there is no network here", self.assert_status(self.call(self.name, code)).err)
        result = self.structured(self.name, "from IPython.display import display, HTML\ndisplay(HTML('<b>'))\nHTML('<i>')")["result"]
        self.assertEqual((result["displays"][0]["text/html"], result["value"]["text/html"]), ("<b>", "<i>"))
        said = self.assert_status(self.call(self.name, "import time\n!sleep 100", "--timeout=300ms"), 124)
        self.assertEqual(self.does(self.name, "n"), "6")

    def test_lines_of_a_child_process_stand_where_they_were_written(self) -> None:
        code = "import os; print('a'); os.system('echo b'); print('c', end=' '); os.system('echo d'); print('e')"
        self.assert_prints("a\nb\nc d\ne", self.call(self.name, code))
        self.assert_status(self.session("checkpoint", self.name))
        self.assert_status(self.session("rollback", self.name))
        self.assert_prints("a\nb\nc d\ne", self.call(self.name, code))

    def test_lines_of_the_c_library_stand_where_they_were_written(self) -> None:
        code = "import ctypes; print('a'); ctypes.CDLL(None).printf(b'b\\n'); print('c'); None"
        self.assert_prints("a\nb\nc", self.call(self.name, code))

    def test_what_was_printed_before_the_end_of_the_interpreter_is_there(self) -> None:
        for end in ("import ctypes; ctypes.string_at(0)", "import os; os._exit(3)", "x = bytearray(10**9)\nwhile 1: pass"):
            with self.subTest(end=end):
                name = self.new("--memory", "100m")
                said = self.session("exec", name, f"print('one'); print('two', end=''); {end}")
                self.assertEqual(said.out, "one\ntwo")

    def test_error_prints_a_traceback_without_frames_of_ours(self) -> None:
        code = "def f():\n    return 1 / 0\ntry:\n    f()\nexcept Exception:\n    {}['key']"
        said = self.assert_status(self.call(self.name, code), 1)
        self.assertEqual(said.out, "")
        self.assertIn("return 1 / 0", said.err)
        self.assertTrue(said.err.endswith("KeyError: 'key'\n"), said.err)
        files = [line for line in said.err.splitlines() if line.startswith("  File ")]
        self.assertEqual(len(files), 3)
        self.assertTrue(all('"<cell 1>"' in line for line in files), files)

    def test_code_finds_its_own_sources(self) -> None:
        self.does(self.name, "import inspect, logging, traceback\ndef f(): return 1 / 0")
        self.assertEqual(self.does(self.name, "inspect.getsource(f)"), repr("def f(): return 1 / 0\n"))
        tries = (
            "try: f()\nexcept ZeroDivisionError: traceback.print_exc()",
            "try: f()\nexcept ZeroDivisionError: logging.exception('x')",
        )
        for code in tries:
            said = self.assert_status(self.call(self.name, code))
            self.assertIn("def f(): return 1 / 0\n", said.err)

    def test_error_of_syntax(self) -> None:
        said = self.assert_status(self.call(self.name, "x = ("), 1)
        self.assertIn("SyntaxError", said.err)
        self.assertNotIn(".py", said.err)

    def test_error_keeps_what_was_done_before_it(self) -> None:
        self.assert_status(self.call(self.name, "n = 5\n1 / 0"), 1)
        self.assertEqual(self.does(self.name, "n"), "5")

    def test_exit_gives_its_status_and_the_session_lives(self) -> None:
        for code, status in (("3", 3), ("", 0), ("None", 0), ("255", 255), ("256", 0)):
            self.assert_status(self.call(self.name, f"import sys; sys.exit({code})"), status)
        said = self.assert_status(self.call(self.name, "sys.exit('why')"), 1)
        self.assertEqual((said.out, said.err), ("", "why\n"))
        self.assertEqual(self.does(self.name, "'alive'"), "'alive'")

    def test_code_has_no_standard_input(self) -> None:
        said = self.assert_status(self.call(self.name, "input()", stdin=b"ours\n"), 1)
        self.assertIn("EOFError", said.err)

    def test_source_of_a_file(self) -> None:
        path = self.file("code.py", "n = 6 * 7\nn\n")
        self.assert_prints("42", self.session("exec", "--file", path, self.name))
        missing = self.session("exec", "--file", self.folder / "missing", self.name)
        self.assert_refused(missing, "missing", "No such file")

    def test_source_of_standard_input(self) -> None:
        for words in (["-"], []):
            said = self.session("exec", self.name, *words, stdin=b"print('in')\n8")
            self.assert_prints("in\n8", said)

    def test_value_with_a_nul_or_what_looks_like_one(self) -> None:
        for code, wanted in ((r"r'\u0000'", r"'\\u0000'"), (r"r'\\u0000'", r"'\\\\u0000'")):
            self.assertEqual(self.does(self.name, code), wanted)
        self.does(self.name, r"class T:\n  def __repr__(self): return 'a\0\\\0b'".replace(r"\n", "\n"))
        self.assertEqual(self.does(self.name, "T()"), "a\ufffd\\\ufffdb")

    def test_source_with_line_ends_of_others(self) -> None:
        self.assert_prints("2", self.session("exec", self.name, stdin=b"x = 1\r\nx + 1\r\n"))

    def test_source_that_is_no_text(self) -> None:
        for source in (b"x = 1\0", b"x = '\xff\xfe'", b"\xff", b"\0" * 1000):
            said = self.session("exec", self.name, stdin=source)
            self.assertIn(said.status, (0, 1), said)
        self.assertEqual(self.does(self.name, "'alive'"), "'alive'")

    def test_source_of_a_megabyte(self) -> None:
        text = "é" * (1 << 19)  # two bytes each
        path = self.file("huge.py", f"s = '{text}'\nlen(s)")
        self.assert_prints(str(1 << 19), self.session("exec", "--file", path, self.name))
        said = self.session("exec", self.name, stdin=path.read_bytes())
        self.assert_prints(str(1 << 19), said)

    def test_output_of_two_megabytes(self) -> None:
        code = "import sys\nfor s in (sys.stdout, sys.stderr): s.write('x' * (2 << 20))\n0"
        said = self.assert_status(self.call(self.name, code))
        self.assertEqual((len(said.out), len(said.err)), ((2 << 20) + 2, 2 << 20))
        said = self.structured(self.name, code)
        self.assertEqual((len(said["stdout"]), len(said["stderr"])), (2 << 20, 2 << 20))
        self.assertIs(said["truncated"], False)

    def test_large_value(self) -> None:
        said = self.assert_status(self.call(self.name, "'v' * 900_000"))
        self.assertEqual(said.out, "'" + "v" * 900_000 + "'\n")
        said = self.structured(self.name, "'v' * 5_000_000")
        self.assertLess(len(said["result"]["value"]["text/plain"]), 2 << 20)

    def test_source_that_is_too_large_as_json_keeps_the_session(self) -> None:
        path = self.file("huge.py", b"\1" * 12_000_000)
        said = self.session("exec", "--file", path, self.name)
        self.assert_refused(said, message("exchange_open#code", 68, 64))
        self.assertEqual(self.does(self.name, "'alive'"), "'alive'")

    def test_file_and_code_at_once(self) -> None:
        path = self.file("code.py", "1")
        self.assert_refused(self.session("exec", "--file", path, self.name, "2"), "--file")
        said = self.session("exec", "--file", "-", self.name, stdin=b"3")
        self.assert_prints("3", said)

    def test_output_that_is_cut_is_said_to_be(self) -> None:
        code = "import sys; print('x' * 300); print('y' * 300, file=sys.stderr)"
        said = self.assert_status(self.call(self.name, code, "--output-limit=100"), 123)
        self.assertEqual(said.out, "x" * 100)
        expected = "y" * 100 + "[OUTPUT] stdout was cut at 100\n[OUTPUT] stderr was cut at 100\n"
        self.assertEqual(said.err, expected)
        said = self.structured(self.name, code, "--output-limit", "1k")
        self.assertEqual((said["truncated"], len(said["stdout"])), (False, 301))
        said = self.assert_status(self.call(self.name, code, "--output-limit=0"))
        self.assertEqual((said.out, said.err), ("x" * 300 + "\n", "y" * 300 + "\n"))
        self.assert_refused(self.call(self.name, "1", "--output-limit=much"), "--output-limit")

    def test_reader_that_leaves_ends_it_as_a_pipeline_does(self) -> None:
        for flags in ((), ("--json",)):
            ours, theirs = os.pipe()
            os.close(ours)
            command = [GLOVEBOX, "session", "exec", *flags, self.name, "print(1)\n2"]
            client = self.start(command, env=dict(os.environ, **self.env()), stdout=theirs,
                                stderr=subprocess.PIPE)  # fmt: skip
            os.close(theirs)
            _, err = client.communicate()
            self.assertEqual((client.returncode, err), (128 + signal.SIGPIPE, b""))
        self.assertEqual(self.does(self.name, "'alive'"), "'alive'")

    def test_output_for_which_there_is_no_stdout_is_no_success(self) -> None:
        for flags in ((), ("--json",)):
            command = [GLOVEBOX, "session", "exec", *flags, self.name, "print(1)\n2"]
            said = execute(["/bin/sh", "-c", '"$@" >&-', "sh", *command], env=self.env())
            self.assert_status(said, 125)
            self.assertRegex(said.err, "^glovebox: write .*: Bad file descriptor\n$")
        self.assertEqual(self.does(self.name, "'alive'"), "'alive'")

    def test_output_beyond_the_default_limit(self) -> None:
        said = self.assert_status(self.call(self.name, "print('x' * (65 << 20))"), 123)
        self.assertEqual(len(said.stdout), 64 << 20)
        self.assertEqual(said.err, "[OUTPUT] stdout was cut at 64m\n")

    def test_output_that_cannot_be_written(self) -> None:
        for flags, code in (((), "1"), ((), "print(1)"), (("--json",), "1")):
            with self.subTest((flags, code)), open("/dev/full", "wb") as full:
                command = [GLOVEBOX, "session", "exec", *flags, self.name, code]
                client = self.start(command, env=dict(os.environ, **self.env()), stdout=full,
                                    stderr=subprocess.PIPE)  # fmt: skip
                _, err = client.communicate()
                self.assertEqual(client.returncode, 125)
                self.assertIn(b"No space left on device", err)
                self.assertEqual(err.count(b"\n"), 1, err)
        self.assertEqual(self.does(self.name, "'alive'"), "'alive'")

    def test_bad_arguments_are_refused(self) -> None:
        for args in (["exec"], ["exec", self.name, "1", "2"], ["exec", "--nope", self.name, "1"]):
            self.assert_refused(self.session(*args))
        for flag in ("--timeout", "--file", "--formats"):
            self.assert_refused(self.session("exec", flag), flag, message("setting_words_apply_next"))
        for value in ("soon", "0", "-1s"):
            self.assert_refused(self.call(self.name, "1", f"--timeout={value}"), "--timeout")
        self.assert_refused(self.session(), "new, exec, repl, ls")
        self.assert_refused(self.session("clone", self.name), "clone", "new, exec, repl, ls")


class Live(Sessions):
    """Output comes as it is printed, to whatever reads it."""

    def test_prints_come_one_by_one_through_a_pipe(self) -> None:
        gate = self.folder / "gate"
        gate.mkdir()
        os.mkfifo(gate / "next")
        name = self.new("-v", f"{gate}:/gate:ro")
        source = "print('ready')\nfor i in range(3): print(i); open('/gate/next').read()"
        client = self.begin(name, source)
        for i in range(3):  # it prints the next only when this one has been read
            self.assertEqual(client.stdout.readline(), b"%d\n" % i)
            (gate / "next").write_text("")
        self.assertEqual(client.wait(DEADLINE), 0)


class Structured(Sessions):
    """exec --json."""

    def setUp(self) -> None:
        super().setUp()
        self.name = self.new()

    def test_value_is_a_bundle(self) -> None:
        code = "import sys; print(1); print(2, file=sys.stderr)\nclass T:\n"
        code += "  def _repr_html_(self): return '<b>'\n  def __repr__(self): return 't'\nT()"
        said = self.structured(self.name, code)
        self.assertEqual((said["stdout"], said["stderr"]), ("1\n", "2\n"))
        flags = [said[key] for key in ("timed_out", "interrupted", "truncated")]
        self.assertEqual(flags, [False, False, False])
        self.assertGreater(said["duration_ms"], 0)
        result = said["result"]
        self.assertEqual(result["value"], {"text/plain": "t", "text/html": "<b>"})
        self.assertEqual((result["status"], result["figures"], result["displays"]), ("ok", [], []))
        self.assertNotIn("error", result)

    def test_no_value(self) -> None:
        self.assertNotIn("value", self.structured(self.name, "x = 1")["result"])

    def test_displays_have_a_place_among_the_prints(self) -> None:
        code = "import os, sys\nprint('ä', end=''); display(1); print('two'); os.system('echo child'); display(2, 3); os._exit(0) if os.fork() == 0 and not display(4) else os.wait(); print('end')"
        said = self.structured(self.name, code)
        self.assertEqual(said["stdout"], "ätwo\nchild\nend\n")
        self.assertEqual((len(said["result"]["displays"]), said["displays_at"]), (3, [1, 11, 11]))

    def test_displays_have_a_place_wherever_descriptor_1_leads(self) -> None:
        code = "import contextlib, io, os\nprint('a')\nwith contextlib.redirect_stdout(io.StringIO()) as text: display(1); print('in')\nkept = os.dup(1); os.dup2(os.open('file', os.O_CREAT | os.O_RDWR), 1); print('hidden'); display(2); os.dup2(kept, 1); print('b')"
        said = self.structured(self.name, code)
        self.assertEqual((said["stdout"], said["displays_at"]), ("a\nb\n", [2, 2]))
        self.assertEqual(self.does(self.name, "open('file').read(), text.getvalue()"), "('hidden\\n', 'in\\n')")

    def test_what_a_thread_displays_between_calls_stands_at_the_beginning(self) -> None:
        code = "import threading\nhas_ended = threading.Event()\ndef late(): go.wait(); display('late'); has_ended.set()\ngo = threading.Event(); threading.Thread(target=late).start()\nthreading.Timer(0, go.set)"
        self.does(self.name, code)
        said = self.structured(self.name, "go.set(); has_ended.wait(); print('x'); display(1)")
        self.assertEqual((said["stdout"], said["displays_at"]), ("x\n", [0, 2]))

    def test_forged_marks_deceive_only_who_reads_them(self) -> None:
        code = "import sys\nframe = sys._getframe()\nwhile 'request' not in frame.f_locals: frame = frame.f_back\nmark = '\\x1edisplay-%08x' % frame.f_locals['request']['id']\nprint(mark, mark[:-1], end=mark * 2000)"
        said = self.structured(self.name, code)
        self.assertEqual((said["result"]["status"], len(said["displays_at"]), said["result"]["displays"]), ("ok", 1001, []))
        self.assertTrue(said["stdout"].startswith(" \x1edisplay-"))

    def test_marks_are_no_output(self) -> None:
        said = self.structured(self.name, "print('x' * 10); display(1)", "--output-limit", "11")
        self.assertEqual((said["stdout"], said["truncated"], said["displays_at"]), ("x" * 10 + "\n", False, [11]))
        said = self.structured(self.name, "for i in range(60): print('a'); display(i)", "--output-limit", "100")
        self.assertEqual((said["stdout"], said["truncated"], said["displays_at"][48:52]), ("a\n" * 50, True, [98, 100, 100, 100]))

    def test_marks_stay_out_of_files_of_the_code(self) -> None:
        code = """import os
print('a')
for n in range(200, 300):  # rootfs/guest/session.py keeps standard output there
    try: os.close(n)
    except OSError: continue
    break
files = [open(f'f{i}', 'w') for i in range(250)]
display(1); print('b')
has_taken_it = n in [file.fileno() for file in files]
for file in files: file.close()
has_taken_it, sum(os.path.getsize(file.name) for file in files)"""
        said = self.structured(self.new(), code)
        self.assertEqual((said["stdout"], said["displays_at"], said["result"]["value"]["text/plain"]), ("a\nb\n", [], "(True, 0)"))

    def test_displays_of_a_stream_that_displays(self) -> None:
        code = """import sys
class Stream:
    def write(self, text): return len(text)
    def flush(self): display('flushed')
was, sys.stdout = sys.stdout, Stream()
display(1)
sys.stdout = was"""
        self.assertEqual([d["text/plain"] for d in self.structured(self.name, code)["result"]["displays"]][:1], ["1"])

    def test_displays(self) -> None:
        result = self.structured(self.name, "display(1); display('two')")["result"]
        self.assertEqual(result["displays"], [{"text/plain": "1"}, {"text/plain": "'two'"}])

    def test_error(self) -> None:
        said = self.structured(self.name, "print('before')\n1 / 0")
        self.assertEqual((said["stdout"], said["stderr"]), ("before\n", ""))
        self.assertEqual((said["result"]["status"], said["result"]["figures"]), ("error", []))
        error = said["result"]["error"]
        self.assertEqual((error["name"], error["value"]), ("ZeroDivisionError", "division by zero"))
        self.assertEqual(error["traceback"][-1], "ZeroDivisionError: division by zero\n")
        self.assertNotIn("value", said["result"])

    def test_status_of_the_command_is_0_whatever_the_code_did(self) -> None:
        for code in ("1 / 0", "import sys; sys.exit(3)"):
            self.assert_status(self.call(self.name, code, "--json"))

    def test_exit(self) -> None:
        result = self.structured(self.name, "import sys; sys.exit(3)")["result"]
        self.assertEqual((result["status"], result["exit_code"]), ("exit", 3))

    def test_output_that_is_no_text(self) -> None:
        said = self.structured(self.name, r"import os; os.write(1, b'\x00\xff\x1b\n'); '\ud800\0'")
        self.assertEqual(said["stdout"][-1], "\n")
        self.assertEqual(said["result"]["status"], "ok")

    def test_formats_are_names(self) -> None:
        for formats in ("png,svg", "", "jpeg", "pdf,png"):
            said = self.structured(self.name, "1", f"--formats={formats}")
            self.assertEqual(said["result"]["figures"], [])
        for formats in ('x"y', "png,nonsense", "pn"):
            refused = self.call(self.name, "1", f"--formats={formats}")
            self.assert_refused(refused, "--formats", message("figures_add_formats"))

    def test_switch_that_is_off(self) -> None:
        self.assert_prints("1", self.call(self.name, "1", "--json=false"))
        self.assertEqual(self.call(self.name, "1", "--json=true").json["stdout"], "")
        self.assert_refused(self.call(self.name, "1", "--json=no"), "--json", "no")

    def test_formats_with_a_comma_too_many(self) -> None:
        self.call(self.name, "1", "--formats=png,")
        self.assertEqual(self.does(self.name, "2"), "2")

    def test_timeout(self) -> None:
        said = self.assert_status(self.call(self.name, READY, "--json", "--timeout", "300ms"), 124)
        self.assertIs(said.json["timed_out"], True)
        self.assertEqual(said.json["stdout"], "ready\n")
        self.assertEqual(said.json["result"]["error"]["name"], "KeyboardInterrupt")


class Interrupts(Sessions):
    """--timeout, Ctrl-C, and code that does not care."""

    def setUp(self) -> None:
        super().setUp()
        self.name = self.new()
        self.does(self.name, "kept = 1")

    def assert_kept(self) -> None:
        """Assert that the session has its state and can be interrupted once more."""
        self.assertEqual(self.does(self.name, "kept"), "1")
        self.assert_status(self.call(self.name, ENDLESS, "--timeout=200ms"), 124)
        self.assertEqual(self.does(self.name, "kept"), "1")

    def test_timeout_interrupts_and_keeps_the_session(self) -> None:
        for code in (READY, ENDLESS):
            said = self.assert_status(self.call(self.name, code, "--timeout=300ms"), 124)
            self.assertIn("KeyboardInterrupt", said.err)
            self.assertRegex(said.err.splitlines(keepends=True)[-1], message("session_exec_finish_plain", "300ms\n"))
        self.assert_kept()

    def test_timeout_that_is_not_reached(self) -> None:
        self.assert_prints("1", self.call(self.name, "kept", "--timeout=60s"))

    def test_code_that_handles_the_interrupt_goes_on(self) -> None:
        code = "import time\ntry:\n  time.sleep(100)\nexcept KeyboardInterrupt:\n  kept = 2"
        self.assert_status(self.call(self.name, code, "--timeout=200ms"), 124)
        self.assertEqual(self.does(self.name, "kept"), "2")

    def test_what_the_code_waits_for_is_interrupted_too(self) -> None:
        """libc's system() ignores SIGINT while its child runs."""
        said = self.call(self.name, "import os; os.system('sleep 1000')", "--json", "--timeout=500ms")
        self.assertIs(self.assert_status(said, 124).json["timed_out"], True)
        self.assert_kept()

    def test_a_child_of_the_call_is_interrupted(self) -> None:
        begin = "import subprocess; child = subprocess.Popen(['sleep', '1000'])\n"
        self.assert_status(self.call(self.name, begin + ENDLESS, "--timeout=500ms"), 124)
        self.assertEqual(self.does(self.name, "child.wait()"), "-2")

    def test_a_checkpoint_is_not(self) -> None:
        self.assert_status(self.session("checkpoint", self.name, "before"))
        self.assert_status(self.call(self.name, "kept = 2\n" + ENDLESS, "--timeout=300ms"), 124)
        self.assert_status(self.session("rollback", self.name, "before"))
        self.assertEqual(self.does(self.name, "kept"), "1")
        self.assert_kept()
        self.assert_status(self.session("rollback", self.name, "before"))
        self.assertEqual(self.does(self.name, "kept"), "1")
        said = self.call(self.name, "import os; os.system('sleep 1000')", "--timeout=500ms")
        self.assert_status(said, 124)
        self.assert_kept()

    def assert_stubborn(self, code: str) -> None:
        """Assert that code which cannot be interrupted loses its session, and only that."""
        other = self.new()
        said = self.call(self.name, code, "--timeout=200ms")
        self.assert_status(said, 124)
        self.assertRegex(said.err, message("call_is_lost", sentence("call_give_up#its")))
        self.assert_over(self.name, OVER)
        self.assertEqual(self.does(other, "1"), "1")

    def test_code_that_catches_the_interrupt_for_ever_loses_the_session(self) -> None:
        self.assert_stubborn(STUBBORN)

    def test_code_that_ignores_the_signal_loses_the_session(self) -> None:
        self.assert_stubborn("import signal; signal.signal(2, signal.SIG_IGN)\n" + ENDLESS)

    def test_ctrl_c_gives_130_and_keeps_the_session(self) -> None:
        client = self.begin(self.name, READY)
        client.send_signal(signal.SIGINT)
        said = self.assert_status(self.end(client), 130)
        self.assertIn("KeyboardInterrupt", said.err)
        self.assert_kept()

    def test_ctrl_c_twice_ends_what_does_not_end(self) -> None:
        client = self.begin(self.name, STUBBORN.replace("n = 1", "n = 1; print('caught', flush=True)"))
        client.send_signal(signal.SIGINT)
        self.assertEqual(client.stdout.readline(), b"caught\n")
        client.send_signal(signal.SIGINT)
        self.assert_lost(self.end(client), message("call_give_up#its"))
        self.assert_over(self.name, OVER)

    def assert_killed(self, code: str, *flags: str) -> None:
        """Kill the client in the middle of a call of this code."""
        client = self.begin(self.name, code, *flags)
        client.kill()
        client.wait()

    def test_client_that_is_killed_in_a_call_leaves_the_session(self) -> None:
        self.does(self.name, "kept = 7")
        for code in (READY, ENDLESS, "print('ready', flush=True)\nwhile True: print('x' * 1000)"):
            with self.subTest(code=code):
                self.assert_killed(code)
                self.assertEqual(self.does(self.name, "kept"), "7")

    def test_code_without_a_client_is_interrupted_without_another(self) -> None:
        code = "import time\ntry: print('ready', flush=True); time.sleep(1000)\nfinally: open('done', 'w')"
        self.assert_killed(code)
        self.assertTrue(wait_until(lambda: "done" in self.session("files", self.name).out))
        self.assertTrue(wait_until(lambda: not self.listed()[self.name]["busy"]))
        self.assert_status(self.session("checkpoint", self.name))
        self.assertEqual(self.does(self.name, "1"), "1")

    def test_code_without_a_client_is_interrupted_until_it_ends(self) -> None:
        """An interrupt can come where Python drops it: in a destructor, for example."""
        code = """
import time
class Deaf:
    def __del__(self):
        print('ready', flush=True)
        time.sleep(1000)
try:
    Deaf()
    time.sleep(1000)
finally:
    open('done', 'w')
"""
        self.assert_killed(code)
        self.assertTrue(wait_until(lambda: "done" in self.session("files", self.name).out))
        self.assertEqual(self.does(self.name, "1"), "1")

    def test_time_limit_outlives_the_client(self) -> None:
        other = self.new()
        self.assert_killed(STUBBORN, f"--timeout={seconds(1)}")
        self.assertTrue(wait_until(lambda: self.name not in self.listed()))
        self.assert_over(self.name, message("kept_session_why_over#vanished"))
        self.assertEqual(self.does(other, "1"), "1")

    def test_call_after_a_killed_client_waits_no_longer_than_it_may(self) -> None:
        self.assert_killed(STUBBORN)
        self.assert_refused(self.call(self.name, "1", "--timeout=200ms"), message("requests_serve_borrow"))
        self.assertIs(self.listed()[self.name]["busy"], True)

    def test_answer_without_a_reader_ends_nothing(self) -> None:
        code = "import signal; signal.signal(2, signal.SIG_IGN)\nprint('ready', flush=True)"
        self.assert_killed(code + "\nimport time; time.sleep(0.3); 'value'")
        self.assertEqual(self.does(self.name, "_"), "'value'")

    def test_client_that_is_killed_in_a_large_request_ends_the_session(self) -> None:
        other = self.new()
        self.assert_killed(READY + "  #" + 40_000 * "x")
        refused = self.assert_refused(self.call(self.name, "1"), self.name)
        self.assertRegex(refused.err, message("sessions_leave"))
        self.assertEqual(self.does(other, "1"), "1")

    def test_client_that_is_killed_while_it_waits_its_turn_harms_nobody(self) -> None:
        first = self.begin(self.name, READY)
        second = self.start([GLOVEBOX, "session", "exec", self.name, "kept = 2"],
                            env=dict(os.environ, **self.env()))  # fmt: skip
        second.kill()
        second.wait()
        first.send_signal(signal.SIGINT)
        self.assert_status(self.end(first), 130)
        self.assertIn(self.name, self.listed())

    def test_clients_at_once_take_turns(self) -> None:
        code = "import time\nm = kept; time.sleep(0.02); kept = m + 1"
        for said in parallel(lambda _: self.call(self.name, code), range(8)):
            self.assert_status(said)
        self.assertEqual(self.does(self.name, "kept"), "9")

    def test_waiting_for_a_turn_costs_nothing(self) -> None:
        """Whether the supervisor is there is asked meanwhile, every two seconds."""
        first = self.begin(self.name, "import time; print('ready', flush=True); time.sleep(6)")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual(self.does(self.name, "kept"), "1")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.assertLess(used, 0.2)
        self.assert_status(self.end(first))

    def test_second_client_waits_for_the_first(self) -> None:
        first = self.begin(self.name, READY)
        self.assertIs(self.listed()[self.name]["busy"], True)
        second = self.start(
            [GLOVEBOX, "session", "exec", self.name, "kept + 1"],
            env=dict(os.environ, **self.env()),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        first.send_signal(signal.SIGINT)
        self.assert_status(self.end(first), 130)
        self.assert_prints("2", self.end(second))

    def test_who_waits_for_another_client_says_so(self) -> None:
        """What does not take turns with others, as calls do."""
        for words in (("files",), ("freeze",), ("checkpoint",), ("thaw",)):
            with self.subTest(words):
                first = self.begin(self.name, READY)
                command = [GLOVEBOX, "session", *words, self.name]
                second = self.start(command, env=dict(os.environ, **self.env()), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                self.assertRegex(second.stderr.readline().decode(), message("session_say_waits", self.name))
                first.send_signal(signal.SIGINT)
                self.assert_status(self.end(first), 130)
                self.assertEqual((second.communicate(timeout=DEADLINE)[1], second.returncode), (b"", 0))

    def test_session_that_stays_busy_is_said_to_be(self) -> None:
        first = self.begin(self.name, READY)
        for flags in (("--timeout=100ms",), ("--json", "--timeout=1ms")):
            refused = self.assert_refused(self.call(self.name, "1", *flags), "busy", "try again")
            self.assertEqual(refused.err.count("\n"), 1)
        first.send_signal(signal.SIGINT)
        self.assert_status(self.end(first), 130)
        self.assert_kept()

    def test_rm_ends_a_call_that_runs(self) -> None:
        client = self.begin(self.name, READY)
        self.assert_status(self.session("rm", self.name))
        self.assert_lost(self.end(client), "it was removed")
        self.assertNotIn(self.name, self.listed())

    def test_cause_of_a_loss_is_what_is_said(self) -> None:
        for _ in range(8):
            said = self.call(self.new(), PIPE + "os.write(A, b'\\xff' * 4)")
            self.assertIn("too large", said.err)

    def test_ctrl_c_during_a_put_keeps_the_session(self) -> None:
        command = [GLOVEBOX, "session", "put", self.name, "-", "file"]
        env = dict(os.environ, **self.env())
        client = self.start(command, env=env, stdin=subprocess.PIPE)
        client.stdin.write(bytes(200_000))  # more than a pipe holds: it has read some of it
        client.stdin.flush()
        client.send_signal(signal.SIGINT)
        client.wait()
        self.assertEqual(self.does(self.name, "kept"), "1")
        with self.file("large").open("r+b") as large:
            large.truncate(200 << 20)
            client = self.start(command, env=env, stdin=large)
        wait_until(lambda: self.listed()[self.name]["busy"] or client.poll() is not None, 10)
        client.send_signal(signal.SIGINT)
        client.wait()
        self.assertEqual(self.does(self.name, "kept"), "1")


class Losses(Sessions):
    """A test of code that loses its session, beside another session that does not notice."""

    def setUp(self) -> None:
        super().setUp()
        self.other = self.new()
        self.does(self.other, "kept = 1")

    def assert_ends(self, code: str, *words: str, flags: tuple[str, ...] = ()) -> None:
        """Assert that code loses its session in one line, that this is remembered, and no more."""
        name = self.new(*flags)
        self.assert_lost(self.call(name, code), *words)
        self.assert_over(name, OVER)
        self.assertEqual(self.does(self.other, "kept"), "1")


class Endings(Losses):
    """What ends a session from inside: the caller is told."""

    as_user = (
        "test_memory",
        "test_memory_in_connections_that_nobody_accepts",
        "test_connections_between_two_calls",
    )

    def test_os_exit(self) -> None:
        for status in (0, 5):
            self.assert_ends(f"import os; os._exit({status})", "ended")

    def test_signals_of_its_own(self) -> None:
        for number in (signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM):
            self.assert_ends(f"import os; os.kill(os.getpid(), {number:d})", "ended")

    def test_crash(self) -> None:
        self.assert_ends("import ctypes; ctypes.string_at(0)", "ended")

    def test_memory(self) -> None:
        name = self.new("--memory", "64m")
        self.assert_lost(self.call(name, "x = b'x' * (1 << 30)"), message("call_lose_by_memory", "64m\n"))
        self.assert_over(name, OVER, message("call_lose_by_memory", "64m\n"))
        self.assertEqual(self.does(self.other, "kept"), "1")

    def test_memory_in_connections_that_nobody_accepts(self) -> None:
        name = self.new("--memory", "64m")
        code = (
            "import socket, time\n"
            "server = socket.create_server(('127.0.0.1', 0), backlog=4000)\n"
            "for _ in range(2000): socket.create_connection(server.getsockname()).close()\n"
            "time.sleep(20)"
        )
        self.assert_lost(self.call(name, code), message("call_lose_by_memory", "64m, in sockets\n"))
        self.assert_over(name, message("call_lose_by_memory", "64m, in sockets"))
        self.assertEqual(self.does(self.other, "kept"), "1")

    def test_connections_between_two_calls(self) -> None:
        name = self.new("--memory", "64m")
        code = (
            "import socket\n"
            "server = socket.create_server(('127.0.0.1', 0), backlog=4000)\n"
            "def act():\n"
            "    for _ in range(2000): socket.create_connection(server.getsockname()).close()\n"
        )
        self.does(name, code + BETWEEN)
        self.session("put", name, "-", "go", stdin=b"")
        self.assertTrue(wait_until(lambda: name not in self.listed()), "it stays")
        self.assert_over(name, message("kept_session_why_full#sockets"))
        self.assertEqual(self.does(self.other, "kept"), "1")

    def test_memory_between_two_calls(self) -> None:
        name = self.new("--memory", "64m")
        self.does(name, "def act(): b'x' * (1 << 30)\n" + BETWEEN)
        self.session("put", name, "-", "go", stdin=b"")
        self.assertTrue(wait_until(lambda: name not in self.listed()), "it stays")
        self.assert_over(name, message("kept_session_why_over#exceeded"))

    def test_end_of_its_own_after_a_child_ran_out_of_memory(self) -> None:
        name = self.new("--memory", "64m")
        child = "import subprocess as s; s.run(['python3', '-c', 'x = bytearray(1 << 30)'])"
        said = self.call(name, child)
        if said.status == 0:  # v2 ends the whole group
            self.assertNotIn("memory", self.call(name, "import os; os._exit(0)").err)

    def test_memory_limits_reached_by_several_at_once(self) -> None:
        """Each is told so; who is within its limit, and the machinery, do not notice."""
        names = [self.new("--memory", "64m") for _ in range(6)]
        said = parallel(lambda name: self.call(name, "x = b'x' * (1 << 30)"), names, len(names))
        for name, one in zip(names, said, strict=True):
            self.assert_lost(one, message("call_lose_by_memory", "64m\n"))
            self.assert_over(name, message("call_lose_by_memory", "64m\n"))
        self.assertEqual(self.does(self.other, "kept"), "1")
        self.assert_prints("1", self.glovebox("run", "--warm=require", "host", "python3", "-c", "print(1)"))

    def test_json_says_it_on_stderr(self) -> None:
        name = self.new()
        said = self.call(name, "import os; print('last', flush=True); os._exit(0)", "--json")
        self.assert_status(said, 125)
        self.assertRegex(said.err, message("call_is_lost", "ended"))
        self.assertEqual((said.json["stdout"], said.json["result"]), ("last\n", None))
        self.assertEqual(f"glovebox: {said.json['lost']}\n", said.err)

    def test_output_before_the_end_is_not_lost(self) -> None:
        said = self.call(self.new(), "import os; print('last', flush=True); os._exit(0)")
        self.assert_status(said, 125)
        self.assertEqual(said.out, "last\n")

    def test_by_itself_between_two_calls(self) -> None:
        name = self.new()
        self.does(name, "def act(): os._exit(0)\n" + BETWEEN)
        self.session("put", name, "-", "go", stdin=b"")
        self.assertTrue(wait_until(lambda: name not in self.listed()), "it stays")
        self.assert_over(name, message("kept_session_why_over#itself"))
        self.assertEqual(self.does(self.other, "kept"), "1")

    def test_child_processes_end_with_it(self) -> None:
        name, marker = self.new(), unique()
        code = f"import subprocess as s; p = s.Popen(['sh', '-c', 'sleep 1000; : {marker}'])"
        self.does(name, code)
        self.assertTrue(wait_until(lambda: marked(marker)))
        self.assert_status(self.session("rm", name))
        self.assert_gone(marker)

    def test_each_lost_session_is_named_so(self) -> None:
        names = [self.new() for _ in range(3)]
        for name in names:
            self.assert_lost(self.call(name, "import os; os._exit(0)"))
        for name in names:
            self.assert_over(name, OVER)


class Hostile(Losses):
    """Code that writes to the pipe of the answer by itself, and to the channel."""

    def test_garbage(self) -> None:
        self.assert_ends(PIPE + "os.write(A, b'garbage' * 10)")
        self.assert_ends(PIPE + "os.write(A, os.urandom(4095) + b'\\xff')")

    def test_frame_of_four_gibibytes(self) -> None:
        self.assert_ends(PIPE + r"os.write(A, b'\xff\xff\xff\xff{}')", "too large")

    def test_half_a_frame(self) -> None:
        code = PIPE + "os.write(A, b'\\x10\\0\\0\\0')"
        self.assert_ends(code)

    def test_frames_that_are_no_answer(self) -> None:
        texts = ("", "{", "[]", "{}", "7", '{"id":1}', '{"id":-1}', '{"id":"x"}')
        for text in (*(f"{text.encode()!r}" for text in texts), "b'[' * 100_000"):
            code = PIPE + f"import struct; t = {text}\n"
            self.assert_ends(code + "os.write(A, struct.pack('<I', len(t)) + t)")

    def test_answer_twice(self) -> None:
        self.assert_ends(FORGE + "os.write(A, text + text)", "more than once")

    def test_forged_answer_is_only_its_own(self) -> None:
        name = self.new()
        said = self.call(name, FORGE + "os.write(A, text)")
        self.assertIn(said.status, (0, 125), said)  # whether the true one comes along
        after = self.call(name, "1")
        if after.status == 0:  # the true one was written before the pipe was closed, and is lost
            self.assertEqual(after.out, "1\n")
        else:
            self.assert_over(name, "ended")
        self.assertEqual(self.does(self.other, "kept"), "1")

    def test_forged_answer_of_several_lines_is_one_line(self) -> None:
        code = FORGE.replace('{"id"', '\\n{\\n"id"') + "os.write(A, text); os.read(3, 1 << 20)"
        self.structured(self.new(), code)

    def forged(self, members: str) -> str:
        """Return code that answers its own request; members as they stand in a bytes literal."""
        send = "open(A, 'wb', closefd=False).write(text); os.read(3, 1 << 20)"
        return FORGE.replace(', "status": "ok", "forged": 1', members) + send

    def test_forged_answer_can_be_read(self) -> None:
        said = self.structured(self.new(), self.forged(', "value": {"text/plain": "f"}'))
        self.assertEqual(said["result"]["value"], {"text/plain": "f"})

    def test_answer_that_is_not_strict_json(self) -> None:
        numbers = ("01", "1.", "1e999", "NaN")
        texts = (r'"\xff"', r'"\xed\xa0\x80"', r'"\\ud800"', r'"\n"')
        for value in (*numbers, *texts):
            with self.subTest(value):
                self.assert_ends(self.forged(f', "v": {value}'), "broke the protocol")
        bom = self.forged("").replace("b'{", r"b'\xef\xbb\xbf{")
        self.assert_ends(bom, "broke the protocol")

    def test_answer_of_a_million_values(self) -> None:
        """Each would cost its reader some 80 bytes."""
        million = "text = text.replace(b'@', b'0,' * 999_999 + b'0')\n"
        code = self.forged(', "a": [@]').replace("text = struct", million + "text = struct")
        self.assert_ends(code, "broke the protocol")

    def test_answer_unasked_between_calls(self) -> None:
        """Nobody hears it: what is asked next is answered through another pipe."""
        name = self.new()
        write = "A = os.dup(A)\ndef act():\n    for fd in (3, A):\n        try: os.write(fd, text)\n"
        self.does(name, FORGE + write + "        except OSError: pass\n" + BETWEEN + "0")
        self.assert_status(self.session("put", name, "-", "go", stdin=b""))
        self.assertTrue(wait_until(lambda: "done" in self.session("files", name).out))
        self.assertEqual(self.does(name, "6 * 7"), "42")

    def test_nothing_can_be_sent_back_through_the_channel(self) -> None:
        name = self.new()
        send = "import socket; s = socket.socket(fileno=3)\n"
        for code in ("s.send(b'x')", "socket.send_fds(s, [b'x'], [0] * 250)"):
            self.assertIn("BrokenPipeError", self.call(name, send + code + "\n").err)
            send = ""  # the first socket is still there
        self.assertEqual(self.does(name, "1"), "1")

    def test_channel_that_is_lost_after_the_call(self) -> None:
        for code in ("os.close(3)", "import socket; socket.socket(fileno=3).shutdown(2)",
                     "os.dup2(os.open('/dev/null', os.O_RDWR), 3)"):  # fmt: skip
            name = self.new()
            self.call(name, "import os; " + code)  # whether it is answered still
            self.assertTrue(wait_until(lambda: name not in self.listed()), code)
            self.assertEqual(self.does(self.other, "kept"), "1")

    def test_descriptors_that_are_all_taken(self) -> None:
        name = self.new()
        self.does(name, """
import os, resource
kept = []
try:
    while True: kept.append(os.open("/dev/null", os.O_RDONLY))
except OSError: pass
0""")
        self.assertEqual(self.does(name, "len(kept) > 100"), "True")
        self.assertEqual(self.does(name, "len(kept) > 100"), "True")

    def test_writer_that_goes_on_cannot_hold_a_client(self) -> None:
        code = "import subprocess as s, time\nprint('ready', flush=True)\n"
        client = self.begin(self.new(), code + "p = s.Popen(['yes', 'x' * 4000]); time.sleep(0.5)")

        def ended() -> bool:
            client.send_signal(signal.SIGINT)
            return client.poll() is not None

        wait_until(lambda: client.poll() is not None, 2)  # nobody reads what it prints
        self.assertTrue(wait_until(ended), "Ctrl-C does nothing")

    def test_stdout_that_is_closed(self) -> None:
        name = self.new()
        self.call(name, "import os; os.close(1); os.close(2)")
        self.assertEqual(self.structured(name, "print(1); 2")["stdout"], "")
        self.assertEqual(self.does(self.other, "kept"), "1")

    def test_writer_that_goes_on_after_the_call(self) -> None:
        name = self.new()
        code = "import subprocess as s; p = [s.Popen(['yes', 'x' * 4000]) for _ in range(2)]"
        self.assert_status(self.call(name, code + "; 1", "--timeout=30s", timeout=60))
        self.assert_status(self.call(name, "for q in p: q.kill()", "--timeout=30s", timeout=60))


class Names(Sessions):
    """new, ls, rm and how long one lives."""

    def test_new_prints_the_name_that_it_was_given(self) -> None:
        self.assertEqual(self.new("--name", "lab"), "lab")
        one = self.listed()["lab"]
        counts = [one[key] for key in ("busy", "calls", "checkpoints")]
        self.assertEqual(counts, [False, 0, 0])

    def test_ps_lists_sessions_and_kill_and_stop_end_them(self) -> None:
        for verb in ("kill", "stop"):
            name = self.new()
            listed = execute([GLOVEBOX, "ps", "--json"], env=self.env()).json["running"]
            self.assertEqual([row["kind"] for row in listed if row["name"] == name], ["session"])
            self.assertEqual(execute([GLOVEBOX, verb, name], env=self.env()).out, f"{name}\n")
            self.assertNotIn(name, self.listed())

    def test_kill_means_a_session_before_an_id_that_begins_so(self) -> None:
        words = [GLOVEBOX, "run", "host", "sh", "-c", "echo ready; sleep 1000"]
        process = self.start_ready(words, env=dict(os.environ, **self.env()))
        listed = execute([GLOVEBOX, "ps", "--json"], env=self.env()).json["running"]
        (row,) = (row for row in listed if row["pid"] == process.pid)
        name = self.new("--name", row["id"][:8])
        self.assertEqual(execute([GLOVEBOX, "kill", name], env=self.env()).out, f"{name}\n")
        self.assertNotIn(name, self.listed())
        self.assertIsNone(process.poll())

    def test_new_whose_name_nobody_hears_leaves_nothing(self) -> None:
        with open("/dev/full", "wb") as full:
            for args in (["new"], ["ls"]):
                client = self.start([GLOVEBOX, "session", *args], stdout=full,
                                    stderr=subprocess.PIPE,
                                    env=dict(os.environ, **self.env()))  # fmt: skip
                _, err = client.communicate()
                self.assertEqual((client.returncode, err.count(b"\n")), (125, 1), err)
                self.assertIn(b"No space left on device", err)
        self.assertEqual(self.listed(), {})

    def test_new_makes_a_name(self) -> None:
        names = {self.new() for _ in range(3)}
        self.assertEqual(set(self.listed()), names)
        self.assertEqual(len(names), 3)

    def test_new_takes_the_image_of_the_supervisor(self) -> None:
        name = self.assert_status(self.session("new")).out.strip()
        self.assertEqual(self.does(name, "1"), "1")
        self.assert_status(self.session("rm", name))

    def test_ls_counts(self) -> None:
        name = self.new()
        self.assertEqual([self.does(name, "1") for _ in range(3)], ["1"] * 3)
        self.assert_status(self.session("checkpoint", name))
        one = self.listed()[name]
        self.assertEqual((one["calls"], one["checkpoints"]), (4, 1))
        self.assertGreaterEqual(one["age_ms"], one["idle_ms"])

    def test_ls_takes_nothing(self) -> None:
        self.assert_refused(self.session("ls", "x"), "x")

    def test_rm_of_several(self) -> None:
        names = [self.new() for _ in range(3)]
        self.assert_status(self.session("rm", *names))
        self.assertEqual(self.listed(), {})
        for name in names:
            self.assert_refused(self.call(name, "1"), message("client_no_session", name))

    def test_rm_of_one_that_has_ended_says_so_and_is_content(self) -> None:
        name = self.new()
        self.call(name, "import os; os.kill(os.getpid(), 9)")
        said = self.assert_status(self.session("rm", name))
        self.assertIn(f"the session {name} ", said.err)
        self.assert_refused(self.session("rm", name), message("sessions_no_session#there", name))

    def test_rm_of_one_that_is_not_there_still_ends_the_others(self) -> None:
        name = self.new()
        refused = self.session("rm", "nosuch", name)
        self.assert_refused(refused, message("client_no_session", "nosuch"), "session ls")
        self.assertEqual(self.listed(), {})
        self.assert_refused(self.session("rm"), message("session_rm"))

    def test_unknown_flag_of_a_new_one(self) -> None:
        said = self.assert_refused(self.session("new", "--branches", "x"), "flag: --branches")
        self.assertIn("Run 'glovebox session --help'", said.err)
        self.assertNotIn("run --help", said.err)

    def test_unknown_name_is_named(self) -> None:
        for name in ("nosuch", "", "x" * 5000, 'a"b\n'):
            self.assert_refused(self.call(name, "1"), message("client_no_session"), name[:50].strip())
        for args in (["files"], ["delete", "p"], ["checkpoint"], ["rollback"]):
            said = self.session(args[0], "nosuch", *args[1:])
            self.assert_refused(said, message("client_no_session", "nosuch"))

    def test_name_that_is_taken_is_refused_and_leaves_nothing(self) -> None:
        name = self.new("--name", "taken")
        self.does(name, "kept = 1")
        refused = self.session("new", "--name", "taken", "host")
        self.assert_refused(refused, message("sessions_keep#already", "taken"))
        self.assertEqual(self.does(name, "kept"), "1")
        self.settled()
        left = wait_until(lambda: len(self.parked(self.supervisor)) == 3)
        self.assertTrue(left, "a cell stays beside the pool and the session")
        self.assert_status(self.session("rm", name))
        self.assertTrue(wait_until(lambda: len(self.parked(self.supervisor)) == 2))

    def test_name_that_is_free_again(self) -> None:
        name = self.new("--name", "again")
        self.does(name, "n = 1")
        self.assert_status(self.session("rm", name))
        self.assertEqual(self.does(self.new("--name", "again"), "'n' in dir()"), "False")

    def test_name_that_is_too_long(self) -> None:
        self.assert_refused(self.session("new", "--name", "x" * 64, "host"), message("client_check_new_name", 63))
        self.assertEqual(self.new("--name", "x" * 63), "x" * 63)

    def test_name_of_other_characters(self) -> None:
        for name in ("", "a b", "../x", "a/b", "-x", "a\nb", 'a"b', "é"):
            self.assert_refused(self.session("new", f"--name={name}", "host"), "--name")

    def test_flags_of_runs_only(self) -> None:
        for flags in (["-i"], ["-t"], ["--json"], ["--explain"], ["--output", "/tmp"],
                      ["--code", "f"], ["--result-file", "f"], ["--cidfile", "f"],
                      ["--label", "a=b"], ["--entrypoint", "sh"], ["--stop-timeout", "1s"],
                      ["--stop-signal", "SIGINT"], ["--quiet"], ["--warm=never"]):  # fmt: skip
            self.assert_refused(self.session("new", *flags, "host"), flags[0])
        for flag in ("--timeout=1s", "--output-limit=100"):
            refused = self.session("new", flag, "host")
            self.assert_refused(refused, flag.split("=")[0], "session exec")
        self.assert_refused(self.session("new", "host", "python3"), message("session_make_spec"))
        self.assert_refused(self.session("new", "--ttl", "soon"), "--ttl")

    def test_mount_on_its_workspace(self) -> None:
        refused = self.session("new", "-v", f"{self.folder}:/workspace", "host")
        self.assert_refused(refused, message("session_spec_check_flags#workspace", "/workspace"))

    def test_flags_that_need_a_cold_run(self) -> None:
        refused = self.session("new", "--ulimit", "nofile=10", "host")
        self.assert_refused(refused, message("opening_has_no_cell"), "--ulimit")

    def test_environment(self) -> None:
        name = self.new("-e", "MINE=ours")
        self.assertEqual(self.does(name, "import os; os.environ['MINE'], os.getcwd()"),
                         "('ours', '/workspace')")  # fmt: skip

    def test_idle_ends_it(self) -> None:
        name = self.new("--idle", "1s")
        self.assertTrue(wait_until(lambda: name not in self.listed()), "it stays")
        self.assert_over(name, message("kept_session_why_over#idle"))

    def test_ttl_ends_it_during_a_call_too(self) -> None:
        name = self.new("--ttl", seconds(2))
        client = self.begin(name, ENDLESS)
        self.assert_lost(self.end(client), message("kept_session_why_over#reached"))
        self.assert_over(name, message("kept_session_why_over#reached"))

    def test_twenty_sessions_are_independent(self) -> None:
        names = parallel(lambda _: self.new(), range(20))
        self.assertEqual(set(self.listed()), set(names))
        parallel(lambda i: self.does(names[i], f"n = {i}; open('f{i}', 'w')"), range(20))
        for i in (3, 7):
            self.assert_lost(self.call(names[i], "import os; os._exit(0)"))
        code = "import os; n, os.listdir()"
        left = [i for i in range(20) if i not in (3, 7)]
        said = parallel(lambda i: self.does(names[i], code), left)
        self.assertEqual(said, [f"({i}, ['f{i}'])" for i in left])


    def test_more_sessions_than_a_user_may_have_keys(self) -> None:
        """A keyring for each cell once ended the nursery at 200 (kernel.keys.maxkeys)."""
        names = parallel(lambda _: self.new(), range(230))
        self.assertEqual(set(self.listed()), set(names))
        self.assert_prints("2", self.call(names[0], "1 + 1"))


class Files(Sessions):
    """files, put, get and delete."""

    as_user = True

    def setUp(self) -> None:
        super().setUp()
        self.name = self.new()

    def put(self, content: bytes, path: str) -> Result:
        """Copy bytes in."""
        return self.session("put", self.name, "-", path, stdin=content)

    def get(self, path: str) -> Result:
        """Copy a file out, to our stdout."""
        return self.session("get", self.name, path, "-")

    def files(self, *args: str) -> dict[str, dict[str, Any]]:
        """Return what `session files` lists, by path."""
        said = self.assert_status(self.session("files", "--json", self.name, *args))
        self.assertEqual((said.out.count("\n"), said.err), (1, ""))
        return {one["path"]: one for one in json.loads(said.out)}

    def test_new_session_has_none(self) -> None:
        self.assertEqual(self.files(), {})

    def test_binary_content_goes_in_and_out(self) -> None:
        content = bytes(range(256)) * 8192
        local, back = self.file("local", content), self.folder / "back"
        self.assert_status(self.session("put", self.name, local, "in"))
        self.assertEqual(self.does(self.name, "import os; d = open('in', 'rb').read(); len(d)"),
                         str(len(content)))  # fmt: skip
        self.does(self.name, "n = open('out', 'wb').write(d[::-1])")
        self.assert_status(self.session("get", self.name, "out", back))
        self.assertEqual(back.read_bytes(), content[::-1])
        self.assertEqual(self.assert_status(self.get("in")).stdout, content)

    def test_empty_file(self) -> None:
        self.assert_status(self.put(b"", "empty"))
        self.assertEqual(self.assert_status(self.get("empty")).stdout, b"")
        self.assertEqual(self.files()["empty"]["size"], 0)

    def test_put_makes_directories_and_replaces(self) -> None:
        self.assert_status(self.put(b"one", "a/b/file"))
        self.assert_status(self.put(b"three", "/workspace/a/b/file"))
        self.assertEqual(self.does(self.name, "open('a/b/file').read()"), "'three'")
        found = self.files()
        self.assertEqual(set(found), {"a", "a/b", "a/b/file"})
        self.assertEqual((found["a"]["type"], found["a/b/file"]["size"]), ("directory", 5))
        self.assertEqual(len(self.files("a/b")), 1)

    def test_what_was_put_belongs_to_the_code(self) -> None:
        self.assert_status(self.put(b"1", "d/file"))
        self.does(self.name, "import os; n = open('d/file', 'a').write('2'); os.rename('d', 'e')")
        self.assertEqual(self.get("e/file").out, "12")

    def test_missing(self) -> None:
        self.assert_refused(self.get("nosuch"), "nosuch", message("files_answer_error#such"))
        self.assert_refused(self.session("delete", self.name, "nosuch"), message("files_answer_error#such"))
        self.assert_refused(self.session("files", self.name, "nosuch"), "nosuch")
        missing = self.folder / "nosuch"
        self.assert_refused(self.session("put", self.name, missing, "x"), "nosuch", "No such file")
        self.assertEqual(self.files(), {})

    def test_get_that_fails_keeps_the_local_file(self) -> None:
        local = self.file("local", "precious")
        self.assert_refused(self.session("get", self.name, "nosuch", local))
        self.assertEqual(local.read_text(), "precious")

    def test_directory(self) -> None:
        self.assert_status(self.put(b"1", "d/file"))
        self.assert_refused(self.get("d"), "d: a directory")
        self.assert_refused(self.put(b"1", "d"), "directory")
        self.assert_refused(self.put(b"1", "d/file/x"))
        self.assert_status(self.session("delete", self.name, "d"))
        self.assertEqual(self.files(), {})

    def test_links_are_not_followed(self) -> None:
        code = "import os; os.symlink('/etc/passwd', 'file'); os.symlink('/etc', 'dir')"
        self.does(self.name, code + "; os.symlink('../..', 'up')")
        for path in ("file", "dir/passwd", "up/etc/passwd"):
            self.assert_refused(self.get(path), "link")
        for path in ("dir/new", "up/new"):
            self.assert_refused(self.put(b"x", path), "link")
            self.assert_refused(self.session("delete", self.name, path), "link")
        self.assertEqual(self.files()["file"]["target"], "/etc/passwd")
        self.assertEqual(set(self.files()), {"file", "dir", "up"})

    def test_put_replaces_a_link_and_not_its_target(self) -> None:
        self.does(self.name, "n = open('target', 'w').write('old')\nimport os\n"
                  "os.symlink('target', 'link')")  # fmt: skip
        self.assert_status(self.put(b"new", "link"))
        self.assertEqual((self.get("target").out, self.get("link").out), ("old", "new"))

    def test_delete_removes_links_and_not_what_they_name(self) -> None:
        code = "import os; os.mkdir('d'); open('d/f', 'w').close(); os.mkdir('t')"
        self.does(self.name, code + "; os.symlink('../d', 't/l')")
        self.assert_status(self.session("delete", self.name, "t"))
        self.assertEqual(set(self.files()), {"d", "d/f"})

    def test_things_that_are_no_files(self) -> None:
        self.does(self.name, "import os; os.mkfifo('fifo')")
        self.assert_refused(self.get("fifo"), "fifo")
        self.assert_status(self.session("delete", self.name, "fifo"))

    def test_paths_that_lead_elsewhere(self) -> None:
        for path in ("../x", "a/../../x", "/etc/passwd", "/", "", ".", "/workspace", "/workspacex"):
            self.assert_refused(self.put(b"x", path))
            self.assert_refused(self.get(path))
            self.assert_refused(self.session("delete", self.name, path))
        for path in ("x" * 300, "a/" * 3000 + "x"):
            self.assert_refused(self.put(b"x", path))
        self.assertEqual(self.files(), {})

    def test_names_that_are_hostile(self) -> None:
        names = [b"a\nb", b"\x1b[31m", b"\xff\xfe", b'"quoted"', b"-rf", b" ", b"$(id)", b"x" * 255]
        self.does(self.name, f"for n in {names!r}: open(n, 'wb').write(n) and None")
        self.assertEqual(len(self.files()), len(names))
        for name in (b'"quoted"', b"-rf", b" ", b"$(id)", b"x" * 255):
            self.assertEqual(self.assert_status(self.get(name.decode())).stdout, name)
        for name in names:
            self.assert_status(self.session("delete", self.name, os.fsdecode(name)))
        self.assertEqual(self.files(), {})

    def test_workspace_that_is_full(self) -> None:
        code = "try:\n  with open('big', 'wb') as f:\n    while f.write(bytes(1 << 20)): pass\n"
        self.does(self.name, code + "except OSError: pass")
        self.assert_refused(self.put(bytes(1 << 20), "more"), "No space")
        self.assert_status(self.session("delete", self.name, "big"))
        self.assert_status(self.put(b"1", "more"))

    def test_volumes_are_listed_and_left_alone(self) -> None:
        volume, single = self.folder / "volume", self.file("single", "ours")
        volume.mkdir()
        (volume / "f").write_text("ours")
        give_away(volume, volume / "f", single)
        self.name = self.new("-v", f"{volume}:/workspace/sub/data", "-v", f"{single}:/workspace/one")
        self.assertEqual(set(self.files()), {"sub", "sub/data", "one"})
        mounted = message("files_answer_error#mounted")
        for path in ("sub/data", "one", "sub", "sub/data/f"):
            self.assert_refused(self.session("delete", self.name, path), path, mounted)
        self.assert_refused(self.put(b"x", "one"), "one", mounted)
        self.assert_refused(self.session("files", self.name, "sub/data"), "sub/data", mounted)
        self.assertEqual(self.does(self.name, "open('sub/data/f').read() + open('one').read()"), "'oursours'")

    def test_no_process_is_left_for_it(self) -> None:
        name = self.new("--pids-limit", "20")
        code = "import subprocess as s\nwhile True:\n  try: p = s.Popen(['sleep', '1000'])\n  except OSError: break"
        self.does(name, code)
        for args in (["files", name], ["get", name, "x", "-"], ["delete", name, "x"]):
            self.assert_refused(self.session(*args), "--pids-limit")
        self.assert_refused(self.session("put", name, "-", "x", stdin=b"x"), "--pids-limit")
        self.does(name, "s.run(['true']) if 0 else p.kill() or p.wait() and None")
        self.assert_status(self.session("put", name, "-", "x", stdin=b"x"))

    def test_code_that_kills_what_reaches_for_its_files(self) -> None:
        """The file is the old one or the new, nothing waits, and what is said is an error."""
        self.assert_status(self.put(b"old" * 100_000, "file"))
        code = "import os, threading\nover = False\ndef kill():\n  while not over:\n    try: os.kill(-1, 9)\n    except OSError: pass"
        self.does(self.name, code + "\nt = threading.Thread(target=kill, daemon=True); t.start()")
        results = [self.put(b"new" * 100_000, "file") for _ in range(20)] + [self.get("file") for _ in range(20)]
        for result in results:
            if result.status:
                self.assert_refused(result, message("files_judge#killed"))
        self.does(self.name, "over = True; t.join()")
        self.assertIn(self.assert_status(self.get("file")).stdout, (b"old" * 100_000, b"new" * 100_000))

    def test_wrong_number_of_arguments(self) -> None:
        for args in (["put", "x"], ["get", "x", "y"], ["delete", "x"], ["files"], ["put", *"abcd"]):
            self.assert_refused(self.session(*args), f"session {args[0]} NAME")

    def test_nobody_waits_for_our_reader(self) -> None:
        """It has read the first byte; the rest is more than a pipe holds."""
        self.does(self.name, "n = open('big', 'w').write('x' * 1_000_000)")
        self.does(self.name, "for i in range(2000): open(f'{i:0200}', 'w').close()")
        for args in (["get", self.name, "big", "-"], ["files", self.name]):
            ours, theirs = os.pipe()
            self.addCleanup(os.close, ours)
            self.start([GLOVEBOX, "session", *args], stdout=theirs,
                       env=dict(os.environ, **self.env()))  # fmt: skip
            os.close(theirs)
            os.read(ours, 1)
            self.assert_prints("1", self.call(self.name, "1", "--timeout", seconds(5)))

    def test_nobody_waits_for_who_writes_to_us(self) -> None:
        """It has said a byte, and goes on when the session has served somebody else."""
        command = [GLOVEBOX, "session", "put", self.name, "-", "slow"]
        client = self.start(command, stdin=subprocess.PIPE, env=dict(os.environ, **self.env()))
        client.stdin.write(b"a")
        client.stdin.flush()
        for _ in range(20):
            self.assert_prints("1", self.call(self.name, "1", "--timeout", seconds(5)))
        client.communicate(b"b" * 100_000)
        self.assertEqual(client.returncode, 0)
        self.assert_prints("100001", self.call(self.name, "len(open('slow').read())"))

    def test_nobody_waits_for_our_file(self) -> None:
        client = self.begin(self.name, READY)
        missing = self.folder / "nosuch"
        self.assert_refused(self.session("put", self.name, missing, "x"), "nosuch", "No such file")
        client.send_signal(signal.SIGINT)
        self.end(client)

    def test_reader_that_leaves_keeps_the_session(self) -> None:
        self.does(self.name, "n = open('big', 'w').write('x' * 10_000_000)")
        ours, theirs = os.pipe()
        os.close(ours)
        client = self.start([GLOVEBOX, "session", "get", self.name, "big", "-"], stdout=theirs,
                            env=dict(os.environ, **self.env()))  # fmt: skip
        os.close(theirs)
        client.wait()
        self.assertEqual(self.does(self.name, "n"), "10000000")


class Marking(Sessions):
    """A test that makes checkpoints."""

    name: str

    def mark(self, *name: str) -> None:
        """Make a checkpoint."""
        said = self.assert_status(self.session("checkpoint", self.name, *name))
        self.assertEqual((said.out, said.err), ("", ""))

    def back(self, *name: str) -> None:
        """Return to one."""
        said = self.assert_status(self.session("rollback", self.name, *name))
        self.assertEqual((said.out, said.err), ("", ""))


class Checkpoints(Marking):
    """checkpoint and rollback."""

    as_user = ("test_files_come_back_each_time", "test_processes_that_were_started_since_are_gone")

    def setUp(self) -> None:
        super().setUp()
        self.name = self.new()

    def test_variables_come_back_each_time(self) -> None:
        self.does(self.name, "n = [1]; import json")
        self.mark("before")
        self.assertEqual(self.does(self.name, "n"), "[1]")
        for _ in range(3):
            self.does(self.name, "n.append(2); m = 1; json.x = 1")
            self.assertEqual(self.does(self.name, "n"), "[1, 2]")
            self.back("before")
            said = self.does(self.name, "n, 'm' in dir(), hasattr(json, 'x')")
            self.assertEqual(said, "([1], False, False)")

    def test_name_that_is_no_text_is_refused_and_loses_nothing(self) -> None:
        self.does(self.name, "v = 1")
        for name in ("\udcff" * 30, "caf\udce9"):
            said = self.session("checkpoint", self.name, name)
            self.assertEqual(self.does(self.name, "v"), "1")
            self.assert_refused(said, message("notebook_use_check_name#UTF"))
            self.assert_refused(self.session("rollback", self.name, name), message("notebook_use_check_name#UTF"))
            self.assert_refused(self.call(name, "1"), message("client_no_session"))
        for name in ("café", "\"\x01\x7f" * 21, "é" * 31):
            self.mark(name)
            self.back(name)
        self.assertEqual(self.does(self.name, "v"), "1")

    def test_files_come_back_each_time(self) -> None:
        code = "import os; os.mkdir('d'); n = open('d/f', 'w').write('old'); os.symlink('f', 'd/l')"
        self.does(self.name, code + "; os.chmod('d/f', 0o640)")
        self.mark()
        for _ in range(2):
            self.does(self.name, "import shutil; shutil.rmtree('d'); open('new', 'w').close()")
            self.assert_status(self.session("put", self.name, "-", "put", stdin=b"1"))
            self.back()
            code = "[(p, sorted(f)) for p, _, f in os.walk('.')], oct(os.stat('d/l').st_mode)"
            self.assertEqual(self.does(self.name, code),
                             "([('.', []), ('./d', ['f', 'l'])], '0o100640')")  # fmt: skip
            self.assertEqual(self.session("get", self.name, "d/f", "-").out, "old")

    def test_processes_that_were_started_since_are_gone(self) -> None:
        self.mark()
        for _ in range(2):
            marker = unique()
            shell = f"trap '' TERM; sleep 1000; : {marker}"
            code = f"p = s.Popen(['sh', '-c', {shell!r}], start_new_session=True)"
            self.does(self.name, "import subprocess as s; " + code)
            self.assertTrue(wait_until(lambda marker=marker: marked(marker)))
            self.back()
            self.assert_gone(marker)
            self.assertEqual(self.does(self.name, "'p' in dir()"), "False")

    def test_several_are_independent(self) -> None:
        for n in (1, 2, 3):
            self.does(self.name, f"n = {n}")
            self.mark(f"c{n}")
        for n in (3, 3, 2, 2, 1):
            self.back(f"c{n}")
            self.assertEqual(self.does(self.name, "n"), str(n))
            self.assertEqual(self.listed()[self.name]["checkpoints"], n)

    def test_those_made_later_end_with_what_is_forgotten(self) -> None:
        self.mark("early")
        self.does(self.name, "n = 2")
        self.mark("late")
        self.back("early")
        self.assert_refused(self.session("rollback", self.name, "late"), message("checkpointing_return", '"late"'))
        self.mark("late")
        self.back("early")
        self.back("early")

    def test_one_of_hostile_code_does_not_outlive_a_rollback(self) -> None:
        """However it would wake itself up: it has the channel, and could answer for the session."""
        self.mark("a")
        self.does(self.name, LURKER)
        self.mark("b")
        self.back("a")
        self.assert_status(self.session("put", self.name, "-", "go", stdin=b""))
        for _ in range(3):
            self.assertEqual(self.does(self.name, "6 * 7"), "42")

    def test_what_was_left_in_the_channel_is_not_for_who_comes_back(self) -> None:
        self.mark("a")
        self.call(self.name, EARLY)
        self.call(self.name, "1")
        self.back("a")
        self.assertEqual(self.does(self.name, "6 * 7"), "42")

    def test_one_can_be_made_after_a_rollback(self) -> None:
        self.does(self.name, "n = 1")
        self.mark("a")
        self.back("a")
        self.does(self.name, "n = 2")
        self.mark("b")
        self.does(self.name, "n = 3")
        self.back("b")
        self.assertEqual(self.does(self.name, "n"), "2")

    def test_session_can_be_interrupted_after_a_rollback(self) -> None:
        self.does(self.name, "n = 1")
        self.mark()
        self.back()
        self.assert_status(self.call(self.name, READY, "--timeout=200ms"), 124)
        self.assertEqual(self.does(self.name, "n"), "1")

    def test_session_ends_with_its_code_after_a_rollback(self) -> None:
        self.mark()
        self.back()
        self.assert_lost(self.call(self.name, "import os; os._exit(0)"), "ended")
        self.assert_over(self.name, OVER)

    def test_unknown_one_changes_nothing(self) -> None:
        self.does(self.name, "n = 1")
        self.assert_refused(self.session("rollback", self.name), message("checkpointing_return", '"default"'))
        self.mark("there")
        self.assert_refused(self.session("rollback", self.name, "nosuch"), message("checkpointing_return", '"nosuch"'))
        self.assertEqual(self.does(self.name, "n"), "1")

    def test_ninth_is_refused(self) -> None:
        for n in range(8):
            self.does(self.name, f"n = {n}")
            self.mark(f"c{n}")
        refused = self.session("checkpoint", self.name, "c8")
        self.assert_refused(refused, message("checkpointing_make#room", '"c8"', 8))
        self.assertEqual(self.listed()[self.name]["checkpoints"], 8)
        for n in (7, 0):
            self.back(f"c{n}")
            self.assertEqual(self.does(self.name, "n"), str(n))

    def test_name_that_is_taken_or_too_long(self) -> None:
        self.mark("one")
        refused = self.session("checkpoint", self.name, "one")
        self.assert_refused(refused, message("checkpointing_make#session", '"one"'))
        for name in ("", "x" * 64):
            refused = self.session("checkpoint", self.name, name)
            self.assert_refused(refused, message("notebook_use_check_name#bytes", 63))
        self.mark("x" * 63)
        self.back("x" * 63)

    def test_name_with_any_characters(self) -> None:
        for name in ("a b", '"', "../x", "é\n"):
            self.mark(name)
            self.back(name)

    def test_code_in_a_thread_is_not_in_the_copy(self) -> None:
        self.does(self.name, "import threading; t = threading.Event(); n = 1\n"
                  "threading.Thread(target=t.wait, name='beat', daemon=True).start()")  # fmt: skip
        said = self.assert_status(self.session("checkpoint", self.name))
        self.assertRegex(said.err, message("threads_warn", "1 thread of beat"))
        self.does(self.name, "n = 2")
        refused = self.session("rollback", self.name)
        self.assert_refused(refused, message("threads_refuse", "1 thread of beat"))
        self.assertEqual(self.does(self.name, "n, threading.active_count()"), "(2, 2)")
        self.assert_status(self.session("rollback", "--force", self.name))
        self.assertEqual(self.does(self.name, "n, threading.active_count()"), "(1, 1)")
        self.mark("without")
        self.back("without")

    def test_pool_of_threads_is_made_anew(self) -> None:
        self.does(self.name, "from concurrent.futures import ThreadPoolExecutor; pool = ThreadPoolExecutor(4)")
        use = "pool.submit(abs, -3).result()"
        self.assertEqual(self.does(self.name, use), "3")
        said = self.assert_status(self.session("checkpoint", "--json", self.name)).json
        self.assertEqual(said["threads"], [{"name": "ThreadPoolExecutor", "count": 1, "remade": True}])
        for _ in range(2):
            self.back()
            self.assertEqual(self.does(self.name, use), "3")


class KeptFiles(Marking):
    """What a checkpoint keeps of /workspace, and what else belongs to it."""

    as_user = (
        "test_modes_are_in_nobodys_way",
        "test_times_links_holes_and_pipes",
        "test_directories_of_any_depth",
    )

    def setUp(self) -> None:
        super().setUp()
        self.name = self.new()
        self.does(self.name, "import os")

    def says(self, code: str, wanted: object) -> None:
        """Assert that code has a value."""
        self.assertEqual(self.does(self.name, code), repr(wanted))

    def test_open_file_goes_on_where_it_was(self) -> None:
        self.does(self.name, "log = open('log', 'a'); n = log.write('one\\n'); log.flush()")
        self.mark()
        for _ in range(2):
            self.does(self.name, "n = log.write('two\\n'); log.flush()")
            self.back()
            self.does(self.name, "n = log.write('three\\n'); log.flush()")
            self.says("open('log').read()", "one\nthree\n")
            self.says("os.fstat(log.fileno()).st_nlink", 1)

    def test_open_file_that_was_replaced(self) -> None:
        self.does(self.name, "f = open('f', 'w+'); n = f.write('old'); f.flush()")
        self.does(self.name, "os.mkdir('d'); g = open('d/g', 'w'); h = os.dup(g.fileno())")
        self.mark()
        code = "n = open('new', 'w').write('new'); os.replace('new', 'f'); import shutil; shutil.rmtree('d')"
        for _ in range(2):
            self.does(self.name, code)
            self.back()
            self.does(self.name, "n = f.write('er'), g.write('g'), f.flush(), g.flush(), os.write(h, b'h')")
            self.says("open('f').read(), open('d/g').read()", ("older", "h"))

    def test_offset_is_that_of_the_checkpoint(self) -> None:
        self.does(self.name, "n = open('d', 'w').write('012345678'); f = open('d', 'rb', 0); g = f.read(2)")
        self.mark()
        for _ in range(2):
            self.does(self.name, "n = f.read(5)")
            self.back()
            self.says("f.tell(), f.read(2)", (2, b"23"))

    def test_database_that_is_open(self) -> None:
        code = "import sqlite3; db = sqlite3.connect('/workspace/db'); c = db.execute('create table t (n)')"
        self.does(self.name, code + "; c = db.execute('insert into t values (1)'); db.commit()")
        self.mark()
        for _ in range(2):
            self.does(self.name, "c = db.execute('delete from t'); db.commit()")
            self.back()
            self.does(self.name, "c = db.execute('insert into t values (2)'); db.commit()")
            self.says("db.execute('select * from t').fetchall()", [(1,), (2,)])

    def test_mapped_file(self) -> None:
        code = "import mmap; f = open('m', 'wb+'); f.truncate(4096); m = mmap.mmap(f.fileno(), 0); m[0] = 1"
        self.does(self.name, code)
        self.mark()
        self.does(self.name, "m[0] = 2; m[1] = 2")
        self.back()
        self.says("m[:2], open('m', 'rb').read(2)", (b"\1\0", b"\1\0"))

    def test_current_directory(self) -> None:
        self.does(self.name, "os.mkdir('sub'); os.chdir('sub')")
        self.mark()
        for change in ("os.chdir('/tmp')", "os.chdir('..'); os.unlink('sub/new'); os.rmdir('sub')"):
            self.does(self.name, change)
            self.back()
            self.does(self.name, "open('new', 'w').close()")
            self.says("os.getcwd(), os.listdir()", ("/workspace/sub", ["new"]))

    def test_current_directory_that_has_no_name(self) -> None:
        self.does(self.name, "os.mkdir('sub'); os.chdir('sub'); os.rmdir('/workspace/sub'); n = 1")
        self.mark()
        self.does(self.name, "n = 2; os.chdir('/')")
        self.back()
        self.says("n", 1)

    def test_times_links_holes_and_pipes(self) -> None:
        code = """
os.mkdir('d'); open('d/a', 'w').write('text'); os.link('d/a', 'b'); os.mkfifo('p')
with open('s', 'w') as f: f.truncate(300 << 20); f.seek(100 << 20); f.write('x' * 5000)
os.symlink('nowhere', 'l')
for n in ('d/a', 'p', 's', 'l', 'd', '.'): os.utime(n, ns=(10 ** 9, 123456789), follow_symlinks=False)
def look(n):
    s = os.lstat(n)
    return n, oct(s.st_mode), s.st_mtime_ns, s.st_nlink, s.st_size, s.st_blocks
def look_at_all(): return [look(n) for n in ('d/a', 'b', 'p', 's', 'l', 'd', '.')]
before = look_at_all()
"""
        self.does(self.name, code)
        self.mark()
        changes = (
            "n = open('b', 'a').write('more'); os.truncate('s', 5); os.utime('p')",
            "import shutil; shutil.rmtree('d'); os.unlink('p'); os.unlink('s'); os.unlink('l')",
            "os.unlink('b'); os.mkdir('b'); os.rename('d/a', 'p'); os.rmdir('d'); open('d', 'w').close()",
        )
        for change in changes:
            self.does(self.name, change)
            self.back()
            self.says("look_at_all() == before, before[3][4]", (True, 300 << 20))
            self.says("os.path.samefile('d/a', 'b'), open('b').read()", (True, "text"))

    def test_modes_are_in_nobodys_way(self) -> None:
        code = """
def make(name, mode):
    os.makedirs(name + '/e'); open(name + '/e/x', 'w').write('x')
    for path in (name + '/e/x', name + '/e', name): os.chmod(path, mode)
for mode in (0o500, 0o555, 0o300, 0): make('old%o' % mode, mode)
os.chmod('.', 0o300)
"""
        look = """
def look(name):
    modes = []
    for path in (name, name + '/e', name + '/e/x'):
        modes.append(oct(os.stat(path).st_mode & 0o777)); os.chmod(path, 0o700)
    return modes, open(path).read()
"""
        self.does(self.name, code + look)
        self.mark()
        for change in ("for mode in (0o500, 0o300, 0): make('new%o' % mode, mode)", "look('old0'); os.unlink('old0/e/x')"):
            self.does(self.name, change)
            self.back()
            self.says("oct(os.stat('.').st_mode & 0o777)", "0o300")
            for mode in ("0o0", "0o300", "0o500", "0o555"):
                self.says(f"look('old{mode[2:]}')", ([mode] * 3, "x"))
            self.does(self.name, "os.chmod('.', 0o700)")
            self.says("len(os.listdir())", 4)
            self.back()

    def test_directories_of_any_depth(self) -> None:
        code = "for i in range(3000): os.mkdir('a' * 20); os.chdir('a' * 20)\nopen('end', 'w').close(); os.chdir('/workspace')"
        self.does(self.name, code)
        self.mark()
        self.does(self.name, "os.rename('a' * 20, 'b')\n" + code)
        self.back()
        self.says("os.listdir()", ["a" * 20])
        self.does(self.name, "for i in range(3000): os.chdir('a' * 20)")
        self.says("os.listdir()", ["end"])

    def test_full_workspace_comes_back_whole(self) -> None:
        fill = "try:\n  with open({!r}, 'wb') as f:\n    while f.write(bytes(1 << 20)): pass\nexcept OSError: pass"
        self.name = self.new("--memory", "2g")
        self.does(self.name, "import os\n" + fill.format("z"))
        self.mark()
        self.does(self.name, "size = os.path.getsize('z'); os.unlink('z')\n" + fill.format("a"))
        self.back()
        self.says("os.listdir(), os.path.getsize('z') > 250 << 20", (["z"], True))

    def test_every_place_in_memory_is_kept(self) -> None:
        self.name = self.new("--tmpfs", "/scratch", "--tmpfs", "/workspace/below")
        code = """
import os
places = [os.path.expanduser("~"), "/tmp", "/dev/shm", "/scratch", "/workspace/below"]
def write(text): return [open(p + "/f", "w").write(text) for p in places]
write("old")
"""
        self.does(self.name, code)
        self.mark()
        self.does(self.name, "write('new'); n = [open(p + '/g', 'w').close() for p in places]")
        self.back()
        self.says("[(open(p + '/f').read(), os.path.exists(p + '/g')) for p in places]", [("old", False)] * 5)


class KeptMounts(Marking):
    """Volumes below /workspace are the host's: a rollback leaves them alone."""

    as_user = True

    def setUp(self) -> None:
        super().setUp()
        self.volume = self.folder / "volume"
        (self.volume / "sub").mkdir(parents=True)
        (self.volume / "precious").write_text("precious")
        (self.volume / "sub/two").write_text("2")
        self.single = self.file("single.csv", "a,b\n")
        give_away(self.volume, *self.volume.rglob("*"), self.single)

    def volumes(self, options: str) -> tuple[str, ...]:
        """Return flags that mount them in several places."""
        places = (f"{self.volume}:/workspace/data", f"{self.volume}:/workspace/deep/down/data",
                  f"{self.single}:/workspace/single.csv", f"{self.volume}:/tmp")  # fmt: skip
        return tuple(word for place in places for word in ("-v", place + options))

    def assert_whole(self) -> None:
        """Assert that nothing is gone, here or inside."""
        found = {str(p.relative_to(self.volume)): p.is_dir() or p.read_text() for p in self.volume.rglob("*")}
        self.assertEqual(found, {"precious": "precious", "sub": True, "sub/two": "2"})
        self.assertEqual(self.single.read_text(), "a,b\n")
        code = "open('data/sub/two').read(), open('deep/down/data/precious').read(), open('single.csv').read(), open('/tmp/sub/two').read()"
        self.assertEqual(self.does(self.name, code), "('2', 'precious', 'a,b\\n', '2')")

    def test_volumes_survive_a_rollback(self) -> None:
        for options in ("", ":ro"):
            self.name = self.new(*self.volumes(options))
            self.does(self.name, "import os; n = open('deep/mine', 'w').write('1')")
            self.mark()
            for _ in range(2):
                self.does(self.name, "os.unlink('deep/mine'); os.mkdir('deep/down/more'); n = 5")
                self.back()
                self.assert_whole()
                said = self.does(self.name, "n, sorted(os.listdir('deep')), os.listdir('deep/down')")
                self.assertEqual(said, "(1, ['down', 'mine'], ['data'])")

    def test_volume_in_a_directory_that_was_moved(self) -> None:
        self.name = self.new(*self.volumes(""))
        self.mark()
        self.does(self.name, "import os; os.rename('deep', 'moved')")
        self.back()
        found = sorted(p.name for p in self.volume.rglob("*"))
        self.assertEqual(found, ["precious", "sub", "two"])
        self.assertEqual(self.does(self.name, "open('moved/down/data/precious').read()"), "'precious'")


class KeptSessions(Marking):
    """A checkpoint or a rollback that cannot be is said in one line, and the session goes on."""

    as_user = ("test_no_process_for_a_checkpoint", "test_rollback_while_processes_multiply")

    def setUp(self) -> None:
        super().setUp()
        self.name = self.new()
        self.does(self.name, "import os\nv = 1")

    def assert_no(self, said: Result, *words: str | re.Pattern[str]) -> None:
        """Assert that it was refused and that nothing else has happened."""
        self.assert_refused(said, *words)
        self.assertEqual(said.err.count("\n"), 1, said.err)
        self.assertEqual(self.does(self.name, "v"), "1")

    def test_no_process_for_a_checkpoint(self) -> None:
        code = """
import threading
stop = threading.Event()
threads = []
try:
    while len(threads) < 100:
        threads.append(threading.Thread(target=stop.wait, daemon=True)); threads[-1].start()
except RuntimeError: pass
"""
        self.does(self.name, code)
        self.assert_no(self.session("checkpoint", self.name), "no checkpoint: ", "unavailable")
        self.does(self.name, "stop.set()\nfor t in threads[:-1]: t.join()")
        self.mark()

    def test_no_process_at_all(self) -> None:
        self.name = self.new("--pids-limit", "2")
        self.does(self.name, "v = 1")
        self.assert_no(self.session("checkpoint", self.name), "no checkpoint: ")

    def test_no_descriptor_for_a_checkpoint(self) -> None:
        hog = "held = []\ntry:\n  while True: held.append(open('/dev/null'))\nexcept OSError: pass"
        self.does(self.name, hog)
        self.assert_no(self.session("checkpoint", self.name, "no"), "Too many open files")
        for left in range(1, 8):
            self.does(self.name, "held.pop().close()")
            said = self.session("checkpoint", self.name, f"c{left}")
            if said.status:
                self.assert_no(said, "Too many open files")
            else:
                self.back(f"c{left}")
        self.assertEqual(said.status, 0)
        self.assertEqual(self.does(self.name, "v"), "1")

    def test_checkpoint_that_is_dead(self) -> None:
        self.mark("dead")
        self.does(self.name, "import signal; before = signal.signal(15, signal.SIG_IGN)")
        self.mark("alive")
        self.does(self.name, "os.kill(-1, 15)")
        self.assert_no(self.session("rollback", self.name, "dead"), message("checkpointing_step_check#ended"))
        self.does(self.name, "v = 2")
        self.back("alive")
        self.assertEqual(self.does(self.name, "v"), "1")

    def test_files_that_cannot_be_put_back(self) -> None:
        code = "n = [open(f, 'wb').write(bytes(5000)) for f in 'ab']; import resource\n"
        self.does(self.name, code + "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))")
        self.mark()
        self.does(self.name, "v = 2; os.unlink('a'); os.unlink('b'); os.mkdir('c')")
        said = self.session("rollback", self.name)
        self.assert_no(said, message("checkpointing_note_successor"), "File too large", "2 in all")
        self.assertEqual(self.does(self.name, "sorted(os.listdir())"), "['a', 'b']")

    def test_checkpoints_are_no_children_of_the_code(self) -> None:
        self.mark()
        for _ in range(2):
            said = self.does(self.name, "try: os.wait()\nexcept ChildProcessError: print('none')")
            self.assertEqual(said, "none")
            self.back()

    def test_handler_for_children_is_called_for_those_of_the_code(self) -> None:
        code = """
import signal, subprocess, time
ended = []
before = signal.signal(signal.SIGCHLD, lambda *_: ended.append(os.wait()[0]))
"""
        self.does(self.name, code)
        self.mark()
        for _ in range(2):
            self.assertEqual(self.does(self.name, "ended"), "[]")
            self.does(self.name, "p = os.fork() or os._exit(0)\nwhile not ended: time.sleep(0.01)")
            self.assertEqual(self.does(self.name, "ended == [p]"), "True")
            self.back()

    def test_rollback_while_processes_multiply(self) -> None:
        self.mark()
        self.does(self.name, "import subprocess\nh = []\ntry:\n"
                  "  while True: h.append(subprocess.Popen(['sleep', '100']))\n"
                  "except BlockingIOError: v = 2")  # fmt: skip
        self.back()
        self.assertEqual(self.does(self.name, "v"), "1")

    def test_ctrl_c_waits_for_the_end(self) -> None:
        code = "import time\nos.register_at_fork(before=lambda: (print('ready', flush=True), time.sleep(0.3)))"
        self.does(self.name, code)
        numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
        for command in ("checkpoint", "rollback"):
            for number in numbers:
                words = [GLOVEBOX, "session", command, self.name, f"c{number:d}"]
                client = self.start_ready(words, env=dict(os.environ, **self.env()))
                client.send_signal(number)
                self.assert_status(self.end(client))
                self.assertEqual(self.does(self.name, "v"), "1")
            numbers.reverse()  # those made later end at a rollback
        self.assertEqual(self.listed()[self.name]["checkpoints"], 1)

    def test_what_code_sets_or_replaces_is_not_ours(self) -> None:
        changes = (
            "import socket; socket.setdefaulttimeout(0.05)",
            "import json; json.dumps = lambda *a, **k: 'x'; json.loads = len",
            "import json; json._default_encoder = json._default_decoder = None",
            "import socket; socket.socket = socket.socketpair = socket.recv_fds = None",
            "os.fork = os.getpid = os.open = os.listdir = os.lstat = os.close = None",
            "import struct; struct.pack = struct.unpack = None",
        )
        for change in changes:
            self.name = self.new()
            self.does(self.name, "import os, time; v = 1; n = open('f', 'w').write('x')")
            self.does(self.name, change)
            self.mark()
            self.does(self.name, "v = 2; time.sleep(0.1)")
            self.back()
            self.assertEqual(self.does(self.name, "v, open('f').read()"), "(1, 'x')")


class Supervision(Speaker):
    """The supervisor ends, or there is none."""

    as_user = True

    def test_without_a_supervisor(self) -> None:
        commands = (["new"], ["new", "host"], ["ls"], ["rm", "x"], ["exec", "x", "1"],
                    ["files", "x"], ["checkpoint", "x"])  # fmt: skip
        for args in commands:
            self.assert_refused(self.session(*args), message("lease_read_refusal" if args == ["new", "host"] else "ask_finds_none"))

    def test_supervisor_that_is_killed(self) -> None:
        supervisor = self.start_warm()
        name = self.assert_status(self.session("new", "host")).out.strip()
        cells = self.parked(supervisor)
        client = self.begin(name, READY)
        os.kill(supervisor, signal.SIGKILL)
        self.assert_lost(self.end(client), message("notebook_use_returned"))
        self.assertEqual(self.assert_refused(self.call(name, "1")).err, NONE_RUNS)
        self.assert_ended(supervisor, *cells)
        self.start_warm()
        self.assert_refused(self.call(name, "1"), message("client_no_session", name))

    def test_nursery_that_is_killed(self) -> None:
        supervisor = self.start_warm()
        busy, idle = (self.assert_status(self.session("new")).out.strip() for _ in range(2))
        client = self.begin(busy, READY)
        os.kill(self.nursery(supervisor), signal.SIGKILL)
        self.assert_lost(self.end(client), message("sessions_lose"))
        for name in (busy, idle):
            self.assert_over(name, message("sessions_lose"))

    def test_stop_ends_sessions_and_leaves_nothing(self) -> None:
        supervisor = self.start_warm()
        name = self.assert_status(self.session("new", "host")).out.strip()
        self.assert_status(self.session("checkpoint", name))
        client = self.begin(name, READY)
        cells = self.parked(supervisor)
        self.assert_status(self.warm("stop"))
        self.assert_lost(self.end(client), message("notebook_use_returned"))
        self.assert_ended(*cells)
        self.assertEqual(groups(supervisor), [])

    def stopped_cell(self, supervisor: int) -> int:
        """Return pid 1 of the cell that is parked, which does nothing from now on."""
        self.settled()
        (cell,) = wait_until(lambda: self.parked(supervisor))
        for pid in (*children(cell), cell):
            os.kill(pid, signal.SIGSTOP)
        return cell

    def test_one_that_does_not_begin_is_killed(self) -> None:
        """Its pid 1 would see the end of its socket, if it could."""
        cell = self.stopped_cell(self.start_warm(pool=1))
        self.assert_refused(self.session("new", "host"), message("opening_step_root#does"))
        self.assertFalse(is_alive(cell), "it stays")

    def test_a_cell_that_does_not_fit_is_killed(self) -> None:
        cell = self.stopped_cell(self.start_warm(pool=1))
        many = [f"--volume={self.folder}:/x{number}:ro" for number in range(300)]
        self.assert_refused(self.session("new", *many, "host"), message("lease_check#more"))
        self.assert_ended(cell)

    def test_one_that_is_not_kept_leaves_no_group(self) -> None:
        supervisor = self.start_warm(pool=1)
        self.assert_status(self.session("new", "--name", "taken", "host"))
        self.settled()
        nursery = self.nursery(supervisor)
        os.kill(nursery, signal.SIGSTOP)  # it makes one cell more at most
        try:
            self.assert_refused(self.session("new", "--name", "taken", "host"), "already")
            left = {Path(folder).name for folder in groups(supervisor)}
        finally:
            os.kill(nursery, signal.SIGCONT)
        self.assertLessEqual(len(left), 2, "beside the first session's, and the one on its way")

    def test_rm_leaves_no_process_and_no_group(self) -> None:
        supervisor = self.start_warm()
        names = [self.assert_status(self.session("new", "host")).out.strip() for _ in range(3)]
        for name in names:
            self.assert_status(self.session("checkpoint", name))
        self.assert_status(self.session("rm", *names))
        self.settled()
        self.assertTrue(wait_until(lambda: len(self.parked(supervisor)) == 2))
        self.assert_status(self.warm("stop"))
        self.assert_no_groups(supervisor)
