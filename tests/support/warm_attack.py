"""warm_attack - attacks from warm cells: a supervisor of the test's own, and scripts in its cells."""

import os
import subprocess
from typing import Any

from support.attack import SCRIPTS, AttackCase
from support.run import GLOVEBOX
from support.supervisor import Supervisor
from support.times import wait_until

POOL = 2


class WarmCase(AttackCase):
    """Attacks that run in cells of one warm supervisor, which must be unharmed afterwards."""

    supervisor: Supervisor
    kernel = False
    as_user = False
    mode = "require"
    scripts_inside = SCRIPTS  # what is mounted under a name with our mark
    warm_flags: tuple[str, ...] = ()

    @classmethod
    def setUpClass(cls) -> None:
        """Start the supervisor."""
        super().setUpClass()
        cls.supervisor = cls.make_supervisor()
        cls.addClassCleanup(cls.supervisor.stop)

    @classmethod
    def make_supervisor(cls) -> Supervisor:
        """Return the supervisor of this class."""
        return Supervisor(*cls.warm_flags)

    def setUp(self) -> None:
        """In the end the nursery lives, and no cell stays but those that wait."""
        self.addCleanup(self.assert_unharmed, self.supervisor)
        super().setUp()

    def assert_unharmed(self, supervisor: Supervisor) -> None:
        """Fail if a cell could do anything to its supervisor, its nursery or the pool."""
        wait_until(lambda: supervisor.is_full() and len(supervisor.cells()) == POOL, 20)
        status = supervisor.status()
        self.assertTrue(status, "the supervisor is gone")
        found = {key: status[key] for key in ("state", "ready", "failed", "restarts")}
        self.assertEqual(found, {"state": "ready", "ready": POOL, "failed": 0, "restarts": 0})
        self.assertEqual(len(supervisor.cells()), POOL, "a cell stays")

    def command(self, script: str, *args: str, prefix: tuple[str, ...] = ()) -> list[str]:
        """Return what runs inside, without options of the interpreter: they are read at its start."""
        return [*prefix, "python3", f"/mark={self.token}/{script}.py", *args]

    def arguments(self, *flags: str, program: str = GLOVEBOX) -> list[str]:
        """Return `glovebox run` from a warm cell."""
        ours = (f"--warm={self.mode}", "-v", f"{self.scripts_inside}:/mark={self.token}:ro")
        return super().arguments(*ours, *flags, program=program)

    def start(
        self, *flags: str, inside: list[str], omit: str = "", **popen: Any
    ) -> subprocess.Popen[str]:
        """Start a run as a client of our supervisor."""
        assert not omit, "a warm start has the ordinary binary"
        env = popen.pop("env", None) or os.environ
        env = dict(env, XDG_RUNTIME_DIR=str(self.supervisor.runtime))
        return super().start(*flags, inside=inside, env=env, **popen)
