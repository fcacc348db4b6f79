"""The attacks of tests/attack, from warm cells: each must fail as it fails cold.

That they work without their defence is shown there. Beyond that, what a cold run must not pass
on from its caller a warm one must not pass on from the caller of `glovebox warm start`.
"""

import contextlib
import unittest
from collections.abc import Callable
from dataclasses import replace

import attacks
import test_init
import test_lifetimes
import test_neighbours
import test_output
from attack_row import ROOT, Attack
from given_caller import CALLERS
from row_case import held_test, skip_unless_possible
from support.attack import AttackCase
from support.supervisor import Supervisor
from support.warm_attack import WarmCase

# Rows that are not run warm as they are.
LEFT_OUT = {
    "write_second_wall": "leaves a layer out, which the binary of a warm start cannot",
    "deadline_inner": "there is no `timeout` inside to stop: see DeadlineTest",
    "caps_sets_root": "as the one user of a nursery, who is not 0, it is caps_sets again",
}
AUTO = {"limit_files": "--ulimit may be set when a process starts"}


def warm_row(row: Attack) -> Attack:
    """Return a row for the one user of a warm Python, which is not 0."""
    flags = row.flags[len(ROOT) :] if row.flags[: len(ROOT)] == ROOT else row.flags
    return replace(row, flags=flags)


def _test(row: Attack) -> Callable[[AttackCase], None]:
    held = held_test(warm_row(row))

    def test(case: AttackCase) -> None:
        case.mode = "auto" if row.name in AUTO else "require"
        held(case)

    test.__doc__ = row.threat
    return test


class TableCase(WarmCase):
    """Rows of the table that need a warm run: one test each."""

    def __init_subclass__(cls, rows: tuple[Attack, ...] = (), **more: object) -> None:
        super().__init_subclass__(**more)
        as_user: list[str] = []
        for row in rows:
            if "warm" in row.runs and row.name not in LEFT_OUT:
                name = f"test_{row.name}_is_stopped"
                setattr(cls, name, _test(row))
                as_user += [name] if "warm-user" in row.runs else []
        if rows:
            cls.as_user = tuple(as_user)


class SocketTest(TableCase, rows=attacks.SOCKETS):
    """Socket families that have no business here."""


class ClosedTest(TableCase, rows=attacks.CLOSED):
    """Calls and arguments that nobody needs."""


class CallTest(TableCase, rows=attacks.CALLS):
    """System calls, namespaces and mounts."""


class ProcTest(TableCase, rows=attacks.PROC):
    """What /proc, /sys, /dev and the root give away, or let one change."""


class FilesystemTest(TableCase, rows=attacks.FILESYSTEM):
    """Writing, executing and climbing where it is not meant."""


class PrivilegeTest(TableCase, rows=attacks.PRIVILEGES):
    """Capabilities and namespaces."""


class InheritedTest(TableCase, rows=attacks.INHERITED):
    """What must not come from the caller of `glovebox run`."""


class LimitTest(TableCase, rows=attacks.LIMITS):
    """Memory, processes, CPUs, files, timers."""


class DeadlineTest(TableCase, rows=attacks.DEADLINE):
    """Ways to outlive the deadline."""

    def test_timeout_in_front_is_kept_from_outside(self) -> None:
        """As timeout(1) it sends SIGTERM; who ignores that still has the deadline to come."""
        endless = ("timeout", "0.5", "python3", "-c", "while True: pass")
        self.assertEqual(self.run_inside(inside=list(endless)).status, 124)
        inside = self.command("deadline_signals", "60", prefix=("timeout", "1"))
        finished = self.run_inside("--timeout", "2s", inside=inside)
        self.assertEqual((finished.status, finished.stdout), (124, ""), finished)


class RunsTest(unittest.TestCase):
    """Every row whose runs have "warm" is here, or has a reason."""

    def test_rows(self) -> None:
        classes = TableCase.__subclasses__()
        has = {name for case in classes for name in vars(case) if name.startswith("test_")}
        marked = {name for case in classes for name in case.as_user}
        for run, there in (("warm", has), ("warm-user", marked)):
            rows = {row.name for row in attacks.TABLE if run in row.runs}
            self.assertEqual({name for name in rows if f"test_{name}_is_stopped" not in there} - LEFT_OUT.keys(), set())
        needed = {row.name for row in attacks.TABLE if "warm" in row.runs}
        self.assertLessEqual(LEFT_OUT.keys() | AUTO.keys(), needed)


# -- the caller of `glovebox warm start` -----------------------------------------------------


def _caller_test(row: Attack) -> Callable[[AttackCase], None]:
    def test(case: AttackCase) -> None:
        skip_unless_possible(case, row)
        with contextlib.contextmanager(CALLERS[row.given])(case.dir, False) as there:
            odd = Supervisor(**there.popen)
            case.addCleanup(odd.stop)
            case.supervisor = odd  # of this test alone
            inside = case.command(row.script or row.name, *there.args)
            finished = case.run_inside(inside=inside)
            case.assertEqual((finished.status, finished.stdout), (1, "HELD\n"), finished)
            case.assertFalse(there.evidence(), "not stopped")
            case.assert_unharmed(odd)

    test.__doc__ = f"{row.threat}: of who started the supervisor"
    return test


class SupervisorsCallerTest(WarmCase):
    """What must not come from the caller of `glovebox warm start`."""


for _row in attacks.INHERITED:
    if _row.given in CALLERS:
        setattr(SupervisorsCallerTest, f"test_{_row.name}_is_stopped", _caller_test(_row))


# -- what has classes of its own there; None: a test that cannot be run warm, and why ------------


class NeighbourTest(WarmCase, test_neighbours.NeighbourTest):
    """Cells that live at the same time do not meet."""

    as_user = True
    test_neighbours_meet_without_namespaces = None  # leaves layers out


class VolumeRaceTest(WarmCase, test_neighbours.VolumeRaceTest):
    """The source of a volume is swapped for a link while a run starts."""

    as_user = True


class LifetimeTest(WarmCase, test_lifetimes.LifetimeTest):
    """Nothing of a run outlives it."""

    test_daemons_live_on_without_a_sandbox = None  # runs on the host, where nothing is warm
    # leaves out parent-death, which pid 1 of a cell does not have: the socket is all that tells it
    test_everything_ends_by_the_control_socket_alone = None


class FloodTest(WarmCase, test_lifetimes.FloodTest):
    """Output is bounded for each stream, and the rest is dropped."""


class OutputTest(WarmCase, test_output.OutputTest):
    """The collector takes regular files and directories, follows nothing, and is bounded."""


class InitTest(WarmCase, test_init.InitTest):
    """Pid 1 of a cell, seen from the host: it is locked down as the program is."""

    as_user = True
    test_pid_1_is_open_without_its_layers = None  # leaves layers out
    test_pid_1_holds_more_without_its_layer = None  # leaves a layer out
