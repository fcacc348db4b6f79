"""Docker's client for Go and dockerode against the Engine's socket: programs of their users' kind (make check-clients)."""

import os
import shutil
import subprocess
from pathlib import Path

from support.engine import EngineCase
from support.run import ROOT
from support.times import DEADLINE

CLIENTS = Path(os.environ.get("GLOVEBOX_CLIENTS", ROOT / "build/clients"))
HERE = Path(__file__).parent


class Programs(EngineCase):
    """Create, attach before the start, exec, logs, wait, archive, events, list, remove: each program asserts what it finds."""

    def perform(self, *words: str | Path) -> None:
        """Run one to its end."""
        env = {"DOCKER_HOST": self.engine.host, "PATH": os.environ["PATH"], "GLOVEBOX_NODE": str(CLIENTS / "node")}
        done = subprocess.run([*words, "host"], env=env, capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr[-3000:])

    def test_go(self) -> None:
        """engine_go/main.go."""
        if not (program := CLIENTS / "engine-go").exists():
            self.skipTest("cannot: Docker's client for Go is missing (make check-clients)")
        self.perform(program)

    def test_dockerode(self) -> None:
        """engine_client.mjs."""
        if not (CLIENTS / "node/node_modules/dockerode").exists():
            self.skipTest("cannot: dockerode is missing (make check-clients)")
        self.perform(shutil.which("node") or "node", HERE / "engine_client.mjs")
