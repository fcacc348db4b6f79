"""door_case - attacks by programs of a sandbox that stays (run -d): its first one, and a further one through its door."""

import os
import shlex
import subprocess
from dataclasses import replace

from attack_row import Attack
from row_case import RowCase
from support.attack import AttackCase
from support.run import GLOVEBOX, TESTING

# What of a program's own steps pid 1 has done for it, under another name; and init-dumpable cannot be left out
# where root's ids have changed (prctl(2)), so that the kernel has done it: undumpable undoes it.
STEPS = {
    "seccomp": "seccomp,init-seccomp",
    "landlock": "landlock,init-landlock",
    "no-new-privs": "no-new-privs,init-no-new-privs",
    "rlimits": "rlimits,init-rlimits",
    "init-dumpable": "undumpable",
}

# The status and the output of the attack are those of the line.
FIRST = 'id=$({run} {inside}) && status=$({program} wait "$id") && {program} logs "$id" && {program} rm "$id" >&2 && exit $status'
FURTHER = 'id=$({run} sleep 600) && {{ {program} exec "$id" {inside}; status=$?; {program} rm -f "$id" >&2; exit $status; }}'


def behind_the_door(omit: str) -> str:
    """Return the names of the same layers behind the door."""
    return ",".join(STEPS.get(layer, layer) for layer in omit.split(","))


def door_rows(rows: tuple[Attack, ...], names: tuple[str, ...]) -> tuple[Attack, ...]:
    """Return these rows; what hides the control in a cold run does not hide it here."""
    return tuple(replace(row, unavailable=None, walls="") for row in rows if row.name in names)


class DoorCase(AttackCase):
    """Attacks by a program that was started through the door; with `line` FIRST by the first program."""

    line = FURTHER

    def start(self, *flags: str, inside: list[str], omit: str = "", **popen: object) -> subprocess.Popen[str]:
        """Start a sandbox, and the attack in it; both are gone at its end."""
        env = dict(popen.pop("env", None) or os.environ, XDG_STATE_HOME=str(self.dir / "state"))
        env.pop("GLOVEBOX_OMIT", None)
        if omit:
            env["GLOVEBOX_OMIT"] = behind_the_door(omit)
        program = TESTING if omit else GLOVEBOX
        run = self.arguments("--detach", *flags, program=program)
        line = self.line.format(run=shlex.join(run), inside=shlex.join(inside), program=shlex.quote(program))
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(["/bin/sh", "-c", line], env=env, text=True, errors="replace", **(streams | popen))


class DoorRowCase(DoorCase, RowCase):
    """Rows of the table behind the door."""
