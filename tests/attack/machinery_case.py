"""machinery_case - attack the machinery from inside, and see that it serves everybody else.

Each test has a supervisor of its own, a session that is hostile and one that is not. While a
command is attacked, others are served by the same supervisor, and how long that takes is noted.
"""

import contextlib
import dataclasses
import os
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from support.bystander import Bystander
from support.processes import groups
from support.run import GLOVEBOX
from support.stillness import NOTED_S, Stillness
from support.times import is_slow, wait_until
from support.warm import Warm

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE / "machinery"



GRACE_S = 2  # of a call that is interrupted, as the product has it
PATIENCE_S = 3  # then a user presses Ctrl-C
BY_HAND = {"checkpoint", "rollback", "freeze"}  # these may need him; all others end by themselves
GIVE_UP_S = 12  # a command that lives longer is stuck: it is killed, and counts so much
PREPARED_S = 50  # what is not attacked yet has to succeed, not to be quick
POOL = 2


def slack_s() -> float:
    """Return what a busy machine may add to a bound: less than any of the attacks takes."""
    return 60 if is_slow() else 6


def others_s() -> float:
    """Return how long others may wait: a second is promised, and printed; machines are shared."""
    return 30 if is_slow() else 10


def source(program: str, *args: str, go: str = "/workspace/go") -> str:
    """Return a program of machinery/ as one text: it needs no file inside."""
    kit, text = ((PROGRAMS / f"{name}.py").read_text() for name in ("_kit", program))
    return f"""
import sys, types
sys.argv = {[program, *args]!r}
def load(name, text, **more):
    sys.modules[name] = module = types.ModuleType(name)
    exec(compile(text, name + ".py", "exec"), vars(module))
    vars(module).update(more)
load("_kit", {kit!r}, GO={go!r})
load({program!r}, {text!r})
"""


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a command ended, if it did: `stuck` when it had to be killed."""

    words: str
    seconds: float
    status: int
    out: str
    err: str
    stuck: bool

    def __str__(self) -> str:
        end = "had to be killed" if self.stuck else f"ended with {self.status}"
        return f"{self.words}: {end} after {self.seconds:.1f} s\n{self.out[-500:]}{self.err[-500:]}"


class Waited(AssertionError):
    """Others waited, for an attack or for a machine that was busy with somebody else."""


class Meanwhile:
    """Others, served again and again; `worst` says how long each kind waited at most."""

    def __init__(self, case: "MachineryCase") -> None:
        self.case = case
        self.worst: dict[str, float] = {}
        self.wrong: list[str] = []
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self._ask, args=one) for one in case.others()]

    def __enter__(self) -> "Meanwhile":
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        for thread in self.threads:
            thread.join()

    def longest_s(self) -> float:
        """Return how long others waited for us: each starts a few programs and forks itself."""
        return self.case.bystander.beyond(max(self.worst.values()))

    def _ask(self, name: str, command: list[str]) -> None:
        while not self.over.is_set():
            start = time.monotonic()
            with contextlib.suppress(subprocess.TimeoutExpired):
                said = self.case.glovebox(*command, timeout=GIVE_UP_S + others_s())
                if said.status:
                    self.wrong.append(f"{name}: {said.status} {said.err}")
            took = time.monotonic() - start
            self.worst[name] = max(self.worst.get(name, 0), took)
            self.over.wait(0.3)


class MachineryCase(Warm):
    """A test with a supervisor, a hostile session S and another one.

    A bystander starts a program that has nothing to do with glovebox, all the time: what the
    kernel makes everybody wait for (forks of a machine that is short of CPU) is not our doing.
    """

    flags: tuple[str, ...] = ()
    tally: dict[str, int] = {}  # the runner's summary has it

    def setUp(self) -> None:
        """Start them."""
        super().setUp()
        self.bystander = self.enterContext(Bystander())
        self.supervisor = self.start_warm(pool=POOL)
        self.start_session("other")

    def start_session(self, name: str, *flags: str) -> None:
        """Start a session; the end of the supervisor ends it."""
        new = ("session", "new", "--name", name, *flags, "host")
        self.assert_status(self.glovebox(*new))

    def others(self) -> list[tuple[str, list[str]]]:
        """Return what must be served all the time, by name."""
        run = ["run", "--warm=require", "--timeout=60s", "host", "python3", "-c", "1"]
        exec_ = ["session", "exec", "--timeout=60s", "other", "1"]
        return [("warm status", ["warm", "status"]), ("run", run), ("exec", exec_)]

    # -- commands

    def begin(self, words: Sequence[str], **popen: Any) -> "subprocess.Popen[bytes]":
        """Start a command that ends, at the latest, with the test."""
        env = dict(os.environ, **self.env())
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | popen
        return self.start([GLOVEBOX, *words], env=env, **streams)

    def bounded(
        self, words: Sequence[str], patience: float = PATIENCE_S, give_up: float = GIVE_UP_S
    ) -> Outcome:
        """Run a command; after its patience a user presses Ctrl-C, and once more."""
        give_up += slack_s()
        patience += 0 if BY_HAND & set(words) and not is_slow() else slack_s()
        start = time.monotonic()
        process = self.begin(words)
        out, err, stuck = b"", b"", False
        for wait, number in ((patience, 2), (0.5, 2), (max(give_up - patience, 1), 9), (60, 9)):
            try:
                out, err = self.end_of(process, wait)
                break
            except subprocess.TimeoutExpired:
                stuck |= number == signal.SIGKILL
                process.send_signal(number)
        took = time.monotonic() - start
        shown = " ".join(word for word in words if len(word) < 60)
        said = (out or b"").decode(errors="replace"), (err or b"").decode(errors="replace")
        return Outcome(shown, took, process.returncode, *said, stuck)

    def end_of(self, process: "subprocess.Popen[bytes]", seconds: float) -> tuple[bytes, bytes]:
        """Wait so long for the end of a process, without counting how long a bystander waited; return its output."""
        start, before = time.monotonic(), self.bystander.waited_s()
        while True:
            try:
                return process.communicate(timeout=min(seconds, 0.5))
            except subprocess.TimeoutExpired:
                if time.monotonic() - start - (self.bystander.waited_s() - before) >= seconds:
                    raise

    def perform(self, step: str, code: str, name: str = "hostile") -> Outcome:
        """Run one step of an attack: `glovebox session STEP`; S is the session, @ the program."""
        words = [{"S": name, "@": code}.get(word, word) for word in shlex.split(step)]
        limit = next((w for w in words if w.startswith("--timeout=")), "")
        if not limit:
            return self.bounded(["session", *words])
        bound = float(limit.removeprefix("--timeout=").rstrip("s")) + GRACE_S
        return self.bounded(["session", *words], patience=bound, give_up=bound)

    def prepare(self, step: str, code: str = "", name: str = "hostile") -> None:
        """Run a step that succeeds."""
        words = [{"S": name, "@": code}.get(word, word) for word in shlex.split(step)]
        outcome = self.bounded(["session", *words], patience=PREPARED_S, give_up=PREPARED_S)
        self.assertEqual(outcome.status, 0, outcome)

    def give_word(self, name: str = "hostile") -> None:
        """Tell an attack that its moment has come."""
        word = self.file("go", "")
        self.prepare(f"put S {word} go", name=name)

    # -- what must hold

    def assert_bounded(self, outcome: Outcome) -> None:
        """Assert that an attacked command has ended, and if it failed in one line of ours."""
        print(f"  {str(outcome).splitlines()[0]}")
        self.assertFalse(outcome.stuck, f"stuck: {outcome}")
        self.assertNotIn("the guest has no", outcome.err, "the attack does not work any more")
        # A freeze may take its 5 s where the v1 freezer waits for parents in vfork.
        by_hand = BY_HAND & set(outcome.words.split())
        self.assertIn(outcome.status, {0, 1, 124, 125, *((130, -2) if by_hand else ())}, outcome)
        if outcome.status in (125, 130) and outcome.err:
            ours = [line for line in outcome.err.splitlines() if line.startswith("glovebox: ")]
            self.assertLessEqual(len(ours), 2, outcome)
            self.assertEqual(len(ours), len(outcome.err.splitlines()), outcome)

    @contextlib.contextmanager
    def others_are_served(self) -> Iterator[Meanwhile]:
        """Have others at work meanwhile, and assert that none of them waited."""
        meanwhile = Meanwhile(self)
        try:
            with meanwhile:
                yield meanwhile
        finally:
            shown = ", ".join(f"{name} {took:.2f} s" for name, took in meanwhile.worst.items())
            shown += f"; a bystander {self.bystander.worst_s:.2f} s"
            print(f"  others, at worst: {shown}")
        self.assertEqual(meanwhile.wrong, [])
        if meanwhile.longest_s() >= others_s():
            raise Waited(f"others waited: {shown}")

    def twice_if_it_stood_still(self, attack: Callable[[], None]) -> None:
        """Perform an attack, and once more if others waited or the machine stood still.

        What an attack does it does again; what the machine did it does not.
        """
        still = Stillness()
        self.addCleanup(still.stop)
        try:
            attack()
        except AssertionError as failed:
            stood_still_s = still.total_s()
            if stood_still_s < NOTED_S and not isinstance(failed, Waited):
                raise
            what = "attacks that others waited for, or the machine stood still: performed once more"
            type(self).tally = {what: self.tally.get(what, 0) + 1}
            print(f"  once more, the machine stood still for {stood_still_s:.1f} s: {failed}")
            for name in ("other", "hostile", *(f"hostile{number}" for number in range(10))):
                self.bounded(["session", "rm", name])
            self.start_session("other")
            attack()

    def assert_nothing_left(self) -> None:
        """End all sessions; then there are the cells of the pool, and no group but theirs."""
        for name in ("hostile", "other"):
            self.bounded(["session", "rm", name])
        now = self.status()
        self.assertEqual((now["pid"], now["restarts"]), (self.supervisor, 0))

        def swept() -> bool:
            return len(self.parked(self.supervisor)) == len(self.names_of_groups()) == POOL

        if not wait_until(swept, PREPARED_S):
            there = f"{self.names_of_groups()}, pid 1 of cells {self.parked(self.supervisor)}"
            self.fail(f"left: {there}, {self.status()}")

    def names_of_groups(self) -> set[str]:
        """Return the names of the supervisor's groups that are of cells."""
        return {Path(folder).name for folder in groups(self.supervisor)}
