"""What a client of a session holds of a large answer: one copy, whatever is in it and however it is printed."""

import json
import os
import subprocess
import sys
import unittest

from support.run import GLOVEBOX, IS_SANITIZED
from test_sessions import FORGE, Sessions

ANSWER = 32 << 20
MOST = ANSWER * 13 // 10 + (12 << 20)

# Its own memory is small: what a process has before execve(2) counts as its peak as well.
SPAWN = """
import os, resource, sys
pid = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10, file=sys.stderr)
"""

# The members of an answer; @ is what is large.
MEMBERS = {
    "value": ', "status": "ok", "value": {"text/plain": "@"}',
    "display": ', "status": "ok", "displays": [{"text/plain": "@"}]',
    "traceback": ', "status": "error", "error": {"traceback": ["@"]}',
    "error": ', "status": "error", "error": {"name": "E", "value": "@"}',
    "figure": ', "status": "ok", "figures": [{"image/png": "iVBORw0KGgoA@"}]',
}

SEND = """
text = memoryview(text)
while text:
    text = text[os.write(A, text):]
os.read(3, 1 << 20)
"""


@unittest.skipIf(IS_SANITIZED, "cannot: AddressSanitizer takes more")
class LargeAnswers(Sessions):
    """The peak of the client that prints one."""

    def large(self, members: str, piece: str) -> str:
        """Return code that answers its own request with pieces of text, as they stand in a bytes literal."""
        head, _, tail = FORGE.replace(', "status": "ok", "forged": 1', members).partition("text = struct")
        many = f"piece = b'{piece}'\ntext = text.replace(b'@', piece * ({ANSWER} // len(piece)))\ntext = struct"
        return head + many + tail + SEND

    def peak(self, code: str, *flags: str) -> tuple[int, int]:
        """Return how many bytes a client has printed of a call, and the most that it held."""
        printed = self.folder / "printed"
        command = [sys.executable, "-SE", "-c", SPAWN, GLOVEBOX, "session", "exec", *flags, self.new(), code]
        with printed.open("wb") as out, (self.folder / "said").open("w+") as said:
            subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=said,
                           env=dict(os.environ, **self.env()), check=True)  # fmt: skip
            said.seek(max(0, os.fstat(said.fileno()).st_size - 100))
            held = int(said.read().split()[-1])
            return printed.stat().st_size + os.fstat(said.fileno()).st_size, held

    def assert_one_copy(self, code: str, least: int, *flags: str) -> None:
        """Assert that all of it is printed, and that there was one copy of it."""
        printed, held = self.peak(code, *flags)
        self.assertGreaterEqual(printed, least)
        self.assertGreater(held, ANSWER)
        self.assertLess(held, MOST)

    def test_plain(self) -> None:
        for part in ("value", "display", "traceback", "error"):
            with self.subTest(part):
                self.assert_one_copy(self.large(MEMBERS[part], "x"), ANSWER)

    def test_characters_that_are_escaped(self) -> None:
        """They are written as four bytes each, or as an escape of the answer says."""
        for piece, grows in ((r"\\u001b", 4 / 6), (r"\xc2\x9b", 4 / 2), (r"\\\\", 1 / 2)):
            with self.subTest(piece):
                self.assert_one_copy(self.large(MEMBERS["value"], piece), int(ANSWER * grows) - 10)

    def test_json(self) -> None:
        for piece, grows in (("x", 1), (r"\xc2\x9b", 6 / 2)):
            with self.subTest(piece):
                self.assert_one_copy(self.large(MEMBERS["value"], piece), int(ANSWER * grows), "--json")

    def test_figures(self) -> None:
        figures = self.folder / "figures"
        self.assert_one_copy(self.large(MEMBERS["figure"], "AAAA"), 10, f"--figures={figures}")
        self.assertEqual((figures / "figure-1.png").stat().st_size, (ANSWER + 12) // 4 * 3)

    def test_output_within_json(self) -> None:
        code = f"import sys; s = sys.stdout; n = s.write('\\x1b' * {ANSWER}); s.flush(); None"
        self.assert_one_copy(code, ANSWER * 6, "--json")
        self.assertEqual(json.loads((self.folder / "printed").read_bytes())["stdout"], "\x1b" * ANSWER)
