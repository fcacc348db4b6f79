"""Sandboxes of a server are the user's: `ps` lists them, `exec`, `cp`, `usage`, `kill` and `rm` reach them."""

import json
import os
import signal
from pathlib import Path
from typing import Any

from support.e2b import E2bCase, ask
from support.processes import children
from support.run import GLOVEBOX, Result, execute
from support.times import wait_until


class Listed(E2bCase):
    """A server with a supervisor of its own."""

    def ours(self, *words: str) -> Result:
        """Run a command as the server's user."""
        return execute([GLOVEBOX, *words], env=self.server.env)

    def rows(self) -> list[dict[str, Any]]:
        """Return the sessions of the server, as `ps` lists them."""
        face = f"serve-{self.server.process.pid}"
        running = json.loads(self.assert_status(self.ours("ps", "--json")).out)["running"]
        return [row for row in running if row["kind"] == "session" and row["command"] == face]

    def begin(self) -> str:
        """Begin a sandbox; return its name."""
        before = {row["name"] for row in self.rows()}
        self.box = self.create()
        [name] = {row["name"] for row in self.rows()} - before
        return str(name)

    def test_listed_and_entered(self) -> None:
        name = self.begin()
        self.assertIn(name, self.assert_status(self.ours("ps")).out)
        self.box.run("echo inside >f; mkdir d")
        self.assertEqual(self.assert_status(self.ours("exec", name, "cat", "/home/user/f")).out, "inside\n")
        self.assert_status(self.ours("cp", f"{name}:/home/user/f", str(self.server.folder / "copy")))
        self.assertEqual((self.server.folder / "copy").read_text(), "inside\n")
        self.assertEqual(json.loads(self.assert_status(self.ours("usage", "--json", name, "/home/user/f")).out)["bytes"], 7)

    def test_used_as_a_session(self) -> None:
        name = self.begin()
        self.assertEqual(self.assert_status(self.ours("session", "exec", name, "x = 41; x + 1")).out, "42\n")
        self.assertEqual(self.box.text("print(x)"), "41\n")
        self.assert_status(self.ours("session", "freeze", name))
        self.assertEqual(self.box.control("GET").json["state"], "paused")
        self.assert_status(self.ours("session", "thaw", name))
        self.assertEqual(self.box.control("GET").json["state"], "running")
        self.assertEqual(self.box.text("print(x)"), "41\n")

    def test_ended(self) -> None:
        for verb in ("kill", "stop", "rm"):
            with self.subTest(verb):
                name = self.begin()
                self.assert_status(self.ours(verb, name))
                self.assertNotIn(name, [row["name"] for row in self.rows()])
                self.assert_gone(self.box.tree("Stat", path="."))

    def test_names_that_nobody_has(self) -> None:
        self.begin()
        for words in (("kill", "f" * 32), ("rm", "f" * 32), ("exec", "f" * 32, "true")):
            result = self.ours(*words)
            self.assertEqual((result.status, result.out, result.err.count("\n")), (125, "", 1))

    def supervisor(self) -> int:
        """Return the process that keeps the sandboxes."""
        [watchdog] = (pid for pid in children(self.server.process.pid) if Path(f"/proc/{pid}/comm").read_text() == "warm-watchdog\n")
        [supervisor] = children(watchdog)
        return supervisor

    def test_another_supervisor_takes_its_place(self) -> None:
        self.begin()
        os.kill(self.supervisor(), signal.SIGKILL)
        self.assertTrue(wait_until(lambda: not self.rows()))
        self.assertTrue(wait_until(lambda: ask(self.server, "POST", "/v2/sandboxes", {"templateID": "base"}).status == 201))
        self.assertEqual(len(self.rows()), 1)

    def test_one_that_hangs_hides_nothing_else(self) -> None:
        name = self.begin()
        os.kill(self.supervisor(), signal.SIGSTOP)
        try:
            running = json.loads(self.assert_status(self.ours("ps", "--json")).out)["running"]
            self.assertIn(f"serve-{self.server.process.pid}", [row["name"] for row in running])
            self.assertNotIn(name, [row["name"] for row in running])
        finally:
            os.kill(self.supervisor(), signal.SIGCONT)
