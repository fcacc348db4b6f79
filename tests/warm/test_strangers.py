"""What a session's code chooses, and what of it reaches the terminal of who asks."""

import re

import test_sessions
from support.hostile_names import HOSTILE, UNFIT

TEXTS = [name.decode() for name in HOSTILE if name not in (b"\x9b31m", b"\xff\xfe")]


class Answers(test_sessions.Sessions):
    """Values, errors and names in /workspace."""

    def setUp(self) -> None:
        super().setUp()
        self.name = self.new()

    def assert_fit(self, printed: bytes) -> None:
        """Assert that a terminal may get it."""
        self.assertIsNone(UNFIT.search(printed.decode()), printed)

    def test_value_is_shown(self) -> None:
        code = f"class X:\n def __repr__(self): return '\\n'.join({TEXTS!r})\nX()"
        said = self.assert_status(self.call(self.name, code))
        self.assertRegex(said.out, re.escape(r"\x9b31m") + "\n" + re.escape(r"\u202egnp.py"))
        # In texts of lines the marks of direction stay, as in any prose.
        self.assert_fit(re.sub("[\u061c\u200b\u200e\u200f]", "", said.out).encode())

    def test_error_is_shown(self) -> None:
        for text in TEXTS[3:5]:
            said = self.call(self.name, f"raise Exception({text!r})")
            self.assert_status(said, 1)
            self.assert_fit(said.stderr)

    def test_what_it_prints_stays_as_it_is(self) -> None:
        text = b"\x1b[31m \xc2\x9b \x9b \xe2\x80\xae"
        said = self.call(self.name, f"import os; os.write(1, {text!r}) and None")
        self.assertEqual(said.stdout, text)

    def test_json_is_ascii_also_when_the_answer_is_not(self) -> None:
        code = test_sessions.FORGE.replace(
            ', "status": "ok", "forged": 1',
            ', "value": {"text/plain": "\\xc2\\x9b\\xe2\\x80\\xae\\x7f"}',
        )
        said = self.call(self.new(), code + "os.write(A, text); os.read(3, 1 << 20)", "--json")
        self.assertTrue(said.stdout.isascii(), said)
        self.assertNotIn(b"\x7f", said.stdout)
        self.assertEqual(said.json["result"]["value"], {"text/plain": "\x9b\u202e\x7f"})

    def test_names_of_files(self) -> None:
        names = list(HOSTILE)
        self.does(self.name, f"for n in {names!r}: open(n, 'wb').close()")
        said = self.assert_status(self.session("files", "--json", self.name))
        self.assertTrue(said.stdout.isascii())
        self.assert_fit(said.stdout)
        self.assert_fit(self.assert_status(self.session("files", self.name)).stdout)
        for text in TEXTS:
            self.does(self.name, f"import os; os.remove({text!r}); os.mkdir({text!r})")
            refused = self.session("get", self.name, text, "-")
            self.assert_refused(refused)
            self.assert_fit(refused.stderr)

    def test_names_that_nobody_has(self) -> None:
        for text in TEXTS:
            for args in (["exec", text, "1"], ["rm", text], ["get", self.name, text, "-"]):
                said = self.session(*args)
                self.assertNotEqual(said.status, 0)
                self.assert_fit(said.stderr)
