"""docs/json.md says what sessions and the supervisor print with --json: every field, and no other."""

from support.json_doc import faults
from test_repl import PYPLOT
from test_sessions import Sessions

SHOWN = PYPLOT + """
class Table:
    def _repr_html_(self): return "<table>"
display(Table(), {"a": 1})
Table()
"""


class Documented(Sessions):
    """Calls and lists of each kind."""

    def test_calls(self) -> None:
        name = self.new()
        exits = self.call(name, "import sys; sys.exit(3)", "--json").json
        calls = [exits, *(self.structured(name, code) for code in ("1", SHOWN, "1 / 0", "x ="))]
        calls += [self.call(name, "while True: pass", "--json", "--timeout", "300ms").json]
        calls += [self.call(name, "import os; os._exit(1)", "--json").json]
        for said in calls:
            self.assertEqual(faults(said, "Call"), [], said)
        self.assertEqual([len(said["result"]["figures"]) for said in calls[:-1]], [0, 0, 1, 0, 0, 0])
        self.assertIsNone(calls[-1]["result"])
        self.assertIn("lost", calls[-1])

    def test_lists(self) -> None:
        name = self.new()
        self.does(name, "import os; os.mkdir('d'); os.symlink(b'\\xff', 'l'); open(b'\\xfe', 'w').close()")
        self.does(name, "os.mkfifo('p')")
        said = self.assert_status(self.session("files", name, "--json")).json
        self.assertEqual((faults(said, "list of Entry"), len(said)), ([], 4), said)
        said = self.assert_status(self.session("ls", "--json")).json
        self.assertEqual((faults(said, "Sessions"), len(said["sessions"])), ([], 1), said)
        self.does(name, "import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()")
        said = self.assert_status(self.session("checkpoint", "--json", name)).json
        self.assertEqual((faults(said, "Made"), len(said["threads"])), ([], 1), said)
        said = self.assert_status(self.session("checkpoints", "--json", name)).json
        self.assertEqual((faults(said, "Checkpoints"), len(said["checkpoints"])), ([], 1), said)
        self.assertEqual(faults(self.status(), "Status"), [])
