"""look.py: how a name goes on, what it is, and whether a cell is whole."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "rootfs/guest"))

import look
from units import Interpreter

FLAGS = Interpreter().flags


class Completions(unittest.TestCase):
    """The names, and where they begin."""

    def test_names_attributes_and_modules(self) -> None:
        names = {"number": 1, "text": "x"}
        for source, start, found in (("numb", 0, "number"), ("f(text.upp", 2, "text.upper"), ("import js", 7, "json"), ("from os import numb", 15, None)):
            completed = look.completions(source, len(source), names)
            self.assertEqual(completed["start"], start, source)
            if found:
                self.assertIn(found, completed["matches"], source)

    def test_no_parentheses_and_nothing_where_nothing_is_typed(self) -> None:
        self.assertIn("print", look.completions("prin", 4, {})["matches"])
        self.assertEqual(look.completions("", 0, {}), {"matches": [], "start": 0, "end": 0})
        self.assertEqual(look.completions("x = ", 4, {})["matches"], [])
        self.assertEqual(look.completions("table['pri", 10, {})["matches"], [])
        self.assertEqual(look.completions("prin", 10**30, {})["start"], 0)

    def test_names_beyond_ascii_count_as_characters(self) -> None:
        self.assertEqual(look.completions("\U0001f600 = 1; gr\u00f6\u00df", 11, {"gr\u00f6\u00dfe": 1}), {"matches": ["gr\u00f6\u00dfe"], "start": 7, "end": 11})


class Inspections(unittest.TestCase):
    """What a name is."""

    def test_at_the_cursor_or_before_the_parenthesis(self) -> None:
        for source, cursor in (("len", 3), ("len", 1), ("len(", 4), ("len([1, (2), 3", 14), ("x = len(y", 6)):
            self.assertIn("Signature: len(obj", look.inspection(source, cursor, {}, 0).get("text", ""), source)
        self.assertEqual(look.inspection("nothing_here", 3, {}, 0), {})
        self.assertEqual(look.inspection("", 0, {}, 0), {})

    def test_values(self) -> None:
        self.assertIn("Type:      int\nValue:     5", look.described("five", 5))
        self.assertLess(len(look.described("much", "x" * 10**7)), look.TEXT_MAX)


class States(unittest.TestCase):
    """Whether there must be more lines."""

    def test_cells(self) -> None:
        whole = ("", "1", "x = 1\ny = 2", "def f():\n  return 1\n\n", "%matplotlib inline", "!ls", "await f()", "print?")
        unfinished = {"if 1:": "    ", "def f():\n  x = 1": "  ", "f(": "", "'''a": "", "for x in y:\n    if x:": "        "}
        invalid = ("1 +* 2", "import = 7q", "'a", "\0")
        for source in whole:
            self.assertEqual(look.state(source, FLAGS), {"state": "complete"}, source)
        for source, indent in unfinished.items():
            self.assertEqual(look.state(source, FLAGS), {"state": "incomplete", "indent": indent}, source)
        for source in invalid:
            self.assertEqual(look.state(source, FLAGS), {"state": "invalid"}, source)
