"""The kernel for Jupyter: what its clients ask, and what code in a cell may try against it."""

import base64
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from support.jupyter import DELIMITER, Kernel, sign, wait_for_end
from support.messages import message, sentence
from support.run import GLOVEBOX, execute
from support.warm import Warm
from test_repl import PYPLOT

STUBBORN = """
import signal, time
was = signal.signal(signal.SIGINT, lambda *_: seen.append(1))
seen = []
print("ready", flush=True)
while len(seen) < 3: time.sleep(0.01)
signal.signal(signal.SIGINT, was)
"""


class KernelCase(Warm):
    """A kernel of the user's warm supervisor, and a client that listens."""

    flags: tuple[str, ...] = ("--no-workspace",)

    def setUp(self) -> None:
        super().setUp()
        self.start_warm()
        self.notebooks = self.folder / "notebooks"
        self.notebooks.mkdir()
        self.kernel = Kernel(self, self.notebooks, *self.flags, env=self.env())
        self.client = self.kernel.client
        self.client.listen()

    def error_of(self, code: str, **more: Any) -> dict[str, Any]:
        """Execute a cell that fails; return its reply, which is what was published."""
        reply, seen = self.client.execute(code, **more)
        self.assertEqual(reply["status"], "error", reply)
        published = [content for kind, content in seen if kind == "error"]
        self.assertEqual(published, [{name: reply[name] for name in ("ename", "evalue", "traceback")}])
        return reply

    def begin(self, code: str, **more: Any) -> str:
        """Start a cell that prints "ready", and return its number when it has."""
        number = self.client.send("shell", "execute_request", code=code, **more)
        for one in self.client.published(number):
            if one.type == "stream":
                return number
        raise AssertionError("it has ended")

    def interrupt(self) -> None:
        """Interrupt what runs."""
        self.assertEqual(self.client.ask("control", "interrupt_request"), {"status": "ok"})


class Cells(KernelCase):
    """What is executed, and what comes of it."""

    def test_text_values_and_errors(self) -> None:
        reply, seen = self.client.execute("import sys\nprint('h\u00e9')\nprint('e', file=sys.stderr)\n6 * 7")
        self.assertEqual((reply["status"], reply["execution_count"]), ("ok", 1))
        self.assertEqual([kind for kind, _ in seen], ["stream", "stream", "execute_result"])
        self.assertEqual(seen[0][1], {"name": "stdout", "text": "h\u00e9\n"})
        self.assertEqual(seen[2][1]["data"], {"text/plain": "42"})
        error = self.error_of("def f():\n    1 / 0\nf()")
        self.assertEqual((error["ename"], error["execution_count"]), ("ZeroDivisionError", 2))
        self.assertIn('File "<cell 2>", line 2, in f', "".join(error["traceback"]))
        self.assertEqual(self.error_of("raise SystemExit(3)")["evalue"], "3")
        self.assertEqual(self.client.execute("f.__name__")[1][0][1]["data"], {"text/plain": "'f'"})

    def test_displays_stand_among_what_is_printed(self) -> None:
        code = ("from IPython.display import display, HTML, JSON, clear_output\nprint('a')\ndisplay(HTML('<b>'))\nprint('b')\n"
                "h = display(1, display_id=True)\nh.update(2)\nclear_output(wait=True)\ndisplay({'application/json': '[1]'}, raw=True)\n"
                "print('c')")  # fmt: skip
        _, seen = self.client.execute(code)
        kinds = ["stream", "display_data", "stream", "display_data", "update_display_data", "clear_output", "display_data", "stream"]
        self.assertEqual([kind for kind, _ in seen], kinds)
        self.assertEqual(seen[1][1]["data"]["text/html"], "<b>")
        self.assertEqual(seen[3][1]["transient"], seen[4][1]["transient"])
        self.assertEqual(seen[4][1]["data"], {"text/plain": "2"})
        self.assertEqual(seen[6][1]["data"]["application/json"], [1])

    def test_they_come_while_the_cell_runs(self) -> None:
        number = self.client.send("shell", "execute_request", code="display('now')\ninput()", allow_stdin=True)
        for one in self.client.published(number):
            if one.type == "display_data":
                break
        asked = self.client.receive("stdin")
        self.assertEqual(asked.type, "input_request")
        self.client.send("stdin", "input_reply", value="x")
        self.assertEqual(self.client.reply("shell", number).content["status"], "ok")

    def test_silent_and_history(self) -> None:
        reply, seen = self.client.execute("1", silent=True)
        self.assertEqual((reply["execution_count"], seen), (0, []))
        self.assertEqual(self.client.execute("3")[0]["execution_count"], 1)
        self.client.execute("2", store_history=False)
        self.client.execute("four = 4")
        tail = self.client.ask("shell", "history_request", hist_access_type="tail", n=5, output=True, raw=True)
        self.assertEqual(tail["history"], [[1, 1, ["3", "3"]], [1, 2, ["four = 4", None]]])
        ranged = self.client.ask("shell", "history_request", hist_access_type="range", session=0, start=2, stop=3)
        self.assertEqual(ranged["history"], [[1, 2, "four = 4"]])
        found = self.client.ask("shell", "history_request", hist_access_type="search", pattern="f*", n=9)
        self.assertEqual(found["history"], [[1, 2, "four = 4"]])

    def test_expressions_of_a_user(self) -> None:
        reply, _ = self.client.execute("x = 2", user_expressions={"twice": "x * 2", "none": "y", "end": "exit()"})
        self.assertEqual(reply["user_expressions"]["end"]["ename"], "SystemExit")
        self.assertEqual(reply["user_expressions"]["twice"]["data"], {"text/plain": "4"})
        self.assertEqual(reply["user_expressions"]["none"]["ename"], "NameError")

    def test_cells_behind_one_that_fails_are_aborted(self) -> None:
        number = self.begin("print('ready')\nimport time\ntime.sleep(100)")
        waiting = [self.client.send("shell", "execute_request", code="kept = 1") for _ in range(3)]
        self.interrupt()
        self.assertEqual(self.client.reply("shell", number).content["ename"], "KeyboardInterrupt")
        states = [self.client.reply("shell", one).content["status"] for one in waiting]
        self.assertEqual(states, ["aborted"] * 3)
        self.assertEqual(self.error_of("kept")["ename"], "NameError")

    def test_figures_that_are_open_at_the_end(self) -> None:
        _, seen = self.client.execute(f"{PYPLOT}\n5")
        self.assertEqual([kind for kind, _ in seen], ["execute_result", "display_data"])
        self.assertEqual(base64.b64decode(seen[1][1]["data"]["image/png"]), b"\x89PNG\r\n\x1a\npng")

    def test_checkpoints(self) -> None:
        self.client.execute("x = 1")
        self.assertIn("checkpoint one", self.client.printed("%checkpoint one"))
        self.client.execute("x = 2")
        self.client.printed("%rollback one")
        self.assertEqual(self.client.printed("print(x)"), "1\n")
        self.assertIn("alone in its cell", self.error_of("%checkpoint a b")["evalue"])
        self.assertIn("nothing", self.error_of("%rollback nothing")["evalue"])

    def test_much_output_comes_whole(self) -> None:
        text = self.client.printed("for i in range(20):\n    print('x' * 999_999)")
        self.assertEqual(len(text), 20_000_000)


class Editors(KernelCase):
    """What somebody who types asks."""

    def test_names(self) -> None:
        self.client.execute("import os\ntables = 1")
        for code, start, found in (("tabl", 0, "tables"), ("x = os.path.jo", 4, "os.path.join"), ("import jso", 7, "json"), ("pri", 0, "print")):
            self.assertIn(found, self.client.ask("shell", "complete_request", code=code)["matches"])
            reply = self.client.ask("shell", "complete_request", code=code, cursor_pos=len(code))
            self.assertEqual((reply["cursor_start"], reply["cursor_end"]), (start, len(code)), code)
            self.assertIn(found, reply["matches"])

    def test_what_a_name_is(self) -> None:
        self.client.execute('def area(width, height=2):\n    "Multiply."\n    return width * height')
        for code in ("area", "area(", "area(3, "):
            reply = self.client.ask("shell", "inspect_request", code=code, cursor_pos=len(code), detail_level=1)
            text = reply["data"]["text/plain"]
            self.assertIn("area(width, height=2)", text)
            self.assertIn("Multiply.", text)
            self.assertIn("return width * height", text)
        self.assertFalse(self.client.ask("shell", "inspect_request", code="nothing", cursor_pos=3)["found"])
        payload = self.client.execute("area?")[0]["payload"]
        self.assertIn("Multiply.", payload[0]["data"]["text/plain"])

    def test_whether_a_cell_is_whole(self) -> None:
        wanted = {"1": "complete", "def f():\n  1\n": "complete", "for x in y:": "incomplete", "f('''": "incomplete",
                  "import = 1": "invalid", "%time 1": "complete", "!ls": "complete"}  # fmt: skip
        for code, state in wanted.items():
            self.assertEqual(self.client.ask("shell", "is_complete_request", code=code)["status"], state, code)
        reply = self.client.ask("shell", "is_complete_request", code="if 1:\n    if 2:")
        self.assertEqual(reply["indent"], " " * 8)

    def test_what_it_is(self) -> None:
        for socket in ("shell", "control"):
            info = self.client.ask(socket, "kernel_info_request")
            self.assertEqual((info["status"], info["implementation"], info["language_info"]["name"]), ("ok", "glovebox", "python"))
            self.assertRegex(info["language_info"]["version"], r"^3\.\d+\.\d+")
        self.assertEqual(self.client.ask("shell", "comm_info_request"), {"status": "ok", "comms": {}})
        number = self.client.send("shell", "comm_open", comm_id="c", target_name="x", data={})
        self.assertEqual([one.content["comm_id"] for one in self.client.published(number)], ["c"])


class Questions(KernelCase):
    """input() and getpass()."""

    def answered(self, code: str, *replies: str, **more: Any) -> tuple[list[tuple[str, bool]], dict[str, Any]]:
        """Execute a cell; return what it asked, and its reply."""
        number = self.client.send("shell", "execute_request", code=code, allow_stdin=True, **more)
        asked = []
        for text in replies:
            request = self.client.receive("stdin")
            asked.append((request.content["prompt"], request.content["password"]))
            self.client.send("stdin", "input_reply", value=text)
        return asked, self.client.reply("shell", number).content

    def test_they_ask_the_client(self) -> None:
        code = "import getpass\ntold = input('name? '), getpass.getpass('word? ')"
        asked, _ = self.answered(code, "\u00e9\nva", "x" * 50_000)
        self.assertEqual(asked, [("name? ", False), ("word? ", True)])
        self.assertEqual(self.client.printed("print(told[0], len(told[1]))"), "\u00e9\nva 50000\n")

    def test_a_reply_that_is_too_long(self) -> None:
        _, reply = self.answered("input()", "x" * (3 << 20))
        self.assertEqual(reply["ename"], "EOFError")

    def test_a_client_that_cannot_be_asked(self) -> None:
        self.assertEqual(self.error_of("input()", allow_stdin=False)["ename"], "StdinNotImplementedError")

    def test_a_question_is_interrupted(self) -> None:
        number = self.client.send("shell", "execute_request", code="input('?')", allow_stdin=True)
        self.assertEqual(self.client.receive("stdin").type, "input_request")
        self.interrupt()
        self.assertEqual(self.client.reply("shell", number).content["ename"], "KeyboardInterrupt")
        self.client.send("stdin", "input_reply", value="late")
        self.assertEqual(self.answered("told = input()", "new")[1]["status"], "ok")
        self.assertEqual(self.client.printed("print(told)"), "new\n")

    def test_a_late_reply_is_no_reply_to_the_next_question(self) -> None:
        code = "try: input('one')\nexcept KeyboardInterrupt: print('on', flush=True)\ninput('two')\ntold = input('three')"
        number = self.client.send("shell", "execute_request", code=code, allow_stdin=True)
        first = self.client.receive("stdin")
        self.interrupt()
        second = self.client.receive("stdin")
        self.client.send("stdin", "input_reply", parent=first.header, value="late")
        self.client.send("stdin", "input_reply", parent=second.header, value="2")
        third = self.client.receive("stdin")
        self.client.send("stdin", "input_reply", parent=third.header, value="3")
        self.assertEqual(self.client.reply("shell", number).content["status"], "ok")
        self.assertEqual(self.client.printed("print(told)"), "3\n")

    def test_functions_that_code_has_kept(self) -> None:
        self.answered("from getpass import getpass\nkept = input")
        asked, _ = self.answered("told = kept('a'), getpass('b')", "1", "2")
        self.assertEqual(asked, [("a", False), ("b", True)])
        self.assertEqual(self.client.printed("print(told)"), "('1', '2')\n")

    def test_a_reply_that_cannot_be_read(self) -> None:
        self.assertEqual(self.answered("input()", "a\0b")[1]["ename"], "EOFError")


class Lives(KernelCase):
    """Interrupts, losses and ends."""

    def test_an_interrupt_that_code_ignores_takes_nothing_away(self) -> None:
        self.client.execute("kept = 5")
        number = self.begin(STUBBORN)
        for _ in range(3):
            self.interrupt()
            self.client.ask("control", "kernel_info_request")
            time.sleep(0.1)  # two at once may be one
        while self.client.receive("shell", 0.05) is None:
            self.interrupt()
        self.assertTrue(number)
        self.assertEqual(self.client.printed("print(kept)"), "5\n")

    def test_sigint_interrupts_as_well(self) -> None:
        number = self.begin("print('ready')\nimport time\ntime.sleep(100)")
        os.killpg(self.kernel.process.pid, signal.SIGINT)
        self.assertEqual(self.client.reply("shell", number).content["ename"], "KeyboardInterrupt")

    def test_heartbeats_are_answered_while_a_cell_runs(self) -> None:
        self.begin("print('ready')\nimport time\ntime.sleep(100)")
        self.client.send_parts("hb", [b"beat"])
        self.assertEqual(self.client.receive_parts("hb"), [b"beat"])
        self.interrupt()

    def test_a_lost_session_is_told_and_another_begins(self) -> None:
        self.client.execute("kept = 5")
        lost = self.error_of("import os; os._exit(3)")
        self.assertEqual(lost["ename"], "SandboxLost")
        self.assertIn("begins a new session", " ".join(lost["traceback"]))
        self.assertEqual(self.error_of("kept")["ename"], "NameError")

    def test_control_is_answered_while_a_session_begins(self) -> None:
        self.error_of("import os; os._exit(1)")
        supervisor = self.status()["pid"]
        os.kill(supervisor, signal.SIGSTOP)
        try:
            number = self.client.send("shell", "execute_request", code="1")
            while self.client.receive("iopub").parent.get("msg_id") != number:
                pass
            self.assertEqual(self.client.ask("control", "kernel_info_request")["status"], "ok")
        finally:
            os.kill(supervisor, signal.SIGCONT)
        self.assertEqual(self.client.reply("shell", number).content["status"], "ok")

    def test_it_shuts_down(self) -> None:
        self.begin("print('ready')\nimport time\ntime.sleep(100)")
        self.assertEqual(self.client.ask("control", "shutdown_request", restart=True), {"status": "ok", "restart": True})
        self.assertEqual(wait_for_end(self.kernel.process), 0)

    def test_it_ends_with_its_client(self) -> None:
        client = start_client()
        kernel = Kernel(self, self.folder, "--no-workspace", env={**self.env(), "JPY_PARENT_PID": str(client.pid)})
        kernel.client.listen()
        client.kill()
        client.wait()
        self.assertEqual(wait_for_end(kernel.process), 0)

    def test_ps_lists_it(self) -> None:
        self.assertRegex(self.glovebox("ps").out, rf"kernel +{self.kernel.process.pid} +host:latest")


def start_client() -> subprocess.Popen[bytes]:
    """Start a process that only lives."""
    return subprocess.Popen(["sleep", "1000"], stdin=subprocess.DEVNULL)


class Strangers(KernelCase):
    """Messages of those who have no key, and code that tries to have one."""

    def assert_ignored(self, parts: list[bytes]) -> None:
        """Send a message that is not acted on; the kernel goes on."""
        self.client.send_parts("shell", parts)
        number = self.client.send("shell", "kernel_info_request")
        self.client.reply("shell", number)
        self.assertEqual(self.client.execute("'forged' in globals()")[1][0][1]["data"], {"text/plain": "False"})

    def test_unsigned_and_forged_messages(self) -> None:
        for key in (b"", b"another"):
            self.assert_ignored(self.client.composed("execute_request", {"code": "forged = 1"}, key)[1])
        _, parts = self.client.composed("execute_request", {"code": "forged = 1"})
        self.assert_ignored([*parts[:1], b"", *parts[2:]])
        self.assert_ignored([*parts[:5], json.dumps({"code": "forged = 2"}).encode()])

    def test_a_message_that_is_sent_again(self) -> None:
        self.client.execute("times = 0")
        _, parts = self.client.composed("execute_request", {"code": "times += 1"})
        for _ in range(3):
            self.client.send_parts("shell", parts)
        self.assertEqual(self.client.printed("print(times)"), "1\n")

    def test_messages_of_no_use(self) -> None:
        key = self.kernel.key
        for four in ([b"{}", b"{}", b"{}", b"{}"], [b"[]", b"1", b"", b"x"], [b"\0", b"\0", b"\0", b"\0"],
                     [b'{"msg_type":1}', b"{}", b"{}", b"{}"], [b"[" * 5000, b"{}", b"{}", b"{}"]):  # fmt: skip
            self.assert_ignored([DELIMITER, sign(key, four), *four])
        for parts in ([b""], [b"x"] * 200, [DELIMITER], [DELIMITER] * 10, [b"y" * 1_000_000]):
            self.assert_ignored(parts)
        for content in ({"code": 1}, {"code": None}, {"code": []}, {"code": "1", "user_expressions": [1]}, {"code": "1", "user_expressions": {"a": 1}},
                        {"code": "1", "allow_stdin": "x", "silent": 5}):  # fmt: skip
            number = self.client.send("shell", "execute_request", **content)
            self.assertIn(self.client.reply("shell", number).content["status"], ("ok", "error"))
        for cursor in (-5, 10**30, "x", None, 2**40):
            number = self.client.send("shell", "complete_request", code="pri", cursor_pos=cursor)
            self.assertEqual(self.client.reply("shell", number).content["status"], "ok")

    def test_neither_the_key_nor_its_file_is_inside(self) -> None:
        self.client.execute("import os")
        self.assertEqual(self.client.printed("print('KEY' in os.environ, os.path.exists(%r))" % str(self.kernel.file)), "False False\n")

    def test_code_that_writes_to_the_events(self) -> None:
        find = ("import os, struct, sys\nframe = sys._getframe()\nwhile 'client' not in frame.f_locals: frame = frame.f_back\n"
                "fd = frame.f_locals['client']._events\n")  # fmt: skip
        for act in ("os.write(fd, b'\\xff' * 100)", "os.write(fd, struct.pack('<I', 5) + b'[1,2]')", "os.write(fd, struct.pack('<I', 2) + b'{}')",
                    "os.write(fd, struct.pack('<I', 1000))", "os.close(fd)", "sys.stdout.write('\\x1edisplay-00000000')",
                    "os.write(fd, struct.pack('<I', 12) + b'{\"ask\":[[]]}')", "os.close(1)", "os.close(2)"):  # fmt: skip
            self.client.execute(f"{find}{act}\ndisplay(1)\nprint(2)")
            reply, _ = self.client.execute("2 + 2")
            self.assertEqual(reply["status"], "ok", act)

    def test_processes_that_are_left_and_flood_the_events(self) -> None:
        flood = ("import gc, os, struct, sys\nfd = next(o._events for o in gc.get_objects() if type(o).__name__ == 'Live' and o._events >= 0)\n"
                 "text = b'{\"clear\":true}'\nframe = (struct.pack('<I', len(text)) + text) * 100\n"
                 "for _ in range(2):\n    if not os.fork():\n        while True: os.write(fd, frame)\n")  # fmt: skip
        self.client.execute(flood)
        self.assertEqual(self.client.ask("control", "kernel_info_request")["status"], "ok")
        self.client.execute("kept = 1")
        self.assertEqual(self.client.ask("control", "shutdown_request")["status"], "ok")
        self.assertEqual(wait_for_end(self.kernel.process), 0)

    def test_a_completion_that_does_not_end(self) -> None:
        self.client.execute("class X:\n    def __dir__(self):\n        for _ in range(9):\n            try:\n                import time; time.sleep(100)\n"
                            "            except BaseException: pass\n        return []\nx = X()")  # fmt: skip
        self.assertEqual(self.client.ask("shell", "complete_request", code="x.", cursor_pos=2)["matches"], [])
        number = self.client.send("shell", "execute_request", code="6 * 7")
        while (reply := self.client.receive("shell", 0.1)) is None:
            self.interrupt()
        self.assertEqual((reply.parent["msg_id"], reply.content["status"]), (number, "ok"))

    def test_messages_that_cannot_be_read_have_a_reply(self) -> None:
        for content in ({"code": "1\0002"}, {"code": "1", "deep": json.loads("[" * 500 + "]" * 500)}):
            number = self.client.send("shell", "execute_request", **content)
            self.assertEqual(self.client.reply("shell", number).content["ename"], "ValueError")

    def test_a_display_where_standard_output_is_closed(self) -> None:
        _, seen = self.client.execute("import os\nos.close(1)\nos.dup2(2, 1)\ndisplay('there')")
        self.assertIn("display_data", [kind for kind, _ in seen])

    def test_a_client_that_reads_nothing_does_not_stop_others(self) -> None:
        silent = self.kernel.connect()
        self.assertTrue(silent)
        self.assertEqual(len(self.client.printed("for i in range(40):\n    print('x' * 999_999)")), 40_000_000)


class Files(KernelCase):
    """The directory of the notebook."""

    flags = ()

    def test_it_is_read_and_not_written(self) -> None:
        (self.notebooks / "table.csv").write_text("1,2\n")
        self.assertEqual(self.client.printed("import os\nprint(os.getcwd(), open('table.csv').read())"), "/data 1,2\n\n")
        self.assertEqual(self.error_of("open('new', 'w')")["ename"], "OSError")

    def test_what_cells_write_comes_back(self) -> None:
        kernel = Kernel(self, self.folder, "--workspace", str(self.notebooks), "--write", env=self.env())
        kernel.client.listen()
        kernel.client.execute("open('/data/new', 'w').write('n')")
        self.assertEqual((self.notebooks / "new").read_text(), "n")

    def test_a_home_is_seen_only_by_name(self) -> None:
        home = {**self.env(), "HOME": str(self.folder / "home" / "deeper")}
        (self.folder / "home" / "deeper").mkdir(parents=True)
        kernel = Kernel(self, self.folder / "home", env=home)
        kernel.client.listen()
        self.assertEqual(kernel.client.printed("import os\nprint(os.path.exists('/data'))"), "False\n")
        self.assertRegex(kernel.said(), message("main_find_workspace"))


class Specs(Warm):
    """kernel install, and flags that are refused."""

    def install(self, *flags: str, **options: Any) -> Any:
        """Run kernel install."""
        env = {**self.env(), "JUPYTER_DATA_DIR": str(self.folder / "jupyter")}
        return execute([GLOVEBOX, "kernel", "install", *flags], env=env, **options)

    def test_a_kernelspec(self) -> None:
        done = self.install("--user", "--name", "Boxed.1", "--image", "host", "--memory=1g", "--display-name", "Boxed")
        place = self.folder / "jupyter/kernels/Boxed.1"
        self.assertEqual(self.assert_status(done).out, f"{place}\n")
        spec = json.loads((place / "kernel.json").read_text())
        self.assertEqual(spec["argv"][1:], ["kernel", "-f", "{connection_file}", "--image", "host", "--memory=1g"])
        self.assertEqual(Path(spec["argv"][0]).name, "glovebox")
        self.assertEqual((spec["display_name"], spec["language"], spec["interrupt_mode"]), ("Boxed", "python", "message"))
        self.assert_status(self.install("--prefix", str(self.folder / "venv")))
        self.assertTrue((self.folder / "venv/share/jupyter/kernels/glovebox/kernel.json").exists())

    def test_what_is_refused(self) -> None:
        for flags, why in ((("--user", "--name", "a/b"), "--name"), (("--user", "--name", ".."), "--name"), (("--user", "-f", "x"), "-f"),
                           (("--user", "--prefix", "/tmp/x"), "--prefix"), (("--user", "--memory", "much"), "memory"), (("--user", "more"), "operand"),
                           (("--user", "--nonsense"), "nonsense")):  # fmt: skip
            done = self.install(*flags)
            self.assertEqual(done.status, 125, flags)
            self.assertIn(why, done.err)
            self.assertEqual(done.err.count("\n"), 1 if why != "nonsense" and why != "operand" else done.err.count("\n"))
        self.assertFalse((self.folder / "jupyter").exists())

    def test_connection_files_that_cannot_be(self) -> None:
        good = {"ip": "127.0.0.1", "transport": "tcp", "key": "k", "shell_port": 1, "iopub_port": 2, "stdin_port": 3, "control_port": 4, "hb_port": 5}
        for change in ({"ip": ""}, {"transport": "inproc"}, {"shell_port": 0}, {"hb_port": 70000}, {"signature_scheme": "hmac-md5"},
                       {"curve_secretkey": "x"}, {"iopub_port": "5"}, {"key": 5}):  # fmt: skip
            file = self.folder / "c.json"
            file.write_text(json.dumps(good | change))
            done = self.glovebox("kernel", "-f", file)
            self.assertEqual((done.status, done.err.count("\n")), (125, 1), done.err)
            self.assertIn(next(iter(change)).partition("_")[0], done.err)
        for text in ("", "[]", "{", "x" * 100_000):
            file.write_text(text)
            self.assertEqual(self.glovebox("kernel", "-f", file).status, 125)
        self.assertEqual(self.glovebox("kernel", "-f", self.folder / "none").status, 125)
        self.assertIn(sentence("main_check_flags#2"), self.glovebox("kernel").err)
