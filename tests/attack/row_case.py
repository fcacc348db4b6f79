"""row_case - run one row of the table: stopped as shipped, successful without its layer."""

import contextlib
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import attacks
from attack_row import CAPABILITIES, Attack
from given import Given
from given_caller import CALLERS
from given_host import THINGS, has_landlock
from support.attack import SCRIPTS, AttackCase, Finished
from support.times import DEADLINE

SAMPLE = attacks.one_per_layer()


class RowCase(AttackCase):
    """A class of attacks; `rows` become two tests each, and more for walls."""

    def __init_subclass__(cls, rows: tuple[Attack, ...] = (), **more: object) -> None:
        super().__init_subclass__(**more)
        marked: dict[str, list[str]] = {"kernel": [], "quick": [], "as_user": []}
        for row in rows:
            tests = dict(_tests(row))
            for name, test in tests.items():
                setattr(cls, name, test)
            marked["kernel"] += tests if "vm" in row.runs else []
            marked["quick"] += tests if row.name in SAMPLE else []
            marked["as_user"] += tests if "user" in row.runs else []
        for word, names in marked.items() if rows else ():
            setattr(cls, word, tuple(names))


def skip_unless_possible(case: AttackCase, row: Attack) -> None:
    """Skip what this machine or user cannot do."""
    if row.root and os.geteuid() != 0:
        case.skipTest("cannot: the preparation needs root")
    if row.x86 and platform.machine() != "x86_64":
        case.skipTest("cannot: x86_64 only")


def _tests(row: Attack) -> Iterator[tuple[str, Callable[[AttackCase], None]]]:
    """Yield the tests of a row with their names."""
    name = f"test_{row.name}"
    yield f"{name}_is_stopped", _test(row, control=False)
    yield f"{name}_works_without_its_defence", _test(row, control=True)
    walls = row.omit if row.walls == "each" else row.walls
    for wall in filter(None, (walls or "").split(",")):
        yield f"{name}_is_stopped_by_{wall}_alone", _wall_test(row, wall)


def held_test(row: Attack) -> Callable[[AttackCase], None]:
    """Return the test that a row is stopped as shipped, without the controls."""
    return _test(row, control=False)


def _test(row: Attack, control: bool) -> Callable[[AttackCase], None]:
    def test(case: AttackCase) -> None:
        skip_unless_possible(case, row)
        if control:
            _check_control(case, row)
        else:
            _check_held(case, row)

    test.__doc__ = row.threat
    return test


def _wall_test(row: Attack, wall: str) -> Callable[[AttackCase], None]:
    def test(case: AttackCase) -> None:
        skip_unless_possible(case, row)
        if wall == "landlock" and not has_landlock():
            case.skipTest("cannot: this kernel has no Landlock")
        others = [layer for layer in (row.omit or "").split(",") if layer != wall]
        finished, evidence = _perform(case, row, row.flags, row.args, ",".join(others), False)
        held = finished.status == 1 and "HELD" in finished.stdout and not evidence
        case.assertTrue(held, f"{wall} alone does not stop it: {finished}")

    test.__doc__ = f"{row.threat}: {wall} alone"
    return test


def _check_held(case: AttackCase, row: Attack) -> None:
    finished, evidence = _perform(case, row, row.flags, row.args, row.always, False)
    held = "HELD" in finished.stdout if row.held_status == 1 else "ESCAPED" not in finished.stdout
    case.assertTrue(held and finished.status == row.held_status, f"not stopped: {finished}")
    case.assertIn(row.held_stderr, finished.stderr)
    case.assertFalse(evidence, "not stopped")


def _check_control(case: AttackCase, row: Attack) -> None:
    if row.unavailable:
        reason = row.unavailable()
        if reason:
            case.skipTest(f"cannot: {reason}")
    flags = row.flags if row.control_flags is None else row.control_flags
    args = row.args if row.control_args is None else row.control_args
    if row.omit is None and row.on_host:
        finished, evidence = _perform_on_host(case, row, args)
    elif row.omit is None and flags == row.flags and args == row.args and not row.given:
        case.skipTest(f"cannot: {row.why}")
    else:
        omit = ",".join(filter(None, [row.always, row.omit]))
        finished, evidence = _perform(case, row, flags, args, omit, True)
    escaped = "ESCAPED" in finished.stdout and (finished.status == 0 or bool(row.prefix))
    case.assertTrue(escaped or evidence, f"stopped without {row.omit}: {finished}")
    for word in row.expect:
        case.assertIn(word, finished.stdout)


def _expand(argument: str) -> str:
    """Replace @ns/NAME, @scripts, @hostname and @oom by what they are on the host."""
    if argument.startswith("@ns/"):
        return str(os.stat(f"/proc/self/ns/{argument[4:]}").st_ino)
    if argument == "@scripts":
        return str(SCRIPTS)
    return os.uname().nodename if argument == "@hostname" else argument


@contextlib.contextmanager
def _prepared(name: str, folder: Path, control: bool) -> Iterator[Given]:
    """Prepare what is called `name`, for the control run or the other."""
    if not name:
        yield Given()
        return
    with contextlib.contextmanager((CALLERS | THINGS)[name])(folder, control) as there:
        yield there


def _perform(
    case: AttackCase,
    row: Attack,
    flags: tuple[str, ...],
    args: tuple[str, ...],
    omit: str,
    control: bool,
) -> tuple[Finished, str]:
    with _prepared(row.given, case.dir, control) as there:
        words = [*map(_expand, args), *there.args]
        inside = case.command(row.script or row.name, *words, prefix=row.prefix)
        omit = omit.replace("capabilities", CAPABILITIES)
        finished = case.run_inside(*flags, *there.flags, inside=inside, omit=omit, **there.popen)
        if there.output:
            finished.stdout += there.output.read_text(errors="replace")
        return finished, there.evidence()


def _perform_on_host(case: AttackCase, row: Attack, args: tuple[str, ...]) -> tuple[Finished, str]:
    with _prepared(row.given, case.dir, True) as there:
        popen = dict(there.popen)
        popen["env"] = dict(popen.get("env") or os.environ, GLOVEBOX_ATTACK="host")
        path = str(SCRIPTS / f"{row.script or row.name}.py")
        command = [sys.executable, "-B", path, *map(_expand, args), *there.args]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=DEADLINE, check=False, **popen
        )
        return Finished(done.returncode, done.stdout, done.stderr), there.evidence()
