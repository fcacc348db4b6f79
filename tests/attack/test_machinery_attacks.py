"""The second table, performed: attacks from inside sessions on what keeps and drives them."""

import time
from collections.abc import Callable, Sequence

import machinery
from machinery import CHAOS, COMMANDS, EXEC, Machinery
from machinery_case import MachineryCase, is_slow, source
from support.beside import Beside
from support.run import parallel


class Attacks(Beside, MachineryCase):
    """A class of rows, each a test. What they wait for is mostly a deadline."""

    def __init_subclass__(cls, rows: Sequence[Machinery] = (), **more: object) -> None:
        super().__init_subclass__(**more)
        for row in rows:
            setattr(cls, f"test_{row.name}", _test(row))

    def perform_row(self, row: Machinery) -> None:
        """Prepare an attack, meet it with its commands while others are served, clean up."""
        self.start_session("hostile")
        code = source(row.program, *row.args)
        for step in row.prepared:
            self.prepare(step, code)
        with self.others_are_served():
            if row.word:
                self.give_word()
            time.sleep(row.pause)
            for at, step in enumerate(row.attacked):
                outcome = self.perform(step, code)
                self.assert_bounded(outcome)
                if row.succeeds and at == 0:
                    self.assertEqual(outcome.status, 0, outcome)
        self.assert_nothing_left()


def _test(row: Machinery) -> Callable[[Attacks], None]:
    def test(case: Attacks) -> None:
        case.twice_if_it_stood_still(lambda: case.perform_row(row))

    test.__doc__ = f"{row.target}: {row.threat}"
    return test


class LingerTest(Attacks, rows=machinery.LINGER):
    """Sockets whose close sleeps, over whatever the session holds."""


class SharedTest(Attacks, rows=machinery.SHARED):
    """Descriptors that both sides have."""


class ProcessTest(Attacks, rows=machinery.PROCESSES):
    """Processes that are hard to find, to stop, to kill."""

    kernel = (
        "test_leaderless_processes_then_freeze",
        "test_leaderless_processes_then_rollback",
        "test_crowd_vfork_left_behind",
        "test_crowd_bomb_left_behind",
        "test_priority_of_pid_1_in_a_call",
        "test_priority_of_pid_1_then_rm",
    )

    def test_nobody_answers_for_a_session_after_its_rollback(self) -> None:
        """rollback: a process without a leader outlives it, stops the others and answers."""
        self.start_session("hostile")
        self.prepare("checkpoint S")
        self.prepare("exec S @", source("leaderless", "answer"))
        self.prepare("rollback S")
        self.give_word()
        time.sleep(1)
        for _ in range(3):
            outcome = self.perform("exec --timeout=5s S '\"good\"'", "")
            self.assertNotIn("evil", outcome.out, "somebody else answers for the session")
            self.assertEqual((outcome.status, outcome.out), (0, "'good'\n"), outcome)
        self.assert_nothing_left()


class FileTest(Attacks, rows=machinery.FILES):
    """Files that are asked for from outside."""

    as_user = True


class Chaos(Beside, MachineryCase):
    """Every command meets an interpreter that answers as one mode says, and mostly waits until its time is up."""

    def __init_subclass__(cls, modes: Sequence[str] = (), **more: object) -> None:
        super().__init_subclass__(**more)
        for mode in modes:
            setattr(cls, f"test_{mode}", _chaos_test(mode))

    def meet(self, mode: str) -> None:
        """Have each command meet a session of its own, several at a time."""
        code = source("chaos", mode)

        def one(number: int) -> None:
            name = f"hostile{number}"
            self.start_session(name)
            self.prepare("exec S @", code, name)
            self.prepare("checkpoint S a", code, name)
            self.give_word(name)
            for step in (COMMANDS[number], EXEC, "rm S"):
                self.assert_bounded(self.perform(step, code, name))

        with self.others_are_served():
            parallel(one, range(len(COMMANDS)), 1 if is_slow() else 3)
        self.assert_nothing_left()


def _chaos_test(mode: str) -> Callable[[Chaos], None]:
    def test(case: Chaos) -> None:
        case.twice_if_it_stood_still(lambda: case.meet(mode))

    test.__doc__ = f"every command against an interpreter that answers so: {mode}"
    return test


class ChaosTest(Chaos, modes=CHAOS[::3]):
    """A third of the modes: classes run at the same time."""


class MoreChaosTest(Chaos, modes=CHAOS[1::3]):
    """Another third."""


class MostChaosTest(Chaos, modes=CHAOS[2::3]):
    """And the rest."""


class TableTest(MachineryCase):
    """What can be said of the table without running it."""

    def setUp(self) -> None:
        """Nothing is started."""

    def test_names_are_unique_and_programs_exist(self) -> None:
        names = [row.name for row in machinery.TABLE]
        self.assertEqual(len(names), len(set(names)))
        for row in machinery.TABLE:
            self.assertTrue(source(row.program, *row.args), row.name)

    def test_every_target_is_attacked(self) -> None:
        targets = {row.target for row in machinery.TABLE}
        self.assertEqual(targets, {"supervisor", "driver", "rollback", "freeze"})
