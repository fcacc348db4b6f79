"""agent_case - run `glovebox agent` against a scripted model and look at what it did.

The model is tests/agent/fake_ollama.py, the sandbox is the real one. A class has one warm
supervisor for all its tests, in a runtime directory of its own, unless `own` says that each
agent is to start its own.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "integration"))

from fake_ollama import Action, FakeOllama, Model, reply  # noqa: E402
from harness import (  # noqa: E402
    DEADLINE,
    FIXTURES,
    GLOVEBOX,
    IS_ROOT,
    Case,
    Result,
    execute,
    glovebox,
    places,
)

__all__ = [
    "FIXTURES",
    "GLOVEBOX",
    "READY",
    "STUBBORN",
    "AgentCase",
    "Run",
    "answer",
    "fence",
    "has_image",
]

STUBBORN = """
import time
while True:
    try:
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
            import unittest

            raise unittest.SkipTest(f"cannot: there is no image `{cls.image}`")
        cls.runtime = Path(tempfile.mkdtemp(prefix="agent-"))
        cls.addClassCleanup(shutil.rmtree, cls.runtime, ignore_errors=True)
        if cls.own:
            return
        cls.addClassCleanup(cls._warm, "stop")
        done = cls._warm("start", "--image", cls.image, "--pool", "1")
        if done.returncode:
            raise AssertionError(done.stderr.decode())

    @classmethod
    def _warm(cls, *args: str) -> subprocess.CompletedProcess[bytes]:
        env = os.environ | {"XDG_RUNTIME_DIR": str(cls.runtime)}
        with tempfile.TemporaryFile() as said:
            done = subprocess.run(
                [GLOVEBOX, "warm", *args],
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                timeout=DEADLINE,
            )
            said.seek(0)
            done.stderr = said.read()
        return done

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
