"""Two hundred runs and fifty sessions, driven at once by one process and one thread.

unit/crowd_probe does it over the library: it cancels, interrupts or gives up any of them at any
moment, sees that the others come out as they should, and that no descriptor is left.
"""

import os
import shlex
import unittest
from pathlib import Path

from support.run import GLOVEBOX, execute
from support.supervisor import Supervisor
from support.times import DEADLINE, wait_until

PROBE = Path(GLOVEBOX).resolve().parent.parent / "unit/crowd_probe"
UNDER = shlex.split(os.environ.get("GLOVEBOX_UNDER", ""))  # a command that runs it: valgrind
RUNS, SESSIONS, CALLS = 200, 50, 4
SEEDS = 3


class Crowd(unittest.TestCase):
    """All of them hang on one epoll(7)."""

    def test_any_of_them_is_disturbed_at_any_moment(self) -> None:
        supervisor = Supervisor(pool=8)
        self.addCleanup(supervisor.stop)
        for seed in range(SEEDS):
            words = [*UNDER, str(PROBE), *(str(n) for n in (RUNS, SESSIONS, CALLS, seed))]
            said = execute(words, env=supervisor.env(), timeout=DEADLINE)
            self.assertEqual((said.status, said.err), (0, ""), said)
            self.assertRegex(said.out, r"^ok: [1-9]\d+ disturbed\n$")
        self.assertTrue(wait_until(lambda: not supervisor.status()["running"]))
        status = supervisor.status()
        self.assertEqual((status["sessions"], status["restarts"]), (0, 0))
