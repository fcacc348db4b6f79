"""test_units - sources run as in an interactive session, and nothing gets out of run()."""

import builtins
import gc
import io
import json
import linecache
import os
import signal
import sys
import textwrap
import threading
import time
import types
import unittest
import weakref
from contextlib import redirect_stderr, redirect_stdout
from unittest import mock

import display
import units

OURS = (display.__file__, units.__file__)


class Session(unittest.TestCase):
    """Has an interpreter; afterwards, the process is as before."""

    def setUp(self):
        for patch in (
            mock.patch.dict(sys.modules),
            mock.patch.dict(vars(builtins)),
            mock.patch.dict(linecache.cache),
        ):
            patch.start()
            self.addCleanup(patch.stop)
        self.interpreter = units.Interpreter(display=True)
        self.addCleanup(lambda: self.interpreter._loop and self.interpreter._loop.close())
        self.names = self.interpreter.namespace

    def run_source(self, source, **options):
        """Run a source; whatever it is, the result has the promised form."""
        result = self.interpreter.run(textwrap.dedent(source), **options)
        json.dumps(result, allow_nan=False).encode()
        self.assertIn(result["status"], ("ok", "error", "exit"))
        self.assertEqual("error" in result, result["status"] == "error")
        self.assertEqual("exit_code" in result, result["status"] == "exit")
        for file in OURS:
            self.assertNotIn(file, json.dumps(result))
        return result

    def value(self, source):
        """Return the text of the value of a source that has one."""
        result = self.run_source(source)
        self.assertEqual(result["status"], "ok", result.get("error"))
        return result["value"]["text/plain"]

    def error(self, source):
        """Return the name of the error of a source, and its traceback as one text."""
        result = self.run_source(source)
        self.assertEqual(result["status"], "error", result)
        self.assertNotIn("value", result)
        return result["error"]["name"], "".join(result["error"]["traceback"])

    def nothing(self, source):
        """Expect no value and no error."""
        self.assertEqual(self.run_source(source), {"status": "ok", "displays": [], "figures": []})


class Values(Session):
    """Which value a source has."""

    def test_a_last_expression_is_the_value(self):
        self.assertEqual(self.value("1 + 1"), "2")
        self.assertEqual(self.value("x = 20\nx * 2"), "40")
        self.assertEqual(self.value("(\n1,\n2\n)  # comment; with semicolon"), "(1, 2)")
        self.assertEqual(self.value("'a;b'"), "'a;b'")

    def test_other_sources_have_none(self):
        for source in ("", "# nothing", "x = 1", "if 1: 2", "def f(): 3", "None", "\n\n;" * 0):
            with self.subTest(source=source):
                self.nothing(source)

    def test_a_semicolon_suppresses_the_value(self):
        for source in ("1;", "1 ; # c", "(1\n);", "'é';", "x = 1; 2;", "f'';\n\n# c", "1\\\n;"):
            with self.subTest(source=source):
                self.nothing(source)

    def test_names_persist(self):
        self.nothing("a = 1\ndef f(): return a")
        self.assertEqual(self.value("a += 1\nf()"), "2")

    def test_underscore_is_the_last_value(self):
        self.value("6 * 7")
        self.nothing("None")
        self.nothing("3;")
        self.assertEqual(self.value("_ + 1"), "43")
        self.assertEqual(self.value("_ + 1"), "44")
        self.assertNotIn("_", vars(builtins))

    def test_underscore_of_the_source_is_left_alone(self):
        self.nothing("for _ in range(3): pass")
        self.value("'value'")
        self.assertEqual(self.names["_"], 2)

    def test_underscore_of_gettext_is_left_alone(self):
        self.value("1")
        self.nothing("import builtins; builtins._ = str; del _")
        self.value("2")
        self.assertEqual(self.value("_(3)"), "'3'")

    def test_any_line_ends_do(self):
        for end in ("\n", "\r\n", "\r"):
            source = end.join(("x = '''a", "b'''", "x"))
            result = self.interpreter.run(source)
            self.assertEqual(result["value"]["text/plain"], "'a\\nb'")

    def test_a_byte_order_mark_is_ignored(self):
        self.assertEqual(self.value("\ufeff1"), "1")

    def test_odd_values_do_no_harm(self):
        self.nothing(
            """
            class Odd:
                def __init__(self, **methods): self.__dict__.update(methods)
                __class__ = int
                def __repr__(self): return 3
                def __eq__(self, other): raise ValueError
                def __bool__(self): raise ValueError
                def __hash__(self): raise ValueError
                def __getattr__(self, name): raise ValueError
            """
        )
        self.assertIn("__repr__ returned non-string", self.value("Odd()"))
        self.assertIn("__repr__ returned non-string", self.value("[Odd()]"))
        self.assertIn("[cut: its length is", self.value("list(range(10**6))"))

    def test_html_comes_along(self):
        result = self.run_source(
            """
            class Table:
                def _repr_html_(self): return '<table>'
            Table()
            """
        )
        self.assertEqual(result["value"]["text/html"], "<table>")

    def test_an_exit_in_a_repr_exits(self):
        result = self.run_source("class E:\n def __repr__(self): raise SystemExit(3)\nE()")
        self.assertEqual((result["status"], result["exit_code"]), ("exit", 3))
        self.assertNotIn("value", result)

    def test_display_collects_in_order(self):
        result = self.run_source("display(1, 'x')\nfor i in 'ab': display(i)\n2")
        texts = [shown["text/plain"] for shown in result["displays"]]
        self.assertEqual(texts, ["1", "'x'", "'a'", "'b'"])
        self.assertEqual(result["value"], {"text/plain": "2"})
        self.assertEqual(self.run_source("3")["displays"], [])

    def test_displays_before_an_error_are_kept(self):
        result = self.run_source("display(1); 1/0")
        self.assertEqual(result["status"], "error")
        self.assertEqual(len(result["displays"]), 1)

    def test_display_is_there_on_request_only(self):
        del builtins.display
        units.Interpreter()
        self.assertFalse(hasattr(builtins, "display"))

    def test_figures_are_drawn_also_after_an_error(self):
        opened = [1]
        pyplot = types.ModuleType("matplotlib.pyplot")
        pyplot.get_fignums = lambda: list(opened)
        pyplot.figure = lambda number: mock.Mock(spec=["savefig"])
        pyplot.close = lambda which: opened.clear()
        sys.modules["matplotlib.pyplot"] = pyplot
        result = self.run_source("1/0", formats=("svg",))
        self.assertEqual(result["status"], "error")
        self.assertEqual(list(result["figures"][0]), ["text/plain", "image/svg+xml"])
        self.assertEqual(self.run_source("1")["figures"], [])


class Namespace(Session):
    """What a source finds around it."""

    def test_nothing_of_ours_is_there(self):
        self.nothing("")
        fresh = {"__name__", "__doc__", "__package__", "__loader__", "__spec__", "__builtins__"}
        self.assertEqual(set(self.names), fresh)

    def test_it_is_main(self):
        self.assertEqual(self.value("__name__"), "'__main__'")
        self.assertEqual(self.value("import __main__\n__main__.__dict__ is globals()"), "True")
        self.assertEqual(self.value("__builtins__ is __import__('builtins')"), "True")
        self.assertEqual(self.value("locals() is globals()"), "True")

    def test_our_builtins_are_never_handed_out(self):
        self.nothing("del __builtins__")
        self.assertEqual(self.value("__builtins__ is __import__('builtins')"), "True")

    def test_our_modules_do_not_hide_others(self):
        self.assertNotIn("units", sys.modules)
        self.assertNotIn("display", sys.modules)

    def test_classes_can_be_pickled(self):
        source = "import pickle\nclass P: x = 1\npickle.loads(pickle.dumps(P())).x"
        self.assertEqual(self.value(source), "1")

    def test_sources_can_be_inspected(self):
        self.nothing("def f():\n    return 1")
        shown = self.value("import inspect\ninspect.getsource(f)")
        self.assertEqual(shown, repr("def f():\n    return 1\n"))

    def test_type_hints_resolve(self):
        source = """
            from __future__ import annotations
            import typing
            class A: pass
            def f(x: A): pass
            typing.get_type_hints(f)['x'] is A
            """
        self.assertEqual(self.value(source), "True")

    def test_future_flags_hold_within_a_source_and_later(self):
        probe = "def f(x: undefined): pass\nf.__annotations__"
        self.assertEqual(self.error(probe)[0], "NameError")
        self.nothing("from __future__ import annotations")
        self.assertEqual(self.value(probe), "{'x': 'undefined'}")
        self.assertEqual(units.Interpreter().run(probe)["status"], "error")

    def test_future_flags_reach_the_last_expression(self):
        source = "from __future__ import annotations\n(lambda: 0).__code__.co_flags"
        flag = __import__("__future__").annotations.compiler_flag
        self.assertTrue(int(self.value(source)) & flag)

    def test_our_own_future_flags_do_not_leak(self):
        shown = self.value("def f(x: int): pass\nf.__annotations__")
        self.assertEqual(shown, "{'x': <class 'int'>}")

    def test_values_are_not_kept_alive(self):
        self.nothing("class Big: pass\nbig = Big()")
        watched = weakref.ref(self.names["big"])
        self.error("def f(x): 1/0\nf(big)")
        self.nothing("del big")
        gc.collect()
        self.assertIsNone(watched())


class Errors(Session):
    """What exceptions look like."""

    def test_a_traceback_is_pythons(self):
        name, text = self.error("def f():\n    1 / 0\n\nf()")
        self.assertEqual(name, "ZeroDivisionError")
        lines = [line for line in text.splitlines() if not set(line.strip()) <= set("^~")]
        self.assertEqual(
            lines,
            [
                "Traceback (most recent call last):",
                '  File "<cell 1>", line 4, in <module>',
                "    f()",
                '  File "<cell 1>", line 2, in f',
                "    1 / 0",
                "ZeroDivisionError: division by zero",
            ],
        )

    def test_an_error_in_the_last_expression_has_its_line(self):
        text = self.error("x = 1\n\n1 / 0")[1]
        self.assertIn('"<cell 1>", line 3, in <module>\n    1 / 0\n', text)

    def test_lines_are_counted_as_python_does(self):
        text = self.error("x = 'a\x0bb\x0c\u2028'\n1/0")[1]
        self.assertIn("line 2, in <module>\n    1/0\n", text)

    def test_lines_of_earlier_sources_are_shown(self):
        self.nothing("def f(x):\n    return 1 / x")
        text = self.error("f(0)")[1]
        self.assertIn("    return 1 / x\n", text)
        self.assertIn("    f(0)\n", text)

    def test_lines_survive_a_clearing_of_linecache(self):
        for source in ("linecache.clearcache()", "linecache.checkcache()", "linecache.cache = {}"):
            with mock.patch.object(linecache, "cache", linecache.cache):
                self.assertIn("1/0", self.error(f"import linecache\n{source}\n1/0")[1])

    def test_linecache_is_bounded(self):
        for number in range(units.SOURCES_MAX + 50):
            self.interpreter.run(str(number))
        ours = [name for name in linecache.cache if name.startswith("<cell ")]
        self.assertEqual(len(ours), units.SOURCES_MAX)
        for _ in range(20):
            self.interpreter.run("x = '" + "x" * (1 << 20) + "'")
        ours = [entry[0] for name, entry in linecache.cache.items() if name.startswith("<cell ")]
        self.assertLessEqual(sum(ours), units.SOURCE_CHARACTERS_MAX)

    def test_a_syntax_error_has_no_frame(self):
        name, text = self.error("x = 1\n1 +")
        self.assertEqual(name, "SyntaxError")
        self.assertTrue(text.startswith('  File "<cell 1>", line 2\n    1 +\n'), text)
        self.assertTrue(text.endswith("^\nSyntaxError: invalid syntax\n"), text)
        self.assertNotIn("x", self.names)

    def test_a_syntax_error_of_the_compiler_shows_its_line(self):
        for source in ("x = 1\nreturn", "x = 1\ndef f():\n  x\n  global x", "(yield)"):
            text = self.error(source)[1]
            self.assertIn("\n    " + source.splitlines()[-1].strip() + "\n", text)
        self.assertNotIn("x", self.names)

    def test_a_syntax_error_of_foreign_code_keeps_its_frames(self):
        text = self.error("exec('1 +')")[1]
        self.assertIn('File "<cell 1>", line 1, in <module>', text)
        self.assertIn("SyntaxError", text)

    def test_sources_that_cannot_be_parsed_are_errors(self):
        for source in ("\0", "'\udc80'", "(" * 5000, "-" * 200_000 + "1", "if 1:\nx"):
            with self.subTest(source=source[:9]):
                self.error(source)
        for source in (None, b"1", 3):
            self.assertEqual(self.interpreter.run(source)["error"]["name"], "TypeError")

    def test_chained_exceptions_have_no_frame_of_ours(self):
        source = """
            def f():
                try: 1/0
                except Exception as e: raise ValueError('v') from e
            try: f()
            except Exception: raise KeyError('k')
            """
        text = self.error(source)[1]
        self.assertEqual(text.count("Traceback (most recent call last)"), 3)
        self.assertIn("direct cause", text)
        self.assertNotIn(" in run", text)

    def test_an_exception_kept_from_an_earlier_source_has_no_frame_of_ours(self):
        self.error("try: 1/0\nexcept Exception as e: kept = e; raise")
        text = self.error("raise ValueError from kept")[1]
        self.assertEqual(text.count("<cell 1>"), 1)

    @unittest.skipIf(sys.version_info < (3, 11), "cannot: groups are new in Python 3.11")
    def test_exception_groups_have_no_frame_of_ours(self):
        source = """
            errors = []
            for i in range(2):
                try: display(i, raw=True)
                except TypeError as e: errors.append(e)
            raise ExceptionGroup('both', errors)
            """
        name, text = self.error(source)
        self.assertEqual(name, "ExceptionGroup")
        self.assertEqual(text.count("TypeError: display(raw=True) wants a dict"), 2)

    def test_frames_of_ours_in_the_middle_are_hidden(self):
        source = """
            class Slow:
                def __repr__(self): raise KeyboardInterrupt
            def show(): display(Slow())
            show()
            """
        name, text = self.error(source)
        self.assertEqual(name, "KeyboardInterrupt")
        self.assertRegex(text, r"(?s)in <module>.*in show.*in __repr__")

    def test_keyboard_interrupt_is_an_error(self):
        name, text = self.error("raise KeyboardInterrupt")
        self.assertEqual(name, "KeyboardInterrupt")
        self.assertTrue(text.endswith("\nKeyboardInterrupt\n"))

    def test_a_signal_interrupts(self):
        source = "import os, signal\nwhile True: os.kill(os.getpid(), signal.SIGINT)"
        self.assertEqual(self.error(source)[0], "KeyboardInterrupt")
        self.assertEqual(self.value("1"), "1")

    def test_recursion_is_an_error(self):
        name, text = self.error("def f(): f()\nf()")
        self.assertEqual(name, "RecursionError")
        self.assertIn("[Previous line repeated", text)

    def test_huge_messages_are_cut(self):
        result = self.run_source("raise ValueError('x' * (20 << 20))")
        self.assertLess(len(json.dumps(result)), 3 << 20)

    def test_long_chains_are_cut_at_their_beginning(self):
        source = """
            e = None
            for i in range(20000):
                try: raise ValueError('message %d' % i) from e
                except Exception as f: e = f
            raise e
            """
        text = self.error(source)[1]
        self.assertLess(len(text), display.TEXT_MAX + 1000)
        self.assertTrue(text.endswith("message 19999\n"))

    def test_exceptions_that_resist_are_told(self):
        for body in (
            "def __str__(self): raise self",
            "def __str__(self): return 3",
            "__cause__ = property(lambda self: 1/0)",
            "__context__ = property(lambda self: 1/0)",
            "__traceback__ = property(lambda self: 1/0)",
            "__notes__ = property(lambda self: 1/0)",
            "__notes__ = 3",
            "def __getattribute__(self, name): raise self",
            "__class__ = int",
            "__suppress_context__ = property(lambda self: 1/0)",
        ):
            with self.subTest(body=body):
                name = self.error(f"class Bad(Exception):\n    {body}\nraise Bad('x')")[0]
                self.assertEqual(name, "Bad")

    def test_exceptions_whose_class_resists_are_told(self):
        source = """
            class Meta(type):
                __name__ = property(lambda self: 1/0)
                __hash__ = None
                def __getattribute__(self, name): raise ValueError
            class Bad(Exception, metaclass=Meta): pass
            raise Bad
            """
        self.assertEqual(self.error(source)[0], "Bad")


class Exits(Session):
    """What SystemExit gives."""

    def test_codes_are_what_the_shell_would_see(self):
        for code, expected in (
            *(("", 0), ("None", 0), ("0", 0), ("3", 3), ("True", 1), ("-1", 255)),
            *(("256", 0), ("2**70 + 1", 1)),
        ):
            result = self.run_source(f"raise SystemExit({code})")
            self.assertEqual((result["status"], result["exit_code"]), ("exit", expected))

    def test_a_message_goes_to_stderr(self):
        stderr = io.StringIO()
        with redirect_stderr(stderr):
            result = self.run_source("import sys\nsys.exit('bye')")
        self.assertEqual(result["exit_code"], 1)
        self.assertEqual(stderr.getvalue(), "bye\n")

    def test_messages_that_resist_do_no_harm(self):
        with redirect_stderr(io.StringIO()):
            for source in (
                "class M:\n def __str__(self): raise ValueError\nraise SystemExit(M())",
                "class E(SystemExit):\n code = property(lambda self: 1/0)\nraise E",
                "import sys; sys.stderr = None; sys.exit('x')",
            ):
                self.assertEqual(self.run_source(source)["exit_code"], 1)

    def test_a_forked_process_ends_with_its_source(self):
        for last, expected in (("pass", 0), ("raise SystemExit(5)", 5), ("1/0", 1)):
            source = f"import os\npid = os.fork()\nif pid == 0: {last}"
            stderr, sys.stderr = sys.stderr, io.StringIO()
            try:
                self.interpreter.run(source)  # the child must not come back from here
            finally:
                sys.stderr = stderr
            _, status = os.waitpid(self.names["pid"], 0)
            self.assertEqual(os.WEXITSTATUS(status), expected)


class Awaiting(Session):
    """Sources that await at top level."""

    def test_statements_and_expressions_may_await(self):
        source = """
            import asyncio
            async def f(x):
                await asyncio.sleep(0)
                return x
            y = await f(20)
            await f(y + 1)
            """
        self.assertEqual(self.value(source), "21")
        self.assertEqual(self.value("await f(1) + await f(2)"), "3")
        self.nothing("await f(1);")

    def test_asynchronous_loops_and_contexts_do(self):
        source = """
            async def g():
                yield 1
                yield 2
            total = 0
            async for i in g():
                total += i
            total, [i async for i in g()]
            """
        self.assertEqual(self.value(source), "(3, [1, 2])")

    def test_a_coroutine_that_is_not_awaited_is_a_value(self):
        self.assertIn("<coroutine object f", self.value("async def f(): pass\nc = f()\nc"))
        self.nothing("c.close()")

    def test_asyncio_is_imported_only_if_needed(self):
        for name in [n for n in sys.modules if n.partition(".")[0] == "asyncio"]:
            del sys.modules[name]
        self.value("async def f(): return 1\n1")
        self.assertNotIn("asyncio", sys.modules)
        self.assertEqual(self.value("await f()"), "1")
        self.assertIn("asyncio", sys.modules)

    def test_await_within_a_function_is_still_an_error(self):
        self.assertEqual(self.error("def f():\n    await g()")[0], "SyntaxError")

    def test_asyncio_run_works_as_in_a_script(self):
        source = "import asyncio\nasync def f(): return 1\nasyncio.run(f())"
        self.assertEqual(self.value(source), "1")
        self.assertEqual(self.value("await f()"), "1")
        self.assertEqual(self.value("asyncio.run(f())"), "1")

    def test_tasks_go_on_in_later_sources(self):
        source = """
            import asyncio
            done = []
            async def f():
                await asyncio.sleep(0)
                done.append(1)
            async def start(): return asyncio.ensure_future(f())
            task = await start()
            """
        self.nothing(source)
        self.nothing("await task")
        self.assertEqual(self.value("done"), "[1]")

    def test_a_closed_loop_is_replaced(self):
        self.nothing("import asyncio\nloop = await asyncio.sleep(0, asyncio.get_running_loop())")
        self.nothing("loop = (lambda: None)()")
        self.interpreter._loop.close()
        self.assertEqual(self.value("await asyncio.sleep(0, 1)"), "1")

    def test_a_traceback_has_neither_our_frames_nor_asyncios(self):
        source = "async def f():\n    1/0\n\nawait f()"
        name, text = self.error(source)
        self.assertEqual(name, "ZeroDivisionError")
        self.assertEqual(text.count("  File "), 2)

    def test_exits_and_interrupts_pass(self):
        result = self.run_source("async def f(): raise SystemExit(4)\nawait f()")
        self.assertEqual(result["exit_code"], 4)
        name, _ = self.error("async def f(): raise KeyboardInterrupt\nawait f()")
        self.assertEqual(name, "KeyboardInterrupt")

    def interrupt_after(self, seconds, times=1):
        def work():
            for _ in range(times):
                time.sleep(seconds)
                os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=work)
        thread.start()
        self.addCleanup(thread.join)

    def test_a_signal_interrupts_where_the_source_waits(self):
        self.interrupt_after(0.3)
        source = "import asyncio\nasync def f():\n    await asyncio.sleep(60)\nawait f()"
        name, text = self.error(source)
        self.assertEqual(name, "KeyboardInterrupt")
        self.assertIn("await asyncio.sleep(60)", text)
        self.assertEqual(self.value("await asyncio.sleep(0, 1)"), "1")

    def test_a_second_signal_ends_what_resists_the_first(self):
        self.interrupt_after(0.3, 2)
        source = """
            import asyncio
            while True:
                try: await asyncio.sleep(60)
                except asyncio.CancelledError: pass
            """
        stderr = io.StringIO()
        with redirect_stderr(stderr):
            self.assertEqual(self.error(source)[0], "KeyboardInterrupt")
            self.assertEqual(self.value("await asyncio.sleep(0, 1)"), "1")
            gc.collect()
        self.assertEqual(stderr.getvalue(), "")

    def test_a_stopped_loop_is_an_error(self):
        source = "import asyncio\nasyncio.get_running_loop().stop()\nawait asyncio.sleep(60)"
        self.assertEqual(self.error(source)[0], "RuntimeError")
        self.assertEqual(self.value("await asyncio.sleep(0, 1)"), "1")


class Hostile(Session):
    """Foreign code breaks its own results at most."""

    def test_replaced_builtins_do_no_harm(self):
        space, saved, run = vars(builtins), dict(vars(builtins)), self.interpreter.run
        self.names["exit_class"] = SystemExit
        run("space = vars(__builtins__)\nfor n in list(space):\n if n[0] != '_': del space[n]")
        result = run("[1]")
        failed = run("undefined")
        exited = run("raise exit_class(3)")
        left = space.copy()
        space.update(saved)
        self.assertNotIn("len", left)
        self.assertEqual(result["value"], {"text/plain": "[1]"})
        self.assertEqual(failed["error"]["name"], "NameError")
        self.assertEqual(exited["exit_code"], 3)

    def test_replaced_functions_of_modules_do_no_harm(self):
        for module, names in (
            ("traceback", ("format_exception", "TracebackException", "StackSummary")),
            ("linecache", ("cache", "getline", "checkcache", "lazycache")),
            ("json", ("dumps", "encoder")),
            ("os", ("_exit", "getpid")),
            ("ast", ("Expr", "parse")),
            ("sys", ("modules", "exc_info", "displayhook", "excepthook")),
            ("binascii", ("b2a_base64",)),
        ):
            with self.subTest(module=module), mock.patch.dict(vars(sys.modules[module])):
                # Within one source: what is missing must not hit the tests' own machinery.
                source = "".join(f"{module}.{name} = None\n" for name in names)
                result = self.interpreter.run(f"import {module}\n{source}[1]")
                failed = self.interpreter.run("1/0")
            self.assertEqual(result["value"], {"text/plain": "[1]"})
            self.assertEqual(failed["error"]["name"], "ZeroDivisionError")
            self.assertTrue(failed["error"]["traceback"][-1].startswith("ZeroDivisionError"))

    def test_emptied_modules_do_no_harm(self):
        self.nothing("import sys\nsys.modules.clear()")
        self.assertEqual(self.value("[1]"), "[1]")
        self.assertEqual(self.error("1/0")[0], "ZeroDivisionError")

    def test_a_low_recursion_limit_does_no_harm(self):
        source = """
            import sys
            limit = sys.getrecursionlimit()
            for low in range(5, limit):
                try: sys.setrecursionlimit(low); break
                except RecursionError: pass
            """
        first = self.interpreter.run(textwrap.dedent(source))
        second = self.interpreter.run("1/0")
        third = self.interpreter.run("sys.setrecursionlimit(limit)")
        sys.setrecursionlimit(1000)
        for result in (first, second, third):
            self.assertIn(result["status"], ("ok", "error"))
        self.assertEqual(self.value("1"), "1")

    def test_a_hostile_tracer_does_no_harm(self):
        self.addCleanup(sys.settrace, None)
        self.addCleanup(sys.setprofile, None)
        for name in ("settrace", "setprofile"):
            self.interpreter.run(f"import sys\ndef t(*_): raise ValueError\nsys.{name}(t)")
            self.interpreter.run("1")
            self.assertEqual(self.value("1"), "1")

    def test_frames_of_ours_may_be_spoiled(self):
        source = """
            import sys
            frame = sys._getframe()
            while frame.f_back and frame.f_code.co_name != 'run': frame = frame.f_back
            frame.f_globals['_report'] = None
            1/0
            """
        saved = units._report
        try:
            result = self.interpreter.run(textwrap.dedent(source))
        finally:
            units._report = saved
        self.assertEqual(result["error"]["name"], "SystemError")

    def test_values_that_return_ours_do_no_harm(self):
        self.value("display")
        self.value("display.__self__")
        self.value("globals()")

    def test_output_is_left_alone(self):
        stdout = io.StringIO()
        with redirect_stdout(stdout):
            self.run_source("print('x')\n1\n2")
        self.assertEqual(stdout.getvalue(), "x\n")
