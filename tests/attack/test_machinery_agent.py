"""Attacks on the agent: programs that it runs have a session whose interpreter they take over."""

import os
import subprocess
import time
from collections.abc import Callable, Sequence

from machinery_case import GRACE_S, is_slow, others_s, slack_s, source
from support.agent import AgentCase, answer, fence
from support.beside import Beside
from support.model import FakeOllama
from support.run import GLOVEBOX, execute
from support.times import wait_until

DEADLINE_S = 6
OUT_OF_TIME = 3  # the agent's exit status
PROGRAMS = (
    ("linger_in_an_answer", ("linger", "answer")),
    ("linger_in_a_call", ("linger", "during")),
    ("linger_between_calls", ("linger", "unasked")),
    ("options_of_what_is_shared", ("options", "half")),
    ("leaderless_interpreter", ("leaderless", "worker")),
    ("priority_of_pid_1", ("priority", "spin")),
    *(
        (f"answers_{mode}", ("chaos", mode))
        for mode in (
            *("never", "wrong_id", "twice", "flood", "with_descriptors", "bytewise", "giant"),
            *("dead", "late", "closed", "executed", "suspended"),
        )
    ),
)


class Hostile(Beside, AgentCase):
    """A model whose first program is an attack; then come programs that meet what is left.

    Most agents end at their deadline: several wait for theirs at a time.
    """

    at_once = 6

    def __init_subclass__(cls, rows: Sequence[tuple[str, tuple[str, ...]]] = (), **more: object):
        super().__init_subclass__(**more)
        for name, words in rows:
            setattr(cls, f"test_{name}", _test(words))

    def ends_in_time(self, words: tuple[str, ...]) -> None:
        """Run the agent with a deadline; it must keep it, and the supervisor answer meanwhile."""
        limit = DEADLINE_S * (10 if is_slow() else 1)
        code = source(*words, go="/")
        script = [fence(code), fence("print(1 + 1)"), fence("print(2)"), answer("done")]
        with FakeOllama(script * 3) as fake:
            command = self.command(fake.url, f"--deadline={limit}s", "--json", "do it")
            start = time.monotonic()
            log = open(self.folder / "said", "w+b")  # not a pipe, which would have to be read
            self.addCleanup(log.close)
            agent = self.start(command, env=self.env(), stdout=log, stderr=log)
            worst = 0.0
            bound = limit + GRACE_S + slack_s()
            while agent.poll() is None and time.monotonic() - start < bound:
                worst = max(worst, self.status_takes())
                wait_until(lambda: agent.poll() is not None, 0.3)
            took, status = time.monotonic() - start, agent.poll()
            agent.kill()
        log.seek(0)
        said = log.read().decode(errors="replace")
        worst = max(worst, self.status_takes())
        print(f"  {' '.join(words)}: {status} after {took:.1f} s; warm status {worst:.2f} s")
        self.assertIsNotNone(status, f"the agent is there after {took:.1f} s\n{said[-2000:]}")
        self.assertIn(status, (0, 1, OUT_OF_TIME, 124, 125), said[-2000:])
        self.assertLess(worst, others_s(), "the supervisor answers nobody")

    def status_takes(self) -> float:
        """Return how long the supervisor takes to answer; ten seconds at most."""
        start = time.monotonic()
        env = {"XDG_RUNTIME_DIR": str(self.runtime), "PATH": os.environ["PATH"]}
        try:
            self.assert_status(execute([GLOVEBOX, "warm", "status"], env=env, timeout=10))
        except subprocess.TimeoutExpired:
            pass
        return time.monotonic() - start


def _test(words: tuple[str, ...]) -> Callable[[Hostile], None]:
    def test(case: Hostile) -> None:
        case.ends_in_time(words)

    test.__doc__ = f"agent: {' '.join(words)}"
    return test


class UnreadTest(AgentCase):
    """What the agent prints is taken by nobody."""

    def test_output_that_nobody_reads(self) -> None:
        """A full pipe is no reason to forget the deadline."""
        ours, theirs = os.pipe()
        limit = DEADLINE_S * (10 if is_slow() else 1)
        with FakeOllama([fence(f"print({'x' * 100_000!r})"), answer("done")] * 3) as fake:
            command = self.command(fake.url, f"--deadline={limit}s", "--json", "do it")
            start = time.monotonic()
            agent = self.start(command, env=self.env(), stdout=theirs, stderr=subprocess.DEVNULL)
            wait_until(lambda: agent.poll() is not None, limit + GRACE_S + slack_s())
            took, status = time.monotonic() - start, agent.poll()
            agent.kill()
        for fd in (ours, theirs):
            os.close(fd)
        self.assertIsNotNone(status, f"the agent is there after {took:.1f} s")


class AgentTest(Hostile, rows=PROGRAMS):
    """All of the programs."""
