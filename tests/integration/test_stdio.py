"""Standard streams: byte-exact, in order, drained, closed when they should be."""

import hashlib
import json
import os
import random
import signal
import subprocess

from support.case import Case
from support.messages import sentence
from support.run import GLOVEBOX, command, run, unique
from support.times import DEADLINE

BLOB = random.Random(1).randbytes(5_000_000)


class Stdin(Case):
    """-i passes stdin; without it there is none."""

    def test_five_megabytes_both_ways(self) -> None:
        result = run("-i", argv=["cat"], stdin=BLOB)
        self.assert_status(result)
        self.assertEqual(hashlib.sha256(result.stdout).digest(), hashlib.sha256(BLOB).digest())

    def test_without_i_stdin_is_at_its_end(self) -> None:
        self.assert_prints("0", run(sh="wc -c", stdin=b"x" * 100_000))

    def test_empty_stdin(self) -> None:
        self.assert_prints("0", run("-i", sh="wc -c", stdin=b""))

    def test_from_a_file(self) -> None:
        path = self.file("in", BLOB)
        with path.open("rb") as file:
            result = run("-i", sh="wc -c", stdin_fd=file)
        self.assert_prints(str(len(BLOB)), result)

    def test_a_program_that_does_not_read(self) -> None:
        self.assert_prints("done", run("-i", sh="exec <&-; echo done", stdin=BLOB))
        self.assert_prints("done", run("-i", sh="head -c 5 > /tmp/f; echo done", stdin=BLOB))

    def test_an_open_stdin_does_not_keep_the_sandbox(self) -> None:
        read_end, write_end = os.pipe()
        try:
            self.assert_prints("done", run("-i", sh="echo done", stdin_fd=read_end))
        finally:
            os.close(read_end)
            os.close(write_end)

    def test_a_dialogue(self) -> None:
        process = self.start_ready(
            command("-i", sh="echo ready; while read -r line; do echo got $line; done"),
            stdin=subprocess.PIPE,
        )
        for word in (b"one", b"two"):
            process.stdin.write(word + b"\n")
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), b"got " + word + b"\n")
        process.stdin.close()
        self.assertEqual(process.wait(DEADLINE), 0)

    def test_prints_come_one_by_one_through_a_pipe(self) -> None:
        source = "print('ready')\nfor i in range(3): print(i); input()"
        process = self.start_ready(command("-i", "--timeout=1h", py=source), stdin=subprocess.PIPE)
        for i in range(3):  # it prints the next only when this one has been read
            self.assertEqual(process.stdout.readline(), b"%d\n" % i)
            process.stdin.write(b"\n")
            process.stdin.flush()
        process.stdin.close()
        self.assertEqual(process.wait(DEADLINE), 0)

    def test_the_descriptor_of_the_caller_is_not_the_programs(self) -> None:
        path = self.file("in", "content")
        with path.open("r+b") as file:
            result = run("-i", sh="readlink /proc/self/fd/0; echo x >&0; true", stdin_fd=file)
        self.assertIn("pipe:", result.out)
        self.assertEqual(path.read_bytes(), b"content")


class Stdout(Case):
    """Output arrives complete, and a reader that leaves ends the run."""

    def test_streams_are_separate_and_complete(self) -> None:
        script = "head -c 3000000 /dev/zero; head -c 2000000 /dev/zero | tr '\\0' x >&2"
        result = run(sh=script)
        self.assertEqual(result.stdout, bytes(3_000_000))
        self.assertEqual(result.stderr, b"x" * 2_000_000)

    def test_output_of_the_last_moment(self) -> None:
        for number in range(20):
            self.assertEqual(run(sh=f"echo {number}; kill -9 $$").out, f"{number}\n")

    def test_output_arrives_while_the_program_runs(self) -> None:
        self.start_ready(command(sh="echo ready; sleep 1000"))

    def test_a_reader_that_leaves(self) -> None:
        marker = unique()
        process = self.start(
            command(sh=f": {marker}; while :; do echo line; done"), stdout=subprocess.PIPE
        )
        self.assertEqual(process.stdout.readline(), b"line\n")
        process.stdout.close()
        process.wait(DEADLINE)
        self.assert_gone(marker)

    def test_head(self) -> None:
        shell = ["/bin/sh", "-c", '"$@" | head -n 1', "sh", *command(sh="yes")]
        done = subprocess.run(shell, capture_output=True, timeout=DEADLINE)
        self.assertEqual(done.stdout, b"y\n")

    def test_stderr_that_nobody_reads(self) -> None:
        process = self.start(
            command(sh="echo a >&2; sleep 1; echo b >&2; exit 4"), stderr=subprocess.PIPE
        )
        process.stderr.close()
        process.wait(DEADLINE)

    def test_output_to_a_file(self) -> None:
        path = self.file("out")
        with path.open("wb") as file:
            done = subprocess.run(command(sh="echo hi; readlink /proc/self/fd/1"), stdout=file)
        self.assertEqual(done.returncode, 0)
        self.assertIn("pipe:", path.read_text())

    def test_output_to_a_full_device(self) -> None:
        with open("/dev/full", "wb") as file:
            done = subprocess.run(command(sh="echo hi"), stdout=file, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 125)
        wanted = f"glovebox: {sentence('run_job')}: No space left on device\n".encode()
        self.assertEqual(done.stderr, wanted)

    def test_a_result_whose_reader_has_left(self) -> None:
        result = self.folder / "result.json"
        ours, theirs = os.pipe()
        os.close(ours)
        words = command("--json", f"--result-file={result}", sh="echo hi")
        done = subprocess.run(words, stdout=theirs, stderr=subprocess.PIPE)
        os.close(theirs)
        self.assertEqual((done.returncode, done.stderr), (128 + signal.SIGPIPE, b""))
        self.assertEqual(json.loads(result.read_text())["stdout"], "hi\n")

    def test_long_text_of_ours_to_a_full_device(self) -> None:
        with open("/dev/full", "wb") as file:
            words = [GLOVEBOX, "help", "run"]  # more than one buffer of stdio
            done = subprocess.run(words, stdout=file, stderr=subprocess.PIPE)
        wanted = f"glovebox: {sentence('io_finish')}: No space left on device\n".encode()
        self.assertEqual((done.returncode, done.stderr), (125, wanted))

    def test_output_that_cannot_be_written_costs_no_files(self) -> None:
        folder, result = self.folder / "o", self.folder / "result.json"
        flags = (f"--output={folder}", f"--result-file={result}")
        with open("/dev/full", "wb") as file:
            words = command(*flags, sh="echo kept >/output/a; echo hi")
            done = subprocess.run(words, stdout=file, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, (folder / "a").read_text()), (125, "kept\n"))
        said = json.loads(result.read_text())
        self.assertEqual((said["verdict"], said["exit_code"]), ("cancelled", 125))
        self.assertEqual([row["path"] for row in said["files"]], ["a"])

    def test_a_device_that_becomes_full_ends_the_program(self) -> None:
        with open("/dev/full", "wb") as file:
            words = command(sh="yes")
            done = subprocess.run(words, stdout=file, stderr=subprocess.PIPE, timeout=DEADLINE)
        self.assertEqual(done.returncode, 125)

    def test_output_that_is_closed(self) -> None:
        shell = ["/bin/sh", "-c", '"$@" >&-', "sh"]
        for words, status in ((["echo", "hi"], 125), (["true"], 0)):
            done = subprocess.run([*shell, *command(argv=words)], stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, status)
            wanted = f"glovebox: {sentence('run_job')}: Bad file descriptor\n".encode()
            self.assertEqual(done.stderr, wanted if status else b"")

    def test_closed_standard_error_is_no_error(self) -> None:
        shell = ["/bin/sh", "-c", '"$@" 2>&-', "sh"]
        done = subprocess.run([*shell, *command(sh="echo hi >&2; echo ho")], capture_output=True)
        self.assertEqual((done.returncode, done.stdout), (0, b"ho\n"))

    def test_a_non_blocking_stdout_of_the_caller(self) -> None:
        process = self.start(command(sh="head -c 3000000 /dev/zero"), stdout=subprocess.PIPE)
        os.set_blocking(process.stdout.fileno(), True)
        read_end, write_end = os.pipe()
        os.set_blocking(write_end, False)
        other = self.start(command(sh="head -c 3000000 /dev/zero"), stdout=write_end)
        os.close(write_end)
        with os.fdopen(read_end, "rb") as stream:
            self.assertEqual(len(stream.read()), 3_000_000)
        self.assertEqual(other.wait(DEADLINE), 0)
        self.assertEqual(len(process.stdout.read()), 3_000_000)
