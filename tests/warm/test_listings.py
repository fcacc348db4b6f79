"""What people list: tables, and with --json the same for programs."""

import re

from support.messages import message
from test_sessions import READY, Sessions

AGE = r"\d+[smhd] +"


class Listings(Sessions):
    """session ls, session files, warm status."""

    def rows(self, *words: str) -> list[str]:
        """Return the lines of a table, less its head."""
        said = self.assert_status(self.session(*words))
        self.assertEqual(said.err, "")
        head, *rows = said.out.splitlines()
        self.assertRegex(head, r"\A[A-Z ]+\Z")
        return rows

    def test_sessions_are_a_table(self) -> None:
        self.assertEqual(self.rows("ls"), [])
        name = self.new("--name", "one")
        self.does(name, "1")
        self.session("checkpoint", name)
        (row,) = self.rows("ls")
        self.assertRegex(row, rf"\Aone +idle +{AGE}{AGE}2 +[\d.]+ [KM]iB +1\Z")
        self.session("freeze", name)
        self.assertIn(" frozen ", self.rows("ls")[0])
        self.assertEqual(self.listed()[name]["calls"], 3)
        refused = self.session("ls", "--nosuch")
        self.assert_refused(refused, "--nosuch", "--json")

    def test_checkpoints_are_a_table(self) -> None:
        name = self.new()
        self.assertEqual(self.rows("checkpoints", name), [])
        for checkpoint in ("before", "evil\n\x1b[31m", "after"):
            self.assert_status(self.session("checkpoint", name, checkpoint))
        rows = self.rows("checkpoints", name)
        self.assertRegex(rows[0], rf"\Abefore +{AGE.rstrip(' +')}\Z")
        self.assertEqual([row.split()[0] for row in rows], ["before", r"evil\n\x1b[31m", "after"])
        listed = self.session("checkpoints", "--json", name).json["checkpoints"]
        self.assertEqual([one["name"] for one in listed], ["before", "evil\n\x1b[31m", "after"])
        self.assert_status(self.session("rollback", name, "before"))
        again = self.session("checkpoints", name, "--json").json["checkpoints"]
        self.assertEqual([one["name"] for one in again], ["before"])
        self.assertGreaterEqual(again[0]["age_ms"], listed[0]["age_ms"], "it is that of its making")

    def test_checkpoints_of_a_busy_session_are_listed_at_once(self) -> None:
        name = self.new()
        self.assert_status(self.session("checkpoint", name))
        client = self.begin(name, READY)
        self.assertEqual([row.split()[0] for row in self.rows("checkpoints", name)], ["default"])
        client.kill()

    def test_checkpoints_of_no_session_are_refused(self) -> None:
        self.assert_refused(self.session("checkpoints", "nosuch"), message("client_no_session", "nosuch"))
        self.assert_refused(self.session("checkpoints"), message("session_checkpoints"))
        self.assert_refused(self.session("checkpoints", "a", "b"), message("session_checkpoints"))
        name = self.new()
        refused = self.session("rollback", name, "nosuch")
        self.assert_refused(refused, message("checkpointing_return", '"nosuch"'))

    def test_pages_of_sessions_have_one_head(self) -> None:
        names = [self.new("--memory", "64m") for _ in range(3)]
        self.assertEqual([row.split()[0] for row in self.rows("ls")], names)

    def test_files_are_a_table(self) -> None:
        name = self.new()
        self.assertEqual(self.rows("files", name), [])
        self.does(name, "import os; os.makedirs('a/b'); _ = open('a/f', 'w').write('12345')")
        self.does(name, "os.symlink('f', 'a/link'); os.symlink('\\x1b[31m', 'evil\\n')")
        rows = {row.split("  ")[-1]: row for row in self.rows("files", name)}
        self.assertRegex(rows["a/f"], r"\Afile +0\d{3} +5  \d{4}-\d\d-\d\d \d\d:\d\d  a/f\Z")
        self.assertRegex(rows["a/b"], r"\Adirectory +0\d{3} ")
        self.assertIn("a/link -> f", rows)
        self.assertIn(r"evil\n -> \x1b[31m", rows)
        self.assertEqual(len(self.rows("files", name, "a")), 3)
        for words in (["--json", name, "a"], [name, "a", "--json"]):
            self.assertEqual(len(self.assert_status(self.session("files", *words)).json), 3)

    def test_status_is_for_people(self) -> None:
        said = self.assert_status(self.warm("status"))
        self.assertEqual(said.err, "")
        self.assertRegex(said.out, rf"\Astate +ready \(pid {self.supervisor}\)\nimage +host:latest\nPython +3")
        self.assertTrue(re.search(r"^cells +\d of 2 ready", said.out, re.MULTILINE), said.out)
        self.assertIn("pid", self.assert_status(self.warm("status", "--json")).json)

    def test_usage_says_what_is_missing(self) -> None:
        for words, missing in ((["put", "x"], "FILE|-"), (["put", "x", "y"], "PATH"), (["get", "x"], "PATH"),
                               (["files"], "NAME"), (["delete", "x"], "PATH")):  # fmt: skip
            self.assert_refused(self.session(*words), f"session {words[0]} NAME", message("session_files_usage#missing", missing))
        self.assert_refused(self.session("delete", "x", "y", "z"), message("session_files_usage#many", '"z"'))
