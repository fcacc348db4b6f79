"""/v1/execute: what a program gets, and what comes back."""

import json
import os
import signal
from typing import Any

from support.messages import message, sentence
from support.serve import JSON, ServeCase

MARKER = "\n...[truncated]"
ENTRY = "/workspace/__main__.py"


class Requests(ServeCase):
    """What a body may say."""

    def wrong(self, body: Any, *where: str | int) -> dict[str, Any]:
        """Assert that a body is refused for one reason, at one place; return that."""
        reply = self.server.post("/v1/execute", body)
        self.assertEqual(reply.status, 422, reply)
        (entry,) = reply.detail
        self.assertEqual(entry["loc"], ["body", *where])
        self.assertTrue({"type", "msg", "input"} <= entry.keys(), entry)
        return entry

    def test_smallest_request(self) -> None:
        reply = self.server.post("/v1/execute", {"code": "print('hello')"}).json
        self.assertEqual(reply["stdout"], "hello\n")
        self.assertEqual((reply["stderr"], reply["exit_code"], reply["timed_out"], reply["files"]), ("", 0, False, []))
        self.assertIs(type(reply["duration_ms"]), int)
        self.assertEqual((reply["verdict"], reply["truncated"], reply["oom"]), ("exited", False, False))

    def test_figures_that_nobody_sees_are_files(self) -> None:
        """The package is one of the test's own, with the calls that show.py changes."""
        code = """
import os
os.mkdir("PIL")
open("PIL/__init__.py", "w").close()
open("PIL/ImageShow.py", "w").write(
    "viewers = []\\n"
    "class Viewer: pass\\n"
    "def register(viewer, order): viewers.insert(order, viewer)\\n"
    "def show(image): viewers[0].show(image)\\n"
)
from PIL import ImageShow
class Image:
    mode = "RGB"
    def save(self, file, format): file.write(format.encode())
ImageShow.show(Image())
ImageShow.show(Image())
"""
        reply = self.server.post("/v1/execute", {"code": code}).json
        names = [file["path"] for file in reply["files"]]
        self.assertIn("figure-1.png", names)
        self.assertIn("figure-2.png", names)
        self.assertRegex(reply["stderr"], message("Screen.save#figure is in", "Image.show()", "figure-1.png\n"))

    def test_unknown_members_are_ignored(self) -> None:
        self.assertEqual(self.execute("print(1)", session=3, more={"a": [1]})["stdout"], "1\n")

    def test_null_is_the_default(self) -> None:
        """The interface has it for stdin; the others do not mind either."""
        code = "import sys; print(repr(sys.stdin.read()))"
        self.assertEqual(self.execute(code, stdin=None, files=None, limits=None)["stdout"], "''\n")
        self.wrong({"code": None}, "code")

    def test_members_have_their_types(self) -> None:
        self.assertEqual(self.wrong({}, "code"), {"type": "missing", "loc": ["body", "code"], "msg": "Field required", "input": {}})
        self.assertEqual(self.wrong({"code": 1}, "code")["msg"], "Input should be a valid string")
        self.assertEqual(self.wrong({"code": "1", "stdin": 1}, "stdin")["type"], "string_type")
        for wrong in ("1000.0", "1e3", '"1000"', "true", "[]", "{}"):
            with self.subTest(timeout_ms=wrong):
                self.wrong(f'{{"code":"1","timeout_ms":{wrong}}}'.encode(), "timeout_ms")
        for wrong in ("1e400", "9" * 400, "99999999999999999999999", "NaN"):
            with self.subTest(timeout_ms=wrong):
                reply = self.server.post("/v1/execute", f'{{"code":"1","timeout_ms":{wrong}}}'.encode())
                self.assertEqual(reply.status, 422, reply)
        for wrong in (0, -1):
            entry = self.wrong({"code": "1", "timeout_ms": wrong}, "timeout_ms")
            self.assertEqual((entry["type"], entry["ctx"], entry["input"]), ("greater_than_equal", {"ge": 1}, wrong))
            self.assertEqual(entry["msg"], "Input should be greater than or equal to 1")

    def test_a_byte_order_mark_is_skipped(self) -> None:
        """PowerShell 5 writes one in front of each file."""
        reply = self.server.post("/v1/execute", b'\xef\xbb\xbf{"code":"print(1)"}')
        self.assertEqual((reply.status, reply.json.get("stdout")), (200, "1\n"), reply)
        self.assertEqual(self.server.post("/v1/execute", b"\xef\xbb\xbf").status, 422)

    def test_everything_that_is_wrong_is_said(self) -> None:
        reply = self.server.post("/v1/execute", {"stdin": 1, "timeout_ms": "x", "files": [{"path": 1}]})
        where = sorted(entry["loc"] for entry in reply.detail if entry["loc"][1] != "files")
        self.assertEqual(where, [["body", "code"], ["body", "stdin"], ["body", "timeout_ms"]])
        where = [entry["loc"] for entry in reply.detail if entry["loc"][1] == "files"]
        self.assertEqual(where, [["body", "files", 0, "path"], ["body", "files", 0, "file_id"]])

    def test_long_inputs_are_cut(self) -> None:
        cut = "...[truncated]"
        self.assertEqual(self.wrong({"code": "1", "limits": "x" * 1024}, "limits")["input"], "x" * 1024)
        self.assertEqual(self.wrong({"code": "1", "limits": "x" * 1025}, "limits")["input"], "x" * 1024 + cut)
        self.assertEqual(self.wrong({"code": "1", "limits": "x" + "\u20ac" * 1000}, "limits")["input"], "x" + "\u20ac" * 341 + cut)
        self.assertEqual(self.wrong({"code": "1", "limits": [0] * 600}, "limits")["input"], ("[" + "0," * 600)[:1024] + cut)
        self.assertEqual(self.wrong({"a": "x" * 2000}, "code")["input"], '{"a":"' + "x" * 1018 + cut)

    def test_large_body_that_is_wrong_takes_little_memory(self) -> None:
        server = self.start_server().wait_ready()
        twice = ",".join(f'"{name}":{{}}' for name in ("stdin", "timeout_ms", "last_line_interactive", "limits", "files") * 2)
        reply = server.post("/v1/execute", b'{"zzz":"%s",%s}' % ("\u00e9".encode() * (7 << 20), twice.encode()))
        self.assertEqual((reply.status, len(reply.detail)), (422, 10), reply.body[:300])
        self.assertLess(len(reply.body), 20000)
        self.assertLess(server.peak_bytes(), 70 << 20)

    def test_only_some_of_many_mistakes_are_said(self) -> None:
        for count, most, last in ((50, 100, "missing"), (51, 101, "too_many_errors"), (3000, 101, "too_many_errors")):
            reply = self.server.post("/v1/execute", {"code": "1", "files": [{}] * count})
            self.assertEqual((reply.status, len(reply.detail), reply.detail[-1]["type"]), (422, most, last))
        self.assertEqual(reply.detail[-1], {"type": "too_many_errors", "loc": ["body"], "msg": sentence("schema_is_wrong"), "input": None})

    def test_timeout_may_be_all_of_its_ceiling(self) -> None:
        self.assertEqual(self.execute("print(1)", timeout_ms=60000)["exit_code"], 0)
        reply = self.server.post("/v1/execute", {"code": "1", "timeout_ms": 60001})
        self.assertEqual((reply.status, reply.detail), (422, sentence("execute_read", 60000)))

    def test_truth_has_many_words(self) -> None:
        for word, shows in {1: 1, 0: 0, "yes": 1, "OFF": 0, "true": 1, "n": 0}.items():
            with self.subTest(word=word):
                self.assertEqual(self.execute("7", last_line_interactive=word)["stdout"], "7\n" * shows)
        self.wrong({"code": "1", "last_line_interactive": 2}, "last_line_interactive")
        self.wrong({"code": "1", "last_line_interactive": "perhaps"}, "last_line_interactive")

    def test_text_that_is_no_json(self) -> None:
        for text in (b"{", b"nothing", b'{"code":"1",}', b"{'code':'1'}", b'{"code":"\xff"}', b'{"code":NaN}'):
            with self.subTest(text=text):
                reply = self.server.post("/v1/execute", text)
                self.assertEqual((reply.status, reply.detail[0]["type"]), (422, "json_invalid"))
                self.assertEqual(reply.detail[0]["msg"], "JSON decode error")

    def test_body_must_be_an_object(self) -> None:
        for text in (b"[]", b'"code"', b"1", b"null"):
            with self.subTest(text=text):
                self.wrong(text)
        reply = self.server.ask("POST", "/v1/execute", b'{"code":"1"}', {"Content-Type": "text/plain"})
        self.assertEqual(reply.status, 422)
        self.assertEqual(self.server.ask("POST", "/v1/execute", b"", JSON).status, 422)

    def test_nul_and_lone_surrogates_are_refused(self) -> None:
        """They cannot be in a program of Python, and must not cut one short."""
        for code in (r"print(1)\u0000print(2)", r"'\ud800'", r"'\udc00\ud800'"):
            for body in (f'{{"code":"{code}"}}', f'{{"code":"1","stdin":"{code}"}}', f'{{"code":"1","files":[{{"path":"{code}","file_id":"x"}}]}}'):
                with self.subTest(body=body):
                    self.assertEqual(self.server.post("/v1/execute", body.encode()).status, 422)

    def test_json_may_not_be_deep(self) -> None:
        deep = b'{"code":"print(1)","x":' + b"[" * 100000 + b"]" * 100000 + b"}"
        self.assertEqual(self.server.post("/v1/execute", deep).status, 422)

    def test_full_workspace_is_named(self) -> None:
        self.assertEqual(self.execute("f = open('a', 'wb', buffering=0)\nwhile f.write(bytes(1 << 20)): pass")["full"], ["/workspace"])

    def test_limits_only_tighten(self) -> None:
        peak = "b = bytearray(100 << 20); print(len(b))"
        self.assertEqual(self.execute(peak, limits={"memory": "200m"})["exit_code"], 0)
        reply = self.execute(peak, limits={"memory": "50m"})
        self.assertEqual((reply["exit_code"], reply["oom"], reply["verdict"]), (137, True, "memory"))
        for limits in ({"memory": "1t"}, {"memory": 1}, {"nothing": 1}, {"timeout": "100h"}):
            with self.subTest(limits=limits):
                reply = self.server.post("/v1/execute", {"code": "1", "limits": limits})
                self.assertEqual(reply.status, 422, reply)
                self.assertIn("limits" if "nothing" in limits or limits.get("memory") == 1 else "", str(reply.detail))

    def test_what_is_the_same_for_all_programs_is_no_limit(self) -> None:
        code = "import os, socket; print(os.getuid(), os.getgid(), os.getcwd(), socket.gethostname())"
        self.assertEqual(self.execute(code)["stdout"], "1000 1000 /workspace sandbox\n")
        for name in ("user", "workdir", "hostname"):
            reply = self.server.post("/v1/execute", {"code": "1", "limits": {name: "0"}})
            self.assertEqual((reply.status, reply.detail), (422, f"limits: {sentence('setting_json_member#no option', '', '', name, '')}"))


class Programs(ServeCase):
    """What a program sees, and what is said about it."""

    def test_environment(self) -> None:
        code = """
            import os, sys, json
            names = ("PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONIOENCODING")
            print(json.dumps([os.getcwd(), sys.argv, __file__, __name__, sys.path[0], sys.flags.interactive,
                              sys.dont_write_bytecode, sys.stdout.encoding, *map(os.environ.get, names)]))
            """
        reply = self.execute("if True:" + code)
        seen = json.loads(reply["stdout"])
        self.assertEqual(seen[:5], ["/workspace", [ENTRY], ENTRY, "__main__", "/workspace"])
        self.assertEqual(seen[5:], [0, True, "utf-8", "1", "1", "utf-8"])

    def test_modules_leave_no_bytecode(self) -> None:
        """Neither what it imports itself, nor what a Python does that it starts."""
        code = "open('m.py', 'w').write('')\nimport m, subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import m'], check=True)\nNone"
        self.assertEqual([file["path"] for file in self.execute(code)["files"]], ["m.py"])

    def test_namespace_is_the_programs_alone(self) -> None:
        reply = self.execute("print(sorted(n for n in dir() if not n.startswith('__')))")
        self.assertEqual(reply["stdout"], "[]\n")
        reply = self.execute("tree = ast = sys = code = node = begin = read = 5\nlast = 6\ntree + last")
        self.assertEqual((reply["stdout"], reply["stderr"]), ("11\n", ""))
        import_ = "import sys; m = sys.modules['__main__']; print(m.__dict__ is globals(), m.__file__)"
        self.assertEqual(self.execute(import_)["stdout"], f"True {ENTRY}\n")

    def test_program_is_there_as_a_file(self) -> None:
        code = "print(open(__file__).read() == open('/workspace/__main__.py').read())\nimport inspect\ndef f(): return 1\ninspect.getsource(f)"
        reply = self.execute(code)
        self.assertEqual(reply["stdout"], "True\n'def f(): return 1\\n'\n", reply)

    def test_standard_input(self) -> None:
        reply = self.execute("import sys; print(sys.stdin.read()[::-1])", stdin="aé\U0001f600")
        self.assertEqual(reply["stdout"], "\U0001f600éa\n")
        self.assertEqual(self.execute("input()")["stderr"].splitlines()[-1], "EOFError: EOF when reading a line")
        long = "x" * 3_000_000
        self.assertEqual(self.execute("import sys; len(sys.stdin.buffer.read())", stdin=long)["stdout"], "3000000\n")
        self.assertEqual(self.execute("print('unread')", stdin=long)["stdout"], "unread\n")

    def test_output_is_bytes_made_text(self) -> None:
        reply = self.execute(r"import os; os.write(1, b'a\xff\x00\xe2\x82b\x1b[0m'); os.write(2, '\u2028é'.encode())")
        self.assertEqual(reply["stdout"], "a\ufffd\0\ufffdb\x1b[0m5\n")
        self.assertEqual(reply["stderr"], "\u2028é")

    def test_exit_codes(self) -> None:
        table = {
            "import sys; sys.exit(3)": 3, "import sys; sys.exit()": 0, "import sys; sys.exit(None)": 0,
            "raise SystemExit(256 + 7)": 7, "import sys; sys.exit(-1)": 255, "import os; os._exit(9)": 9,
            "1/0": 1, "import sys; sys.exit('bye')": 1, "exit(4)": 4,
            "import os; os.kill(os.getpid(), 9)": 137, "import os; os.abort()": 128 + signal.SIGABRT,
            "import os; os.kill(os.getpid(), 15)": 143, "import ctypes; ctypes.string_at(0)": 139,
        }  # fmt: skip
        for code, status in table.items():
            with self.subTest(code=code):
                reply = self.execute(code)
                self.assertEqual((reply["exit_code"], reply["timed_out"]), (status, False), reply)
        self.assertEqual(self.execute("import sys; sys.exit('bye')")["stderr"], "bye\n")

    def test_tracebacks_have_no_frames_of_ours(self) -> None:
        reply = self.execute("def f():\n    return 1/0\n\nf()")
        wanted = [
            "Traceback (most recent call last):", f'  File "{ENTRY}", line 4, in <module>', "    f()",
            f'  File "{ENTRY}", line 2, in f', "    return 1/0", "ZeroDivisionError: division by zero",
        ]  # fmt: skip
        lines = [line for line in reply["stderr"].splitlines() if line.strip("~^ ")]
        self.assertEqual((lines, reply["exit_code"]), (wanted, 1))
        chained = self.execute("try:\n    1/0\nexcept Exception as e:\n    raise ValueError('x') from e")["stderr"]
        self.assertEqual(chained.count("File "), chained.count(f'File "{ENTRY}"'))
        self.assertIn("The above exception was the direct cause", chained)

    def test_syntax_errors_look_like_pythons(self) -> None:
        reply = self.execute("print('before')\nx = = 1\n")
        lines = reply["stderr"].splitlines()
        self.assertEqual((reply["stdout"], reply["exit_code"]), ("", 1))
        self.assertEqual((lines[0], lines[1].strip(), lines[-1]), (f'  File "{ENTRY}", line 2', "x = = 1", "SyntaxError: invalid syntax"))
        self.assertIn("IndentationError", self.execute("  x = 1")["stderr"])
        self.assertIn("SyntaxError", self.execute("return 5")["stderr"])

    def test_exception_hooks_are_the_programs(self) -> None:
        reply = self.execute("import sys\nsys.excepthook = lambda t, v, b: print('hooked', t.__name__)\n1/0")
        self.assertEqual((reply["stdout"], reply["exit_code"]), ("hooked ZeroDivisionError\n", 1))
        self.assertEqual(self.execute("raise KeyboardInterrupt")["exit_code"], 130)

    def test_threads_and_exit_handlers_end_first(self) -> None:
        code = "import threading, time, atexit\natexit.register(print, 'last')\nthreading.Thread(target=lambda: (time.sleep(0.2), print('thread'))).start()\nprint('main')"
        self.assertEqual(self.execute(code)["stdout"], "main\nthread\nlast\n")

    def test_classes_of_main_can_be_pickled(self) -> None:
        code = "import pickle\nclass A:\n    x = 5\npickle.loads(pickle.dumps(A())).x"
        self.assertEqual(self.execute(code)["stdout"], "5\n")
        code = "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\nP(1)"
        self.assertEqual(self.execute(code)["stdout"], "P(x=1)\n")

    def test_multiprocessing(self) -> None:
        for method in ("fork", "spawn"):
            with self.subTest(method=method):
                code = f"import multiprocessing as m\ndef f(x):\n    return x * x\nif __name__ == '__main__':\n    with m.get_context('{method}').Pool(2) as p:\n        print(p.map(f, [1, 2, 3]))"
                reply = self.execute(code)
                self.assertEqual((reply["stdout"], reply["stderr"]), ("[1, 4, 9]\n", ""), reply)

    def test_asyncio_and_subprocesses(self) -> None:
        code = "import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    return 3\nasyncio.run(f())"
        self.assertEqual(self.execute(code)["stdout"], "3\n")
        code = "import subprocess\nprint(subprocess.run(['sh', '-c', 'pwd; id -u'], capture_output=True, text=True).stdout)"
        self.assertTrue(self.execute(code)["stdout"].startswith("/workspace\n"))

    def test_nothing_stays_between_programs(self) -> None:
        self.execute("open('left', 'w').write('x'); open('/tmp/left', 'w').write('x'); import builtins; builtins.left = 1")
        reply = self.execute("import os, builtins; print(os.listdir('.'), os.path.exists('/tmp/left'), hasattr(builtins, 'left'))")
        self.assertEqual(reply["stdout"], "['__main__.py'] False False\n")

    def test_there_is_no_network(self) -> None:
        code = f"import socket\ntry:\n    socket.create_connection(('127.0.0.1', {self.server.port}), 2)\n    print('connected')\nexcept OSError as e:\n    print('refused')"
        self.assertEqual(self.execute(code)["stdout"], "refused\n")

    def test_program_is_nobody(self) -> None:
        code = "import os\nprint(os.getuid() != 0, open('/proc/self/status').read().split('CapEff:')[1].split()[0])"
        self.assertEqual(self.execute(code)["stdout"], "True 0000000000000000\n")


class LastExpression(ServeCase):
    """last_line_interactive, as section 1.5 of the interface has it."""

    def test_value_of_a_last_expression_is_printed(self) -> None:
        table = {
            "1 + 1": "2\n", "'text'": "'text'\n", "None": "", "x = 5": "", "": "", "# nothing": "",
            "5;": "5\n", "1; 2": "2\n", "(1 +\n 2)": "3\n", "5  # five": "5\n", "\n\n6\n\n": "6\n",
            "import sys\n_ = 3\n4": "4\n", "print('a')": "a\n", "if 1:\n    5": "",
            "6 * 7\nimport builtins": "", "def f():\n    '''doc'''": "", "'''doc'''\n__doc__": "'doc'\n",
            "lambda: 1\n": None, "[i for i in range(3)]": "[0, 1, 2]\n", "'é\\u2028'": "'é\\u2028'\n",
            "print(1)\nraise SystemExit": "1\n", "# -*- coding: latin-1 -*-\n'é'": "'é'\n",
        }  # fmt: skip
        for code, out in table.items():
            with self.subTest(code=code):
                reply = self.execute(code)
                self.assertEqual((reply["exit_code"], reply["stderr"]), (0, ""), reply)
                if out is not None:
                    self.assertEqual(reply["stdout"], out)

    def test_not_when_it_is_not_wanted(self) -> None:
        for code in ("5", "'a'; 6"):
            self.assertEqual(self.execute(code, last_line_interactive=False)["stdout"], "")

    def test_underscore_is_set(self) -> None:
        self.assertEqual(self.execute("import atexit, builtins\natexit.register(lambda: print(builtins._))\n42")["stdout"], "42\n42\n")

    def test_display_hook_is_the_programs(self) -> None:
        self.assertEqual(self.execute("import sys\nsys.displayhook = lambda v: print('<', v, '>')\n3")["stdout"], "< 3 >\n")

    def test_future_imports_hold_for_all(self) -> None:
        code = "from __future__ import annotations\ndef f(x: Nothing) -> Nowhere: pass\nf.__annotations__"
        self.assertEqual(self.execute(code)["stdout"], "{'x': 'Nothing', 'return': 'Nowhere'}\n")
        code = "from __future__ import annotations\n(lambda: [1 for _ in range(1)])()"
        self.assertEqual(self.execute(code)["stdout"], "[1]\n")

    def test_names_of_the_reference_are_free(self) -> None:
        names = ("ast", "sys", "code", "tree", "node", "last_node", "code_obj", "interactive")
        code = "".join(f"{name} = '{name}'\n" for name in names) + "tree"
        self.assertEqual(self.execute(code)["stdout"], "'tree'\n")
        self.assertIn("NameError", self.execute("last_node")["stderr"])

    def test_error_in_the_last_expression(self) -> None:
        reply = self.execute("x = 1\nx / 0")
        self.assertIn(f'File "{ENTRY}", line 2, in <module>\n    x / 0', reply["stderr"])
        self.assertEqual(reply["stderr"].count("File "), 1)
        reply = self.execute("class A:\n    def __repr__(self): raise ValueError('repr')\nA()")
        self.assertEqual((reply["exit_code"], reply["stderr"].splitlines()[-1]), (1, "ValueError: repr"))


class Limits(ServeCase):
    """What ends a program, and what is cut."""

    flags = ("--max-output", "10000", "--memory", "200m")

    def test_timeout_keeps_what_was_there(self) -> None:
        code = "import os, time\nprint('early')\nos.write(2, b'err')\nopen('kept', 'w').write('x')\ntime.sleep(60)"
        reply = self.execute(code, timeout_ms=1500)
        self.assertEqual((reply["timed_out"], reply["exit_code"], reply["verdict"]), (True, None, "wall_time"), reply)
        self.assertEqual((reply["stdout"], reply["stderr"][:12]), ("early\n", "errTraceback"))
        self.assertEqual([f["path"] for f in reply["files"]], ["kept"])
        self.assertGreaterEqual(reply["duration_ms"], 1500)

    def test_a_deadline_interrupts_first(self) -> None:
        code = "import time\ntry:\n    time.sleep(100)\nfinally:\n    print('saved')"
        reply = self.execute(code, timeout_ms=3000)
        self.assertEqual((reply["timed_out"], reply["exit_code"], reply["stdout"]), (True, None, "saved\n"), reply)
        self.assertIn("line 3", reply["stderr"])

    def test_timeout_ends_what_hides(self) -> None:
        code = "import os, signal, time\nsignal.signal(15, signal.SIG_IGN)\nif os.fork() == 0:\n    os.setsid()\n    while True: pass\ntime.sleep(60)"
        self.assertTrue(self.execute(code, timeout_ms=1000)["timed_out"])
        self.assertTrue(self.execute("while True: pass", timeout_ms=500)["timed_out"])

    def test_memory(self) -> None:
        reply = self.execute("print('before')\nx = bytearray(1 << 30)\nx[::4096] = b'a' * len(x[::4096])")
        self.assertIn((reply["exit_code"], reply["oom"]), ((137, True), (1, False)), reply)
        reply = self.execute("x = []\nwhile True: x.append(bytearray(1 << 20))")
        self.assertEqual((reply["exit_code"], reply["oom"], reply["timed_out"], reply["verdict"]), (137, True, False, "memory"), reply)

    def test_output_is_cut_and_marked(self) -> None:
        for length, cut in ((10000, False), (10001, True), (1000000, True)):
            with self.subTest(length=length):
                reply = self.execute(f"import sys; sys.stdout.write('x' * {length}); sys.stderr.write('y'); None")
                wanted = "x" * (10000 - 32) + MARKER if cut else "x" * length
                self.assertEqual((reply["stdout"], reply["stderr"]), (wanted, "y"))
                self.assertEqual((reply["truncated"], reply["exit_code"]), (cut, 0), reply["verdict"])

    def test_each_stream_is_cut_by_itself(self) -> None:
        reply = self.execute("import sys; sys.stdout.write('x' * 9000); sys.stderr.write('é' * 9000); None")
        self.assertEqual(reply["stdout"], "x" * 9000)
        self.assertEqual(reply["stderr"], "é" * ((10000 - 32) // 2) + MARKER)

    def test_program_goes_on_when_its_output_is_cut(self) -> None:
        reply = self.execute("for _ in range(300): print('x' * 1000)\nopen('done', 'w').write('1')")
        self.assertEqual([f["path"] for f in reply["files"]], ["done"], reply)

    def test_many_processes(self) -> None:
        reply = self.execute("import os\ntry:\n    while True:\n        if os.fork() == 0:\n            import time; time.sleep(60)\nexcept OSError as e: print('stopped')", timeout_ms=10000)
        self.assertFalse(reply["timed_out"], reply)
        self.assertEqual(reply["stdout"], "stopped\n")
