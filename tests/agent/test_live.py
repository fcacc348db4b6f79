"""With a real Ollama, where one answers: the sales task and a native call, with a model that it has.

OLLAMA_HOST says where the server is, as everywhere; GLOVEBOX_LIVE_MODEL names the model. Otherwise it
is the smallest that may write Python that runs, or else the largest: of such a one only an orderly end
is expected. `make check-live` fails where there is none.
"""

import json
import os
import shutil
import unittest
import urllib.error
import urllib.request
from typing import Any

from support.agent import AgentCase, Run
from support.run import FIXTURES, execute

TASK = (
    "Read /data/sales.csv. Revenue is quantity * unit_price * (1 - discount). Draw a bar chart of "
    "the revenue of each month to /output/revenue.png and say which month had the most."
)
USEFUL_BYTES = 700_000_000  # below that, models do not write Python that runs
SECONDS = 1800


def server() -> str:
    """Return the server's URL; tests without one need no more forms than these."""
    host = os.environ.get("OLLAMA_HOST", "").strip() or "127.0.0.1:11434"
    host = host if "://" in host else f"http://{host}"
    return host.replace("//0.0.0.0", "//127.0.0.1")


def ask(path: str, **body: Any) -> Any:
    """Return what the server says."""
    data = json.dumps(body).encode() if body else None
    with urllib.request.urlopen(f"{server()}{path}", data, timeout=5) as said:
        return json.load(said)


def lacks(what: str) -> Exception:
    """Return what to raise when there is nothing to test with."""
    if "GLOVEBOX_LIVE" in os.environ:
        return RuntimeError(what)
    return unittest.SkipTest(f"cannot: {what}")


def choose(capability: str) -> tuple[str, bool]:
    """Return a model that can do this, and whether its work is expected to be right."""
    try:
        models = [(m["size"], m["name"]) for m in ask("/api/tags")["models"]]
        named = os.environ.get("GLOVEBOX_LIVE_MODEL")
        able = [
            (size, name)
            for size, name in sorted(models)
            if named in (None, name)
            and capability in ask("/api/show", model=name).get("capabilities", [capability])
        ]
    except (OSError, ValueError, KeyError) as error:
        raise lacks(f"no Ollama answers at {server()} ({error})") from None
    if not able:
        raise lacks(f"the Ollama at {server()} has no model for {capability}")
    useful = [name for size, name in able if size >= USEFUL_BYTES]
    return (useful or [able[-1][1]])[0], bool(useful)


class Live(AgentCase):
    """A model that nobody scripted."""

    image = "python"

    @classmethod
    def setUpClass(cls) -> None:
        choose("completion")
        super().setUpClass()

    def ask_agent(self, model: str, task: str, *flags: str) -> Run:
        """Run a task to an orderly end."""
        words = ["--model", model, "--json", "--iterations=12", "--seed=1", *flags]
        result = execute([*self.command(server(), *words), task], env=self.env(), timeout=SECONDS)
        run = Run(result, [], self.output)
        self.assertIn(result.status, (0, 3), result.err)
        self.assertEqual(run.end["outcome"], "cap" if result.status else "answered")
        self.assertGreater(run.end["reply_tokens"], 0)
        return run

    def test_the_sales_task(self) -> None:
        shutil.copy(FIXTURES / "sales.csv", self.workspace)
        model, useful = choose("completion")
        run = self.ask_agent(model, TASK)
        if useful:
            self.assert_status(run.result)
            self.assertTrue((self.output / "revenue.png").read_bytes().startswith(b"\x89PNG"))

    def test_a_native_call(self) -> None:
        model, useful = choose("tools")
        run = self.ask_agent(model, "What is 17 * 23? Use the tool.", "--mode=tools")
        self.assertTrue(run.of("request")[0]["tools"])
        if useful:
            self.assertIn("ok", run.verdicts)
            self.assertIn("391", run.end["answer"])
