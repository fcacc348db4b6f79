"""--json, --result-file and --explain."""

import json

from support.case import Case
from support.messages import message
from support.run import run
from support.times import seconds

FIELDS = {
    *("stdout", "stderr", "exit_code", "signal", "verdict", "timed_out", "oom_killed"),
    *("duration_ms", "cpu_ms", "memory_peak_bytes", "truncated", "files", "refused"),
}


# Says how much CPU time it has used, all the time.
BURN = """
import os, time
child = os.fork()
while child:
    print(time.process_time() * 1e3, flush=True)
"""


class Json(Case):
    """One object on stdout, whatever the program prints."""

    def test_fields(self) -> None:
        result = run("--json", sh="echo out; echo err >&2; exit 3")
        self.assert_status(result, 3)
        self.assertEqual(result.err, "")
        self.assertTrue(result.out.endswith("}\n"))
        self.assertLessEqual(FIELDS, set(result.json))
        wanted = {
            "stdout": "out\n",
            "stderr": "err\n",
            "exit_code": 3,
            "signal": None,
            "verdict": "exited",
            "timed_out": False,
            "oom_killed": False,
            "truncated": {"stdout": False, "stderr": False},
            "files": [],
            "refused": [],
        }
        self.assertEqual({k: result.json[k] for k in wanted}, wanted)
        for name in ("duration_ms", "cpu_ms", "memory_peak_bytes"):
            self.assertIsInstance(result.json[name], int)
        self.assertGreater(result.json["memory_peak_bytes"], 100_000)
        self.assertGreater(result.json["duration_ms"], 0)

    def test_signal(self) -> None:
        result = run("--json", sh="kill -SEGV $$")
        self.assert_status(result, 139)
        self.assertEqual(result.json["signal"], 11)
        self.assertEqual(result.json["verdict"], "signalled")
        self.assertEqual(result.json["exit_code"], 139)

    def test_what_was_printed_before_an_end_is_there(self) -> None:
        for end in ("ctypes.string_at(0)", "os._exit(3)", "os.kill(os.getpid(), 9)", "b = bytearray(1 << 30)"):
            for flags in (("--json",), ("--timeout=60s",), ("--result-file", str(self.file("result")))):
                with self.subTest(end=end, flags=flags):
                    result = run(*flags, "--memory=100m", py=f"import ctypes, os; print('a'); print('b', end=''); {end}")
                    self.assertEqual(result.json["stdout"] if "--json" in flags else result.out, "a\nb")

    def test_what_was_printed_before_the_deadline_is_there(self) -> None:
        result = run("--json", "--timeout=1s", py="import time; print('a', end=''); time.sleep(100)")
        self.assert_status(result, 124)
        self.assertEqual(result.json["stdout"], "a")

    def test_variable_of_the_caller_is_kept(self) -> None:
        py = "import os; print(os.environ['PYTHONUNBUFFERED'])"
        for flags, value in ((("--json",), "1"), (("--json", "-e", "PYTHONUNBUFFERED=x"), "x")):
            self.assertEqual(run(*flags, py=py).json["stdout"], f"{value}\n")

    def text(self, script: str) -> str:
        """Return the stdout field of a Python script that writes bytes."""
        result = run("--json", py=f"import sys; sys.stdout.buffer.write({script})")
        self.assert_status(result)
        result.stdout.decode("ascii")  # other readers are easily confused by more
        return result.json["stdout"]

    def test_control_characters(self) -> None:
        self.assertEqual(self.text("bytes(range(128))"), bytes(range(128)).decode())

    def test_unicode(self) -> None:
        for text in ("äöü", "日本", "😀", "\u2028\x85", "\ufeff", "\uffff", "\U0010ffff"):
            with self.subTest(text=text):
                self.assertEqual(self.text(f"{text!r}.encode()"), text)

    def test_invalid_utf8_is_replaced(self) -> None:
        for raw in (
            *(b"\xff", b"a\x80b", b"\xc3", b"\xe2\x82", b"\xc0\xaf", b"\xf8\x88\x80\x80\x80"),
            *(
                b"\xed\xa0\x80",
                b"\xed\xb0\x80",
                b"\xf4\x90\x80\x80",
                b"ok\xf0\x9f\x98",
                bytes(range(256)),
            ),
        ):
            with self.subTest(raw=raw):
                self.assertEqual(self.text(repr(raw)), raw.decode(errors="replace"))

    def test_ten_megabytes(self) -> None:
        self.assertEqual(len(self.text("b'0123456789' * 1_000_000")), 10_000_000)
        self.assertEqual(self.text("b'\\xff' * 1_000_000"), "\ufffd" * 1_000_000)

    def test_a_character_split_over_two_writes(self) -> None:
        script = """
import os, time
for byte in "😀é".encode():
    os.write(1, bytes([byte])); time.sleep(0.02)
"""
        self.assertEqual(run("--json", py=script).json["stdout"], "😀é")

    def test_output_that_looks_like_the_object(self) -> None:
        result = run("--json", sh="""echo '{"exit_code": 0, "verdict": "exited"}"'; exit 4""")
        self.assertEqual(result.json["exit_code"], 4)

    def test_a_program_that_is_not_found(self) -> None:
        result = run("--json", argv=["no-such-program"])
        self.assert_status(result, 127)
        if result.out:
            self.assertEqual(result.json["exit_code"], 127)
        else:
            self.assertIn("no-such-program", result.err)

    def test_our_own_failure_is_no_object(self) -> None:
        result = run("--json", "--memory", "x", argv=["/bin/true"])
        self.assert_refused(result, "--memory")

    def test_file_names_that_are_not_utf8(self) -> None:
        script = r"""
for name in (b"\xff", b"\xfe", b"new\nline", b'"'):
    open(b"/output/" + name, "w").close()
"""
        result = run("--json", f"--output={self.folder}/o", py=script)
        self.assert_status(result)
        files = result.json["files"] + result.json["refused"]
        self.assertEqual(sorted(f["path"] for f in files), ['"', "new\nline", "\ufffd", "\ufffd"])
        self.assertEqual({f["path_hex"] for f in files if "path_hex" in f}, {"ff", "fe"})

    def test_stdin_works_beside_it(self) -> None:
        self.assertEqual(run("--json", "-i", argv=["cat"], stdin=b"in").json["stdout"], "in")


class Usage(Case):
    """What a run used, as its control group counted it."""

    kernel = True
    as_user = True

    def test_cpu_is_counted(self) -> None:
        result = run("--json", py="import time\nwhile time.process_time() < 0.5: pass")
        self.assertGreaterEqual(result.json["cpu_ms"], 450)

    def test_cpu_of_what_was_killed_is_counted(self) -> None:
        """The kernel adds up only what somebody waited for: on v1 nobody waits for what is killed."""
        said = self.assert_status(run("--json", "--timeout", seconds(3), py=BURN), 124).json
        self.assertGreaterEqual(said["cpu_ms"], float(said["stdout"].split()[-1]) / 2)

    def test_cpu_of_children_that_were_left_is_counted(self) -> None:
        """They end after the program, which has not waited for them."""
        left = """
import os, time
ready, done = os.pipe()
if os.fork() == 0:
    while time.process_time() < 0.5: pass
    os.write(done, b"x")
    while True: pass
os.read(ready, 1)
"""
        said = self.assert_status(run("--json", py=left)).json
        self.assertGreaterEqual(said["cpu_ms"], 490)

    def test_memory_peak_is_counted(self) -> None:
        result = run("--json", py="b = bytearray(100 << 20)")
        self.assertGreater(result.json["memory_peak_bytes"], 100 << 20)
        self.assertLess(result.json["memory_peak_bytes"], 200 << 20)


class NoNetwork(Case):
    """A program that looks for a network which its sandbox has not."""

    CONNECTS = "import socket; socket.create_connection(('198.51.100.7', 80))"
    LOOKS_UP = "import socket; socket.getaddrinfo('example.org', 80)"

    def test_one_that_fails_is_told(self) -> None:
        for py in (self.CONNECTS, self.LOOKS_UP):
            with self.subTest(py):
                self.assertRegex(run(py=py).err, message("report_say_network#none"))
                self.assertIs(run("--json", py=py).json["no_network"], True)

    def test_others_are_not(self) -> None:
        fine = f"try:\n  {self.CONNECTS}\nexcept OSError: pass"
        for py in (fine, "1 / 0", "import socket; socket.create_connection(('127.0.0.1', 81))"):
            with self.subTest(py):
                self.assertNotIn("[NETWORK]", run(py=py).err)
                self.assertIs(run("--json", py=py).json["no_network"], False)


class ResultFile(Case):
    """--result-file: the same object, beside the normal output."""

    def test_written_beside_the_output(self) -> None:
        path = self.folder / "result.json"
        result = run("--result-file", path, sh="echo out; echo err >&2; exit 3")
        self.assert_status(result, 3)
        self.assertEqual((result.out, result.err), ("out\n", "err\n"))
        written = json.loads(path.read_text())
        self.assertEqual(written["exit_code"], 3)
        self.assertEqual(written["verdict"], "exited")
        self.assertIn("memory_peak_bytes", written)

    def test_an_old_one_is_replaced(self) -> None:
        path = self.file("result.json", "old " * 10_000)
        self.assert_status(run("--result-file", path, argv=["/bin/true"]))
        self.assertEqual(json.loads(path.read_text())["exit_code"], 0)

    def test_written_at_a_timeout(self) -> None:
        path = self.folder / "result.json"
        self.assert_status(run("--result-file", path, "--timeout", "1", sh="sleep 1000"), 124)
        self.assertIs(json.loads(path.read_text())["timed_out"], True)

    def test_with_json(self) -> None:
        path = self.folder / "result.json"
        result = run("--json", "--result-file", path, sh="echo out")
        self.assertEqual(result.json["stdout"], "out\n")
        self.assertEqual(json.loads(path.read_text())["exit_code"], 0)


class Explain(Case):
    """--explain prints the plan and does nothing."""

    as_user = ("test_shows_mounts_limits_and_steps",)

    def test_runs_nothing(self) -> None:
        out, missing, cid = self.subfolder("out"), self.folder / "missing", self.folder / "cid"
        flags = ["-v", f"{out}:/x", "--output", missing, "--cidfile", cid]
        result = run("--explain", *flags, sh="touch /x/f; echo ran")
        self.assert_status(result)
        self.assertNotIn("\nran", result.out)
        self.assertEqual(list(out.iterdir()), [])
        self.assertFalse(missing.exists() or cid.exists())

    def test_shows_mounts_limits_and_steps(self) -> None:
        out = self.subfolder("out")
        flags = ["-v", f"{out}:/output:ro", "-m", "77m", "--pids-limit", "55", "--timeout", "11"]
        result = self.assert_status(run("--explain", *flags, "--tmpfs", "/scratch", sh="true"))
        self.assertNotIn("(null)", result.out)
        for word in (
            str(out),
            "/output",
            "/scratch",
            "77",
            "55",
            "11",
            "seccomp",
            "landlock",
            "/tmp",
        ):
            with self.subTest(word=word):
                self.assertIn(word, result.out.lower() if word.islower() else result.out)
        self.assertLess(
            result.out.lower().index("no-new-priv"), result.out.lower().rindex("seccomp")
        )

    def test_refuses_what_a_run_refuses(self) -> None:
        self.assert_refused(run("--explain", "--privileged", argv=["/bin/true"]), "--privileged")
        self.assert_refused(run("--explain", image="no-such-image"), "no-such-image")
