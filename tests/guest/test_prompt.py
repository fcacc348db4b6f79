"""prompt.py: when a block is over, how a name goes on, and a standard input for one source."""

import os
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "rootfs/guest"))

import prompt
from units import Interpreter

FLAGS = Interpreter().flags


class Blocks(unittest.TestCase):
    """Whether there must be more lines."""

    def test_like_python(self) -> None:
        for source in ("if 1:", "if 1:\n  2", "x = (", "'''", "x = 1 + \\", "@f", "async def f():"):
            self.assertTrue(prompt.is_unfinished(source, FLAGS), source)
        for source in ("1", "if 1:\n  2\n", "1 +", "'", "def", "await f()", "\0", "# only", "[" * 500 + "]"):
            self.assertFalse(prompt.is_unfinished(source, FLAGS), source)


class Names(unittest.TestCase):
    """How a name could go on."""

    def test_names_attributes_builtins_and_words(self) -> None:
        names = {"os": os, "number": 1}
        self.assertIn("number", prompt.matches("numb", names))
        self.assertIn("os.pathsep", prompt.matches("os.path", names))
        self.assertTrue(prompt.matches("prin", names)[0].startswith("print("))
        self.assertTrue(prompt.matches("lamb", names))
        self.assertEqual(prompt.matches("nothing_of_the_kind", names), [])
        self.assertEqual(prompt.matches("nothing.of.the.kind", names), [])

    def test_they_are_bounded_and_strings(self) -> None:
        class Odd:
            def __dir__(self) -> list[object]:
                return ["a" * 1000, *(f"b{i}" for i in range(1000))]

        found = prompt.matches("odd.", {"odd": Odd()})
        self.assertEqual(len(found), prompt.MATCHES_MAX)
        self.assertTrue(all(len(one) <= prompt.MATCH_MAX for one in found))

    def test_readline_is_not_imported_and_modules_are_as_before(self) -> None:
        marks = {"readline": sys, "rlcompleter": os}
        with mock.patch.dict(sys.modules, marks):
            prompt.matches("a", {})
            self.assertEqual({name: sys.modules[name] for name in marks}, marks)
        with mock.patch.dict(sys.modules):
            for name in marks:
                sys.modules.pop(name, None)
            prompt.matches("a", {})
            self.assertFalse(marks.keys() & sys.modules.keys())
