"""--code: Python from a file or stdin, delivered as /code/script.py."""

from support.case import Case
from support.run import run


class Code(Case):
    """Scripts of any size and any bytes."""

    def test_from_a_file(self) -> None:
        script = self.file("anything.txt", "import sys; print(__file__, __name__, sys.argv)")
        result = run("--code", script)
        self.assert_prints("/code/script.py __main__ ['/code/script.py']", result)

    def test_from_stdin(self) -> None:
        self.assert_prints("42", run("--code", "-", stdin=b"print(6 * 7)"))

    def test_stdin_of_the_program_is_empty_then(self) -> None:
        code = b"import sys; print(len(sys.stdin.read()))"
        self.assert_prints("0", run("--code", "-", stdin=code))

    def test_stdin_beside_a_file(self) -> None:
        script = self.file("s.py", "import sys; print(sys.stdin.read())")
        self.assert_prints("in", run("-i", "--code", script, stdin=b"in"))

    def test_stdin_twice_is_refused(self) -> None:
        self.assert_refused(run("-i", "--code", "-", stdin=b"x"), "--code")

    def test_it_is_not_in_the_arguments(self) -> None:
        code = b"print(open('/proc/self/cmdline').read())"
        result = self.assert_status(run("--code", "-", stdin=code))
        self.assertIn("/code/script.py", result.out)
        self.assertNotIn("print", result.out)

    def test_it_is_read_only(self) -> None:
        code = b"""
import os
changes = (
    lambda: open(__file__, "a"),
    lambda: os.unlink(__file__),
    lambda: open("/code/x", "w"),
)
for change in changes:
    try:
        change(); print("changed")
    except OSError:
        pass
"""
        script = self.file("s.py", code)
        self.assert_prints("", run("--code", script))
        self.assert_prints("", run("--code", "-", stdin=code))
        self.assertEqual(script.read_bytes(), code)

    def test_empty(self) -> None:
        self.assert_prints("", run("--code", self.file("empty.py")))
        self.assert_prints("", run("--code", "-", stdin=b""))

    def test_fifty_megabytes(self) -> None:
        code = (b"#" + b"x" * 998 + b"\n") * 50_000 + b"print('end')\n"
        self.assert_prints("end", run("--code", self.file("big.py", code)))
        self.assert_prints("end", run("--code", "-", stdin=code))

    def test_not_utf8(self) -> None:
        result = run("--code", "-", stdin=b"print('\xff')\n")
        self.assert_status(result, 1)
        self.assertIn("SyntaxError", result.err)
        latin = b"# coding: latin-1\nprint(len('\xff'))\n"
        self.assert_prints("1", run("--code", "-", stdin=latin))

    def test_traceback_and_status(self) -> None:
        result = run("--code", "-", stdin=b"def f():\n    1 / 0\nf()\n")
        self.assert_status(result, 1)
        self.assertIn('File "/code/script.py", line 2, in f', result.err)
        self.assertIn("    1 / 0", result.err)
        self.assert_status(run("--code", "-", stdin=b"raise SystemExit(7)"), 7)

    def test_a_directory_or_nothing_is_refused(self) -> None:
        self.assert_refused(run("--code", self.folder), str(self.folder))
        self.assert_refused(run("--code", "/no/such/file"), "/no/such/file")

    def test_a_script_that_only_its_owner_may_read(self) -> None:
        script = self.file("private.py", "print('ran')")
        script.chmod(0o600)
        self.assert_prints("ran", run("--code", script))

    def test_with_limits_and_json(self) -> None:
        result = run("--json", "--code", "-", "--timeout", "60", stdin=b"print('x')")
        self.assertEqual(result.json["stdout"], "x\n")
