"""row - a message: a line of tests/messages.txt."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One text, and where it is made."""

    path: str
    function: str  # or the table
    kind: str
    text: str  # as the source spells it, with %s for what is known only at run time


class Unknown(Exception):
    """The sources make a text in a way that is in no table of ways.py."""

    def __init__(self, path: str, line: int, why: str) -> None:
        """Say where."""
        super().__init__(f"{path}:{line}: {why}")


def lines_of(rows: Iterable[Row]) -> list[str]:
    """The file's lines, by file and function; within one in the order of the source."""
    unique = dict.fromkeys(rows)
    ordered = sorted(unique, key=lambda r: (r.path, r.function))
    return [f"{r.kind}\t{r.path}\t{r.function}\t{r.text}\n" for r in ordered]
