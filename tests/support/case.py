"""case - a test with a temporary directory of its own, `self.folder`, and the usual assertions."""

import os
import re
import select
import shutil
import subprocess
import tempfile
import unittest
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from support.messages import named
from support.processes import stay
from support.run import IS_ROOT, OWNER, Result, why_cannot_run
from support.times import DEADLINE


class Case(unittest.TestCase):
    """A test with a folder of its own and the assertions that most tests need."""

    maxDiff = 4000
    folder: Path

    @classmethod
    def setUpClass(cls) -> None:
        """Skip what cannot work for this user on this machine."""
        if reason := why_cannot_run():
            raise unittest.SkipTest(reason)

    def setUp(self) -> None:
        """Make the folder."""
        self.folder = Path(tempfile.mkdtemp(prefix="case-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def file(self, name: str, content: str | bytes = b"") -> Path:
        """Write a file into the folder and return its path."""
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def subfolder(self, name: str) -> Path:
        """Make a directory in the folder that a sandbox may write to."""
        path = self.folder / name
        path.mkdir()
        os.chown(path, *OWNER)
        return path

    def start(self, args: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
        """Start a program that ends, at the latest, with the test."""
        options.setdefault("stdin", subprocess.DEVNULL)
        process = subprocess.Popen(args, **options)

        def end() -> None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream:
                    stream.close()

        self.addCleanup(end)
        return process

    def assert_status(self, result: Result, status: int = 0) -> Result:
        """Assert how a run ended and return it."""
        said = f"\nstdout: {result.out[-1000:]}\nstderr: {result.err[-1000:]}"
        self.assertEqual(result.status, status, f"exit status{said}")
        return result

    def assert_prints(self, expected: str, result: Result) -> None:
        """Assert that a run succeeded and what it printed, less white space at both ends."""
        self.assert_status(result)
        self.assertEqual(result.out.strip(), expected)

    def assert_refused(self, result: Result, *wanted: str | re.Pattern[str]) -> Result:
        """Assert that a request was refused in a line that names these things, or is this message (support/messages.py)."""
        self.assert_status(result, 125)
        self.assertEqual(result.out, "")
        lines = result.err.strip().splitlines()
        self.assertTrue(1 <= len(lines) <= 2, f"one line and a hint, not: {result.err}")
        self.assertLess(len(result.err), 2000)
        for one in wanted:
            self.assertRegex(result.err, named(one))
        return result

    def mapped(self, result: Result) -> Result:
        """Skip the test if a bind was refused because this kernel cannot map its owner."""
        if IS_ROOT and "no id-mapped mounts" in result.err:
            self.skipTest("cannot: the file system has no id-mapped mounts with this kernel")
        return result

    def assert_gone(self, marker: str) -> None:
        """Assert that no process with a marker in its arguments stays."""
        self.assertEqual(stay(marker, 30), [], "processes stay")

    def start_ready(self, args: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
        """Start a program that prints "ready" as its first line, and wait for that."""
        process = self.start(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        assert process.stdout and process.stderr
        said = b""
        while b"\n" not in said and select.select([process.stdout], [], [], DEADLINE)[0]:
            if not (byte := os.read(process.stdout.fileno(), 1)):
                break
            said += byte
        if said != b"ready\n":
            process.kill()
            self.fail(f"did not start: {said!r} {process.stderr.read()!r}")
        return process
