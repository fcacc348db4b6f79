"""agent - run `glovebox agent` against a scripted model and look at what it did.

The model is support/model.py, the sandbox is the real one. A class has one warm
supervisor for all its tests, in a runtime directory of its own, unless `own` says that each
agent is to start its own.
"""

import json
import os
import shutil
import tempfile
import unittest
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.case import Case
from support.model import Action, FakeOllama, Model, reply
from support.run import GLOVEBOX, IS_ROOT, Result, execute, glovebox, places
from support.supervisor import Supervisor

STUBBORN = """
import time
while True:
    try:
        open('/output/ready', 'w').close()  # it catches from here on
        while True:
            time.sleep(100)
    except KeyboardInterrupt:
        open('/output/again', 'w').close()
"""
READY = "open('/output/ready', 'w').close()"

Event = dict[str, Any]


def fence(*lines: str, before: str = "", after: str = "") -> Action:
    """Return a reply with one block of Python."""
    code = "\n".join(lines)
    return reply(f"{before}```python\n{code}\n```\n{after}")


def answer(text: str) -> Action:
    """Return a reply that is the final answer."""
    return reply(f"<FINAL_ANSWER>{text}</FINAL_ANSWER>")


def has_image(name: str) -> bool:
    """Tell whether the machine has an image."""
    return glovebox("image", "inspect", name).status == 0


@dataclass(frozen=True)
class Run:
    """How one run of the agent ended: its events, and the requests that the server got."""

    result: Result
    chats: list[Any]
    output: Path

    @property
    def events(self) -> list[Event]:
        """Return what --json printed."""
        return [json.loads(line) for line in self.result.stdout.splitlines()]

    def of(self, kind: str) -> list[Event]:
        """Return the events of one kind."""
        return [e for e in self.events if e["event"] == kind]

    @property
    def end(self) -> Event:
        """Return the result, which is the last event."""
        last = self.events[-1]
        assert last["event"] == "result", last
        return last

    @property
    def verdicts(self) -> list[str]:
        """Return the verdicts of all executions."""
        return [e["verdict"] for e in self.of("executed")]

    def told(self, number: int) -> str:
        """Return the last message of a request: what the model was told (from 0)."""
        return self.chats[number]["messages"][-1]["content"]


class AgentCase(Case):
    """A test of the agent."""

    image = "host"
    own = False
    flags: tuple[str, ...] = ()
    runtime: Path

    @classmethod
    def setUpClass(cls) -> None:
        """Start the supervisor of the class."""
        super().setUpClass()
        if cls.image != "host" and not has_image(cls.image):
            raise unittest.SkipTest(f"cannot: there is no image `{cls.image}`")
        if cls.own:
            cls.runtime = Path(tempfile.mkdtemp(prefix="agent-"))
            cls.addClassCleanup(shutil.rmtree, cls.runtime, ignore_errors=True)
            return
        supervisor = Supervisor(image=cls.image, pool=1)
        cls.addClassCleanup(supervisor.stop)
        cls.runtime = supervisor.runtime

    def setUp(self) -> None:
        """Make the two directories."""
        super().setUp()
        self.workspace = self.subfolder("workspace")
        self.output = self.subfolder("output")

    def env(self) -> dict[str, str]:
        """Return the environment of an agent: nothing of the user's settings."""
        return {
            "PATH": os.environ["PATH"],
            **places(),
            "HOME": str(self.folder),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "XDG_STATE_HOME": str(self.folder / "state"),
            "XDG_RUNTIME_DIR": str(self.runtime),
            "LANG": "C.UTF-8",
        } | ({"GLOVEBOX_IMAGES": self._store()} if self._store() else {})

    @staticmethod
    def _store() -> str:
        """Return where the images of this user are: HOME is another one for the agent."""
        if given := os.environ.get("GLOVEBOX_IMAGES"):
            return given
        default = Path.home() / ".local/share/glovebox/images"
        return str(default) if not IS_ROOT and default.is_dir() else ""

    def command(self, url: str, *flags: str) -> list[str]:
        """Return the command line of an agent."""
        common = ["--url", url, "--model", "m", "--image", self.image]
        dirs = ["--workspace", str(self.workspace), "--output", str(self.output)]
        return [GLOVEBOX, "agent", *common, *dirs, *self.flags, *flags]

    def agent(
        self,
        script: Iterable[Action] | Any,
        *flags: str,
        task: str = "do it",
        models: Sequence[Model] = (Model("m:latest", ("completion",)),),
        json: bool = True,
        server: FakeOllama | None = None,
        **options: Any,
    ) -> Run:
        """Run one task to its end."""
        fake = server or FakeOllama(script, models)
        with fake:
            words = [*flags, *(["--json"] if json else []), *([task] if task else [])]
            env = self.env() | options.pop("env", {})
            result = execute(self.command(fake.url, *words), env=env, **options)
            return Run(result, fake.chats, self.output)
