"""With a real Ollama, where one answers: the sales task, with the smallest model that has one.

OLLAMA_HOST says where the server is, as everywhere. GLOVEBOX_LIVE_MODEL names the model.
"""

import json
import os
import shutil
import unittest
import urllib.error
import urllib.request

from support.agent import AgentCase
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


def model() -> str:
    """Return the model to ask, or say why there is none."""
    try:
        with urllib.request.urlopen(f"{server()}/api/tags", timeout=5) as answer:
            models = json.load(answer)["models"]
    except (OSError, ValueError, KeyError) as error:
        raise unittest.SkipTest(f"cannot: no Ollama answers at {server()} ({error})") from None
    if named := os.environ.get("GLOVEBOX_LIVE_MODEL"):
        return named
    useful = sorted((m["size"], m["name"]) for m in models if m["size"] >= USEFUL_BYTES)
    if not useful:
        raise unittest.SkipTest("cannot: the Ollama there has no model that writes Python")
    return useful[0][1]


class Live(AgentCase):
    """A model that nobody scripted."""

    image = "python"

    @classmethod
    def setUpClass(cls) -> None:
        cls.model = model()
        super().setUpClass()

    def test_the_sales_task(self) -> None:
        shutil.copy(FIXTURES / "sales.csv", self.workspace)
        flags = ["--model", self.model, "--json", "--iterations=12", "--seed=1"]
        command = [*self.command(server(), *flags), TASK]
        result = execute(command, env=self.env(), timeout=SECONDS)
        self.assert_status(result)
        end = json.loads(result.out.splitlines()[-1])
        self.assertEqual(end["outcome"], "answered")
        self.assertTrue((self.output / "revenue.png").read_bytes().startswith(b"\x89PNG"))
