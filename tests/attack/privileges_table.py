"""privileges_table - the rows of runtime/base/privileges.c, as numbers and as a table to read."""

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "runtime/base/privileges.c"
NUMBERS = Path("/usr/include/linux/capability.h")
HEAD = "| command | when | keeps | a program that it executes gets |\n|---|---|---|---|\n"
WHEN = {
    "arguments": "before a file of its arguments is opened",
    "running": "once the program runs",
    "collects": "the same, with an /output",
    "copies": "while files are copied",
    "counts": "while files are counted",
}
EXECUTED = {"ROOT": "what root has", "BOUNDED": "what is kept", "SAME": "what is kept (no_new_privs)"}


@dataclass(frozen=True)
class Row:
    """What one command holds from one moment on."""

    command: str
    moment: str
    kept: tuple[str, ...]  # names of capabilities; ("ALL",): whatever the caller has
    executed: str

    @property
    def mask(self) -> int:
        """The kept ones as /proc shows a set."""
        return (1 << 64) - 1 if self.kept == ("ALL",) else sum(1 << number(n) for n in self.kept)


def number(name: str) -> int:
    """Return the number of a capability."""
    return _numbers()[name]


def rows() -> Iterator[Row]:
    """Yield the rows of the table."""
    text = SOURCE.read_text()
    sets = dict(re.findall(r"^#define ([A-Z]+) +(\S.*)$", text, re.MULTILINE))
    for command, moment, kept, executed in re.findall(
        r'^\t\{"([a-z ]+)", +"([a-z]+)", +([A-Z| ]+), +EXECUTED_([A-Z]+)\},$', text, re.MULTILINE
    ):
        yield Row(command, moment, tuple(_expand(kept, sets)), executed)


def _expand(expression: str, sets: dict[str, str]) -> Iterator[str]:
    """Yield the names in a set of the C file, and in those that it is made of."""
    for call, name in re.findall(r"CAP\((\w+)\)|\b([A-Z]+)\b(?!\()", expression):
        if name == "ALL":
            yield name
        elif name in sets and "UINT64" not in sets[name]:
            yield from _expand(sets[name], sets)
        elif call:
            yield call


@functools.cache
def _numbers() -> dict[str, int]:
    found = re.findall(r"^#define CAP_(\w+)\s+(\d+)$", NUMBERS.read_text(), re.MULTILINE)
    return {name: int(value) for name, value in found}


def table() -> str:
    """Return the table of policy/README.md: commands that hold the same share a line."""
    groups: dict[tuple[str, tuple[str, ...], str], list[str]] = {}
    for row in rows():
        groups.setdefault((row.moment, row.kept, row.executed), []).append(row.command)
    text = HEAD
    for (moment, kept, executed), commands in groups.items():
        names = "everything" if kept == ("ALL",) else ", ".join(kept) or "nothing"
        text += f"| {', '.join(commands)} | {WHEN[moment]} | {names} | {EXECUTED[executed]} |\n"
    return text
