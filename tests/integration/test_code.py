"""--code: Python from a file or stdin, delivered as /code/script.py."""

import io
import py_compile
import subprocess
import zipfile

from support.case import Case
from support.messages import message
from support.run import Result, glovebox, run


class Code(Case):
    """Scripts of any size and any bytes."""

    def test_from_a_file(self) -> None:
        script = self.file("anything.txt", "import sys; print(__file__, __name__, sys.argv)")
        result = run("--code", script)
        self.assert_prints("/code/script.py __main__ ['/code/script.py']", result)

    def test_arguments(self) -> None:
        script = self.file("s.py", "import sys; print(sys.argv[1:])")
        words = ["x", "-v", "--code", "", "python3"]
        self.assert_prints(str(words), run("--code", script, argv=words))
        self.assert_prints("['y']", run("--code", "-", argv=["y"], stdin=script.read_bytes()))

    def test_another_program_with_it(self) -> None:
        script = self.file("s.py", "print('read')")
        words = ["-X", "dev", "-c", "print(open('/code/script.py').read())"]
        said = run("--code", script, "--entrypoint", "python3", argv=words)
        self.assert_prints("print('read')", said)
        self.assert_prints("/code/script.py", run("--code", script, "--entrypoint", "",
                                                  sh="ls /code/script.py"))  # fmt: skip

    def test_a_nul_byte_is_refused(self) -> None:
        code = b"print(1)\n\0print(2)\n"
        for flags in (["--code", self.file("nul.py", code)], ["--code", "-"]):
            result = run(*flags, stdin=code)
            self.assert_refused(result, "--code", "NUL", "line 2")

    def test_elsewhere_a_nul_byte_means_what_it_means_to_this_machines_python(self) -> None:
        code = b"print('before')\nprint('at \0 it')\nprint('behind')\n"
        script = self.file("nul.py", code)
        mounted = ["-v", f"{script}:/code/s.py:ro"]
        for given, alone in (([*mounted, "host", "python3", "/code/s.py"], [str(script)]), (["-i", "host", "python3", "-"], ["-"])):
            python = subprocess.run(["/usr/bin/python3", *alone], input=code, capture_output=True, check=False)
            result = glovebox("run", *given, stdin=code)
            self.assertEqual((result.status, result.stdout), (python.returncode, python.stdout))

    def test_an_archive_has_nul_bytes(self) -> None:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("__main__.py", "print('packed')")
        for head in (b"", b"#!/usr/bin/env python3\n"):
            self.assert_prints("packed", run("--code", "-", stdin=head + packed.getvalue()))

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

    def test_a_nul_byte_is_an_error(self) -> None:
        script = self.file("nul.py", b"print(1)\n\0print(2)\n")
        self.assert_refused(run("--code", script), "nul.py", "NUL", "byte")
        self.assert_refused(run("--code", "-", stdin=script.read_bytes()), "NUL", "byte")

    def test_archives_and_bytecode_may_have_them(self) -> None:
        with zipfile.ZipFile(self.folder / "a.pyz", "w") as archive:
            archive.writestr("__main__.py", "print('of an archive')")
        self.assert_prints("of an archive", run("--code", self.folder / "a.pyz"))
        source = self.file("s.py", "print('compiled')")
        py_compile.compile(str(source), str(self.folder / "c"))
        self.assert_prints("compiled", run("--code", self.folder / "c"))

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


class AScriptInAnotherPlace(Case):
    """A program of the host where an image, a program, a command or code belongs: the flag that runs it is named."""

    def setUp(self) -> None:
        """Make a script, and a directory with a program."""
        super().setUp()
        self.file("a.py", "print(6 * 7)")
        (self.folder / "pkg").mkdir()
        self.file("pkg/__main__.py", "import helper")
        self.file("pkg/helper.py", "print(6 * 7)")

    def here(self, *words: str) -> Result:
        """Run the binary in the directory of the script."""
        return glovebox(*words, cwd=self.folder, env={"GLOVEBOX_IMAGES": str(self.folder / "store")})

    def test_for_an_image(self) -> None:
        for word in ("a.py", "./a.py", str(self.folder / "a.py")):
            said = self.here("run", "--memory", "64m", word, "x")
            self.assert_refused(said, message("run_read_image", word, f'"glovebox run --code {word} host"'))

    def test_for_a_program(self) -> None:
        for word in ("a.py", "./a.py"):
            said = self.assert_status(self.here("run", "host", word), 127)
            self.assertIn(f'"glovebox run --code {word} IMAGE" runs it', said.err)
        said = self.assert_status(self.here("run", "--workspace", ".", "host", "./a.py"), 126)
        self.assertIn('"glovebox run --code ./a.py IMAGE" runs it', said.err)

    def test_for_an_argument_of_python(self) -> None:
        said = self.assert_status(self.here("run", "host", "python3", "a.py"), 2)
        self.assertRegex(said.err, message("run_hint_script#program", "a.py", '"glovebox run --code a.py IMAGE"'))
        for words in (["-c", "raise SystemExit(2)"], ["/a.py"], ["c.py"]):
            self.assertNotIn("--code", self.assert_status(self.here("run", "host", "python3", *words), 2).err)

    def test_for_a_command(self) -> None:
        self.assert_refused(self.here("a.py"), message("main_run_command", "a.py", '"glovebox run --code a.py host"'))

    def test_for_code(self) -> None:
        self.assert_refused(self.here("session", "exec", "nosuch", "a.py"), message("session_exec_read_source#file", "a.py", "--file a.py"))

    def test_a_directory(self) -> None:
        for word in ("pkg", "./pkg", "pkg/"):
            way = f'"glovebox run --workspace {word} %s python3 /data"'
            self.assert_refused(self.here(word), message("main_run_command", word, way % "host"))
            self.assert_refused(self.here("run", word), message("run_read_image", word, way % "host"))
            said = self.assert_status(self.here("run", "host", word), 127)
            self.assertRegex(said.err, message("run_add_meant", word, way % "IMAGE"))
            said = self.assert_status(self.here("run", "host", "python3", word), 2)
            self.assertRegex(said.err, message("run_hint_script#program", word, way % "IMAGE"))
        self.assertIn("python3 /data", self.here("run", "--workspace", ".", "host", "./pkg").err)
        self.assert_prints("42", self.here("run", "--workspace", "pkg", "host", "python3", "/data"))
        (self.folder / "pkg/__main__.py").unlink()
        self.assertNotIn("--workspace", self.here("run", "host", "./pkg").err)
        self.assert_refused(self.here("run", "./pkg"), message("script_missing#neither", "./pkg"))

    def test_a_directory_as_code(self) -> None:
        self.assert_refused(self.here("run", "--code", "pkg", "host"), message("sandbox_read_code", "pkg", "pkg"))

    def test_a_file_that_is_not_there(self) -> None:
        for word in ("b.py", "./b.py"):
            self.assert_refused(self.here("run", word), message("script_missing#such", word))
        said = self.assert_status(self.here("run", "host", "b.py"), 127)
        self.assertNotIn("--code", said.err)

    def test_what_is_named_runs_it(self) -> None:
        self.assert_prints("42", self.here("run", "--code", "a.py", "host"))
