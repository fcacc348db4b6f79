"""docs/json.md says what `agent --json` prints: every field of every event, and no other."""

from support.agent import AgentCase, answer, fence
from support.json_doc import TABLES, event_faults
from support.model import reply
from support.run import execute


class Documented(AgentCase):
    """Tasks that have all events."""

    def test_events(self) -> None:
        code = ("open('new', 'w').write('x')", "print('out')", "1 / 0")
        run = self.agent([fence("x = 1", "x"), fence(*code), reply(""), answer("done"), answer("done")])
        failed = self.agent([], "--model=missing")
        nothing = execute([*self.command("http://127.0.0.1:9", "--json", "--iterations=x"), "x"], env=self.env())
        self.assertIn('"result"', nothing.out)
        for event in (*run.events, *failed.events):
            self.assertEqual(event_faults(event), [], event)
        seen = {event["event"] for event in (*run.events, *failed.events)}
        self.assertLessEqual(seen, TABLES.keys())
        self.assertLessEqual({"task", "request", "piece", "reply", "execute", "executed", "answer", "result"}, seen)
