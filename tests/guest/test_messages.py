"""The list of all messages (tools/messages, tests/messages.txt)."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/messages.d"), str(ROOT / "tests")]

import ways  # noqa: E402
from support.messages import message, sentence  # noqa: E402

C = "runtime/base/thing.c"
PYTHON = "rootfs/guest/thing.py"


class Tree(unittest.TestCase):
    """Sources of few lines, and the program that reads them."""

    def setUp(self) -> None:
        """Only the kinds of errors are the project's own."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name in ("agent", "runtime/base", "rootfs/guest", "tests"):
            (self.root / name).mkdir(parents=True)
        for name in ("err.c", "err.h"):
            shutil.copy(ROOT / "runtime/base" / name, self.root / "runtime/base")

    def messages(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run it on the tree."""
        command = [sys.executable, ROOT / "tools/messages", "--root", self.root, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def write(self, path: str, text: str) -> None:
        """Make a source file."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def rows(self, path: str, text: str) -> list[tuple[str, ...]]:
        """Return kind, function and text of the messages of one file."""
        self.write(path, text)
        done = self.messages()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = [line.split("\t") for line in (self.root / "tests/messages.txt").read_text().splitlines()]
        return [(kind, function, said) for kind, where, function, said in rows if where == path]

    def of(self, body: str, before: str = "", head: str = "int f(struct err *e)") -> list[tuple[str, ...]]:
        """Return the rows of a C file with one function of this body."""
        return self.rows(C, f"{before}\n{head}\n{{\n\t{body}\n}}\n")


class Ways(Tree):
    """Each way of making a message is seen."""

    def test_each_call_with_its_kind(self) -> None:
        """The rows of ways.py, each called with a constant kind."""
        given = {ways.KIND: ("ERR_BUSY", "busy"), ways.STATUS: ("404", "http 404"), ways.CODE: ("x", "mcp any")}
        for name, (kind, at) in ways.SINKS.items():
            arguments = ["x"] * at + ['"the thing is wrong"']
            if not isinstance(kind, str):
                arguments[kind[1]], kind = given[kind[0]]
            with self.subTest(name):
                self.assertIn((kind, "f", "the thing is wrong"), self.of(f"{name}({', '.join(arguments)});"))

    def test_streams_by_where_they_go(self) -> None:
        """Standard error, standard output, and what is decided elsewhere."""
        for name, (stream, at) in ways.STREAMS.items():
            for to, kind in (("stderr", "stderr"), ("stdout", "stdout"), ("to", "part")):
                arguments = [to if i == stream else '"the thing is wrong"' for i in range(2)]
                with self.subTest(name, to=to):
                    self.assertEqual(self.of(f"{name}({', '.join(arguments)});"), [(kind, "f", "the thing is wrong")])
                    self.assertEqual(at, 1 - stream)

    def test_pieces(self) -> None:
        """What puts texts together."""
        for name, at in ways.BUILDERS.items():
            with self.subTest(name):
                self.assertIn("the thing is wrong", [r[2] for r in self.of(f'{name}({"x, " * at}"the thing is wrong");')])

    def test_a_message_of_one_word_is_one(self) -> None:
        """Verb and object."""
        self.assertEqual(self.of('return err_sys(e, "open %s", path);'), [("system", "f", "open %s")])

    def test_a_choice_is_two_messages(self) -> None:
        """A ? B : C, as the message and as its kind."""
        found = self.of('err_set(e, a ? ERR_BUSY : ERR_GONE, b ? "it is %s" : "it was %s", c);')
        self.assertEqual(found, [("busy|gone", "f", "it is %s"), ("busy|gone", "f", "it was %s")])

    def test_strings_in_several_lines_and_macros(self) -> None:
        """One text, without the names of macros."""
        found = self.of('err_input(e, "more than %" PRIu64\n\t\t" of " WHAT, n);', before='#define WHAT "the \\"things\\""')
        self.assertEqual(found, [("invalid", "f", 'more than %u of the \\"things\\"')])
        found = self.of("err_input(e, WHAT);", before='#define WHAT "the thing is wrong"')
        self.assertEqual(found, [("invalid", "f", "the thing is wrong")])

    def test_a_function_that_refuses_for_others(self) -> None:
        """The text stands at the caller, with what goes around it, through two functions and with the kind."""
        refuse = "static int refuse(enum err_kind kind, const char *why, struct err *e)\n{\n"
        refuse += '\treturn err_set(e, kind, "\\"%.10s\\" %s", name, why);\n}\n'
        refuse += "static int twice(const char *why, struct err *e)\n{\n\treturn refuse(ERR_LIMIT, why, e);\n}\n"
        self.assertIn(("limit", "f", '\\"%.10s\\" is too long'), self.of('return twice("is too long", e);', before=refuse))

    def test_a_text_in_a_format(self) -> None:
        """A literal for a %s is shown in its place."""
        found = self.of('err_input(e, "%s has %d%s", name, n, n ? "" : " (there are none)");')
        self.assertEqual(found, [("invalid", "f", "%s has %d%s"), ("invalid", "f", "%s has %d (there are none)")])

    def test_tables_fields_and_results(self) -> None:
        """Texts that reach a message through a variable."""
        table = 'static const struct { int n; const char *text; } known[] = {\n\t{1, "no such thing"},\n};\n'
        self.assertIn(("part", "known", "no such thing"), self.of("return 0;", before=table))
        for body in ('x->why = "no such thing";', 'return "no such thing";', 'const char *why = "no such thing";'):
            self.assertEqual(self.of(body), [("part", "f", "no such thing")])

    def test_helps_are_not_messages(self) -> None:
        """They have tests of their own."""
        row = 'static const struct setting rows[] = {\n\t{"name", .help = "the name of it"},\n};\n'
        self.assertEqual(self.of("return 0;", before=row), [])

    def test_the_guest(self) -> None:
        """Python: raised, written, returned; no docstring and no annotation."""
        source = '"""It is a module."""\nimport sys\n\n\ndef f(n: "list of ints") -> str:\n    """It is a function."""\n'
        source += '    if n:\n        raise ValueError(f"{n} is too many")\n    sys.stderr.write("cannot go on\\n")\n    return "none of it"\n'
        found = [("ValueError", "f", "%s is too many"), ("stderr", "f", "cannot go on\\n"), ("part", "f", "none of it")]
        self.assertEqual(self.rows(PYTHON, source), found)


class Unknown(Tree):
    """What nobody has thought of ends the program, with file and line."""

    def refused(self, path: str, text: str, line: int, why: str) -> None:
        """Look for file, line and reason."""
        self.write(path, text)
        done = self.messages("--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{path}:{line}: ", done.stderr)
        self.assertIn(why, done.stderr)

    def test_a_call(self) -> None:
        """A text that goes to a function of somebody else."""
        self.refused(C, 'int f(void)\n{\n\treturn 1 +\n\t\ttell("it is wrong");\n}\n', 4, "tell()")

    def test_a_function_with_a_format(self) -> None:
        """It is refused before somebody calls it."""
        self.refused(C, "\n\nvoid tell(struct x *x, const char *format, ...);\n", 3, "tell()")

    def test_a_macro(self) -> None:
        """A text beside code in a macro."""
        self.refused(C, '\n#define TELL(e) err_input((e), "it is wrong")\n', 2, "TELL")

    def test_a_text_that_is_nowhere(self) -> None:
        """Neither call, assignment, table nor result."""
        self.refused(C, 'int f(void)\n{\n\t"it is wrong";\n}\n', 3, "alone")

    def test_python(self) -> None:
        """A call that is in no table."""
        self.refused(PYTHON, '\ntell("it is wrong")\n', 2, "tell()")


class Check(Tree):
    """--check compares, and writes nothing."""

    def test_a_changed_message_is_shown(self) -> None:
        """Old and new, status 1; a second make messages mends it."""
        self.of('err_input(e, "the thing is wrong");')
        self.assertEqual(self.messages("--check").returncode, 0)
        self.write(C, 'int f(void)\n{\n\terr_input(e, "the thing is bad");\n}\n')
        listed = (self.root / "tests/messages.txt").read_text()
        done = self.messages("--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"-invalid\t{C}\tf\tthe thing is wrong\n+invalid\t{C}\tf\tthe thing is bad\n", done.stdout)
        self.assertIn("make messages", done.stderr)
        self.assertEqual((self.root / "tests/messages.txt").read_text(), listed)
        self.messages()
        self.assertEqual(self.messages("--check").returncode, 0)

    def test_a_test_names_what_has_no_message(self) -> None:
        """It is found without running that test."""
        self.of('err_input(e, "the thing is wrong");')
        for name, status in (("f", 0), ("gone", 1)):
            self.write("tests/warm/test_thing.py", f'from support.messages import message\nmessage("{name}#wrong")\nself.message("no_list")\n')
            done = self.messages("--check")
            self.assertEqual((done.returncode, "names gone()" in done.stderr), (status, bool(status)), done.stderr)

    def test_no_list_is_a_difference(self) -> None:
        """Of a tree that has none."""
        self.write(C, 'int f(void)\n{\n\terr_input(e, "the thing is wrong");\n}\n')
        self.assertEqual(self.messages("--check").returncode, 1)

    def test_ours_is_as_the_sources_have_it(self) -> None:
        """The project's own."""
        done = subprocess.run([ROOT / "tools/messages", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))


class Named(unittest.TestCase):
    """A test names the function in place of the sentence (support/messages.py)."""

    def test_a_message_is_told_from_its_neighbours(self) -> None:
        """By its number, and by the things that it names, in their order."""
        said = sentence("parse_octal#range", 10000, 7777)
        self.assertRegex(f"glovebox: --mode: {said}", message("parse_octal", 10000, 7777))
        self.assertRegex(said, message("parse_octal#range", 7777))
        for wrong in (message("parse_octal#octal"), message("parse_octal", 7777, 10000), message("parse_bool")):
            self.assertNotRegex(said, wrong)

    def test_what_is_not_listed_is_no_message(self) -> None:
        """A function that was renamed is a failure."""
        with self.assertRaises(KeyError):
            message("parse_octals")


if __name__ == "__main__":
    unittest.main()
