"""e2b_client - programs of E2B's own client, unmodified, against `glovebox serve --face e2b` (make check-clients)."""

import json
import os
import shutil
import subprocess
import tempfile
import textwrap
import unittest
from pathlib import Path
from typing import Any, ClassVar

from support.faces import face_of
from support.run import ROOT
from support.serve import ServeCase, add_key
from support.times import DEADLINE

CLIENTS = Path(os.environ.get("GLOVEBOX_CLIENTS", ROOT / "build/clients"))

# What a program finds: each line that it says is compared, and its sandboxes end with it.
PRELUDE = """
import atexit, json, time
from e2b import CommandExitException, SandboxQuery, SandboxState
from e2b_code_interpreter import Sandbox

made = []
atexit.register(lambda: [sandbox.kill() for sandbox in made])

def make(**options):
    made.append(Sandbox.create(**options))
    return made[-1]

def say(*things):
    print(json.dumps(things))

def why(call, *given, **named):
    try:
        return ["no error", repr(call(*given, **named))]
    except Exception as error:
        return type(error).__name__

def wait_until(condition):
    while not condition():
        time.sleep(0.05)
"""


class ClientCase(ServeCase):
    """A server with that face and two keys, and programs that are performed by the client's own Python."""

    environment: ClassVar[str] = "newer/e2b"
    prelude: ClassVar[str] = PRELUDE
    key: ClassVar[str]
    other_key: ClassVar[str]

    @classmethod
    def setUpClass(cls) -> None:
        """Skip where the client is not installed; have a server."""
        if not cls.python().exists():
            raise unittest.SkipTest(f"cannot: there is no {cls.environment} (make check-clients, with a Python from 3.12 on)")
        keys = Path(tempfile.mkdtemp(prefix="keys-")) / "keys.json"
        cls.addClassCleanup(shutil.rmtree, keys.parent)
        cls.key, cls.other_key = (add_key(keys, name) for name in ("ours", "theirs"))
        cls.flags = ("--keys", str(keys), "--face", "e2b=127.0.0.1:0", *cls.more_flags())
        super().setUpClass()

    @classmethod
    def more_flags(cls) -> tuple[str, ...]:
        """What else the server is told."""
        return ()

    @classmethod
    def python(cls) -> Path:
        """Where the Python of the environment is."""
        return CLIENTS / cls.environment / "bin/python"

    def env(self) -> dict[str, str]:
        """What a program of a person would have set."""
        url = face_of(self.server, "e2b")
        return {"E2B_API_KEY": self.key, "E2B_API_URL": url, "E2B_SANDBOX_URL": url, "HOME": str(self.folder), "PATH": os.environ["PATH"]}

    def perform(self, *command: str | Path) -> list[Any]:
        """Let a program run to its end, and return each line that it printed, parsed."""
        done = subprocess.run(command, env=self.env(), capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual((done.returncode, done.stderr[-700:]), (0, ""), done.stdout[-1000:])
        return [json.loads(line) for line in done.stdout.split("\n") if line]

    def seen(self, program: str) -> list[Any]:
        """Return what a program of the client says, line by line."""
        return self.perform(self.python(), self.file("program.py", self.prelude + textwrap.dedent(program)))

    def says(self, program: str, *wanted: list[Any]) -> None:
        """Perform a program, which says what is wanted, line by line."""
        self.assertEqual(self.seen(program), list(wanted))
