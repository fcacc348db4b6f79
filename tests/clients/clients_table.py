"""clients_table - the table of docs/clients.md, written from clients_rows.py.

    python3 tests/clients/clients_table.py [--check]

Without an argument it writes it between its marks; with --check it says whether it differs. It names a test or a
section that is not there, a face of the server without a row, and tests of a program that no row refers to.
"""

import ast
import json
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from clients_rows import ROWS, Claim, Row
from support.marked_tables import ROOT, main

PAGE = "docs/clients.md"
ROWS_FILE = "tests/clients/clients_rows.py"
TESTS = ROOT / "tests"
CLIENTS = TESTS / "clients"
FACES = ROOT / "runtime/serve/faces.c"
NOTE = f"\nEach cell is shown by tests: {ROWS_FILE} names them, and the files beside it that have the versions.\n"


# -- versions --------------------------------------------------------------------------------


def versions(file: str, package: str) -> list[str]:
    """Return the versions of a package that a file pins."""
    text = (CLIENTS / file).read_text()
    if file.endswith(".json"):
        return [version for name, version in json.loads(text)["dependencies"].items() if name == package]
    return re.findall(rf"^{re.escape(package)}(?:==| )([^\s;\\]+)", text, re.MULTILINE)


def joined(words: list[str]) -> str:
    """Return words as a sentence has them."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


# -- tests -----------------------------------------------------------------------------------


def claims(row: Row) -> tuple[Claim, ...]:
    """Return all of a row."""
    return row.programs + row.works + row.differs + row.refused


@cache
def tests_of(file: str) -> set[str]:
    """Return the tests of a file below tests/, as CLASS::TEST."""
    path = TESTS / file
    body = ast.parse(path.read_text()).body if path.is_file() else []
    classes = [node for node in body if isinstance(node, ast.ClassDef)]
    return {f"{node.name}::{test.name}" for node in classes for test in node.body if isinstance(test, ast.FunctionDef) and test.name.startswith("test_")}


def clients_of_faces() -> Iterator[str]:
    """Return the files below tests/clients that test programs with a face."""
    for path in sorted(CLIENTS.rglob("test_*.py")):
        if re.search(r"--face\b|\bface_of\b", path.read_text()):
            yield str(path.relative_to(TESTS))


def faults() -> Iterator[str]:
    """Return what does not hold in the rows, and what they lack."""
    named = {test for row in ROWS for claim in claims(row) for test in claim.tests}
    for test in sorted(named):
        file, _, name = test.partition("::")
        if name not in tests_of(file):
            yield f"{ROWS_FILE} names {test}, which is not there"
    files = {test.partition("::")[0] for test in named}
    yield from (f"tests/{file} tests a program, and no row of {ROWS_FILE} refers to it" for file in clients_of_faces() if file not in files)
    faces = re.findall(r'^\t\{"([\w-]+)",\s+&\w+_site\s*\},', FACES.read_text(), re.MULTILINE)
    given = [row.face for row in ROWS if row.face]
    yield from (f"faces.c has {face}, and no row of {ROWS_FILE}" for face in faces if face not in given)
    yield from (f"{ROWS_FILE} has {face}, and faces.c has not" for face in given if face not in faces)
    if not faces:
        yield "the table of faces.c is not found: has it another form?"
    sections = re.findall(r"^## (.+)$", (ROOT / PAGE).read_text(), re.MULTILINE)
    for row in ROWS:
        yield from (f"{file} does not pin {package}" for file, package in row.pins.values() if not versions(file, package))
        if row.section and row.section not in sections:
            yield f"{PAGE} has no section {row.section}"


# -- the table -------------------------------------------------------------------------------


def listed(found: Iterable[Claim]) -> str:
    """Return claims as they are in a cell."""
    return "; ".join(claim.text for claim in found)


def cells(row: Row) -> tuple[str, ...]:
    """Return a row."""
    pins = {name: joined(versions(*pin) or ["?"]) for name, pin in row.pins.items()}
    more = f"; [more](#{row.section.lower()})" if row.section else ""
    where = f"`{row.face}`" if row.face else f"none: `{row.command}`"
    return listed(row.programs).format_map(pins), where, listed(row.works).format_map(pins), listed(row.differs) + more, listed(row.refused)


def table() -> str:
    """Return the rows as a table of Markdown, and where its tests are."""
    head = "| program | `--face` | works | differs | refused |\n|---|---|---|---|---|\n"
    return head + "".join(f"| {' | '.join(cells(row))} |\n" for row in ROWS) + NOTE


if __name__ == "__main__":
    wrong = list(faults())
    for line in wrong:
        print(line)
    sys.exit(main(PAGE, {"clients": table()}, "make clients-table", ROWS_FILE) or bool(wrong))
