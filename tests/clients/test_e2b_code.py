"""E2B's client of Python, unmodified, against `glovebox serve --face e2b` (make check-clients): code, its results and its contexts."""

import base64
import shutil

from support.e2b_client import ClientCase

SHOWS = """
class Shows:
    def __repr__(self): return "it"
    def _repr_html_(self): return "<b>é</b>"
    def _repr_markdown_(self): return "**é**"
    def _repr_svg_(self): return "<svg/>"
    def _repr_latex_(self): return "$x$"
    def _repr_png_(self): return b"\\x89PNG"
    def _repr_jpeg_(self): return b"\\xff\\xd8"
    def _repr_pdf_(self): return b"%PDF"
    def _repr_json_(self): return {"a": [1]}
    def _repr_javascript_(self): return "alert()"
Shows()
"""


class Code(ClientCase):
    """run_code."""

    def test_state(self) -> None:
        self.says(
            """
            sandbox = make()
            first, second = sandbox.run_code("import os; x = 41"), sandbox.run_code("x + 1")
            say(first.results, first.text, second.text, second.error, second.execution_count - first.execution_count)
            say(sandbox.run_code("os.getcwd(), os.path.expanduser('~')").text, sandbox.run_code("").results)
            """,
            [[], None, "42", None, 1],
            ["('/home/user', '/home/user')", []],
        )

    def test_output(self) -> None:
        self.says(
            """
            sandbox = make()
            said = sandbox.run_code("import sys; print('out é'); print('err', file=sys.stderr); 'a \\\\u2028 ü\\\\n'")
            say("".join(said.logs.stdout), "".join(said.logs.stderr), said.text)
            said = sandbox.run_code("print(1_000_000 * 'é')")
            say("".join(said.logs.stdout) == 500_000 * "é", "cut" in "".join(said.logs.stderr), said.error)
            say(sandbox.run_code("import subprocess; subprocess.run(['echo', 'of a child']).returncode").logs.stdout)
            """,
            ["out é\n", "err\n", "a \\u2028 ü\\n"],
            [True, True, None],
            [["of a child\n"]],
        )

    def test_results_of_every_kind(self) -> None:
        self.says(
            f"""
            found = make().run_code({SHOWS!r}).results[0]
            say({{name: found[name] for name in found.formats()}}, found.is_main_result)
            """,
            [
                {
                    "text": "it",
                    "html": "<b>é</b>",
                    "markdown": "**é**",
                    "svg": "<svg/>",
                    "latex": "$x$",
                    "png": base64.b64encode(b"\x89PNG").decode(),
                    "jpeg": base64.b64encode(b"\xff\xd8").decode(),
                    "pdf": base64.b64encode(b"%PDF").decode(),
                    "json": {"a": [1]},
                    "javascript": "alert()",
                },
                True,
            ],
        )

    def test_results_on_the_way(self) -> None:
        self.says(
            """
            sandbox = make()
            said = sandbox.run_code("display(1); display('two'); [3, {'a': None}]")
            say([[result.text, result.is_main_result] for result in said.results], said.results[-1].json, said.text)
            """,
            [[["1", False], ["two", False], ["[3, {'a': None}]", True]], [3, {"a": None}], "[3, {'a': None}]"],
        )

    def test_tables_and_figures(self) -> None:
        code = "import pandas, matplotlib.pyplot as plt; plt.plot([1, 2]); plt.show(); pandas.DataFrame({'a': [1, 2]})"
        (seen,) = self.seen(f"said = make().run_code({code!r})\nsay(said.error and said.error.name, [result.formats() for result in said.results])")
        if seen[0] == "ModuleNotFoundError":
            self.skipTest("cannot: the image has no pandas or no matplotlib")
        self.assertEqual([{*seen[1][0]} >= {"png"}, {*seen[1][-1]} >= {"text", "html", "data"}], [True, True], seen)

    def test_errors(self) -> None:
        self.says(
            """
            sandbox = make()
            error = sandbox.run_code("def f():\\n    raise ValueError('é\\\\n' + 200_000 * 'x')\\nf()").error
            say(error.name, error.value == "é\\n" + 200_000 * "x", "line 2" in error.traceback, "\\x1b" in error.traceback, "\\n" in error.traceback)
            said = sandbox.run_code("print(1); 1 / 0; print(2)")
            say(said.error.name, said.error.value, said.logs.stdout, said.results)
            say(sandbox.run_code("x =").error.name, sandbox.run_code("class Own(Exception): pass\\nraise Own('why')").error.name, sandbox.run_code("raise SystemExit(3)").error.name)
            """,
            ["ValueError", True, True, False, True],
            ["ZeroDivisionError", "division by zero", ["1\n"], []],
            ["SyntaxError", "Own", "SystemExit"],
        )

    def test_streams(self) -> None:
        self.says(
            """
            sandbox, seen = make(), []
            def on_stdout(message):
                seen.append(["stdout", message.line, message.error])
                sandbox.files.write("go", "")
            said = sandbox.run_code(
                "import os, sys, time\\nprint('began', flush=True)\\nwhile not os.path.exists('go'): time.sleep(0.01)\\nprint('err', file=sys.stderr)\\ndisplay(2)\\n1 / 0",
                on_stdout=on_stdout,
                on_stderr=lambda message: seen.append(["stderr", message.line, message.error]),
                on_result=lambda result: seen.append(["result", result.text]),
                on_error=lambda error: seen.append(["error", error.name]),
            )
            say(*seen)
            """,
            [["stdout", "began\n", False], ["stderr", "err\n", True], ["result", "2"], ["error", "ZeroDivisionError"]],
        )

    def test_what_ipython_takes(self) -> None:
        self.says(
            """
            sandbox = make()
            said = sandbox.run_code("!pwd; echo no >&2; exit 3\\n'after'")
            say("".join(said.logs.stdout + said.logs.stderr), said.error, said.text)
            say(sandbox.run_code("\\n        x = 1\\n        if x:\\n            x = 2\\n        x\\n        ").text)
            say(sandbox.run_code("display({'text/latex': '$x$'}, raw=True)").results[0].formats())
            """,
            ["/home/user\nno\n", None, "after"],
            ["2"],
            [["latex"]],
        )

    def test_environment(self) -> None:
        self.says(
            r"""
            sandbox = make(envs={"ALL": "of it", "BOTH": "1"})
            value = "it's \"é\"\n$HOME \\"
            sandbox.run_code("import os; see = lambda: [os.environ.get(name) for name in ('ALL', 'BOTH', 'CALL')]")
            say(sandbox.run_code("see()", envs={"CALL": value, "BOTH": "2"}).text == repr(["of it", "2", value]), sandbox.run_code("see()").text)
            """,
            [True, "['of it', '1', None]"],
        )

    def test_time(self) -> None:
        self.says(
            """
            sandbox = make()
            sandbox.run_code("x = 41")
            say(why(sandbox.run_code, "import time; time.sleep(1000)", timeout=1), sandbox.run_code("x").text)
            """,
            ["TimeoutException", "41"],
        )

    def test_languages(self) -> None:
        self.says(
            """
            sandbox = make()
            said = sandbox.run_code("pwd; echo no >&2; A=1; false", language="bash", envs={"GIVEN": "x"})
            say("".join(said.logs.stdout), "".join(said.logs.stderr))
            say(sandbox.run_code("x = 1; x", language="python").text, why(sandbox.run_code, "1", language="cobol"))
            """,
            ["/home/user\n", "no\n"],
            ["1", "SandboxException"],
        )

    def test_javascript(self) -> None:
        if not shutil.which("node", path="/usr/bin:/bin"):
            self.skipTest("cannot: this machine's /usr has no node, so its image has none")
        self.says(
            """
            said = make().run_code("console.log('é')", language="javascript")
            say("".join(said.logs.stdout), said.error)
            """,
            ["é\n", None],
        )

    def test_an_interpreter_that_ends_takes_its_sandbox_along(self) -> None:
        self.says(
            """
            sandbox = make()
            said = sandbox.run_code("import os; print(1, flush=True); os._exit(3)")
            say(said.logs.stdout, said.error is not None)
            wait_until(lambda: not sandbox.is_running())
            say(why(sandbox.run_code, "1"))
            """,
            [["1\n"], True],
            ["TimeoutException"],
        )


class Contexts(ClientCase):
    """Contexts of code."""

    def test_each_has_its_own(self) -> None:
        self.says(
            """
            sandbox = make()
            context = sandbox.create_code_context(cwd="/tmp")
            say(context.language, context.cwd, context.id in [known.id for known in sandbox.list_code_contexts()])
            sandbox.run_code("x = 1")
            sandbox.run_code("y = 2", context=context)
            say(sandbox.run_code("x", context=context).error.name, sandbox.run_code("y").error.name)
            say(sandbox.run_code("import os; y, os.getcwd()", context=context).text)
            sandbox.restart_code_context(context)
            say(sandbox.run_code("y", context=context).error.name, sandbox.run_code("x").text)
            sandbox.remove_code_context(context.id)
            say(context.id in [known.id for known in sandbox.list_code_contexts()], why(sandbox.run_code, "1", context=context))
            say(why(sandbox.restart_code_context, context), why(sandbox.remove_code_context, "none"))
            """,
            ["python", "/tmp", True],
            ["NameError", "NameError"],
            ["(2, '/tmp')"],
            ["NameError", "1"],
            [False, "NotFoundException"],
            ["NotFoundException"] * 2,
        )

    def test_the_one_that_is_there(self) -> None:
        self.says(
            """
            sandbox = make()
            sandbox.run_code("x = 1")
            (known,) = [context for context in sandbox.list_code_contexts() if context.language == "python"]
            say(known.cwd, sandbox.run_code("x", context=known).text)
            """,
            ["/home/user", "1"],
        )

    def test_restarted_in_the_middle(self) -> None:
        self.says(
            """
            import threading
            sandbox = make()
            context, began = sandbox.create_code_context(), threading.Event()
            restarts = threading.Thread(target=lambda: began.wait() and sandbox.restart_code_context(context))
            restarts.start()
            said = sandbox.run_code("import time; print(1, flush=True); time.sleep(1000)", context=context, on_stdout=lambda message: began.set())
            restarts.join()
            say(said.error is not None, sandbox.run_code("2", context=context).text)
            """,
            [True, "2"],
        )

    def test_several_at_once_wait_for_each_other(self) -> None:
        self.says(
            """
            import threading
            sandbox = make()
            context = sandbox.create_code_context()
            said = {}
            def call(name, context):
                said[name] = sandbox.run_code(f"import time; time.sleep(0.1); {name!r}", context=context).text
            calls = [threading.Thread(target=call, args=given) for given in (("a", None), ("b", None), ("c", context))]
            for thread in calls: thread.start()
            for thread in calls: thread.join()
            say(sorted(said.items()))
            """,
            [[["a", "a"], ["b", "b"], ["c", "c"]]],
        )
