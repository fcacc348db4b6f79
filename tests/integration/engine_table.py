"""engine_table - the tables of docs/engine.md, written from engine_routes.py and engine_members.py.

    python3 tests/integration/engine_table.py [--check]

Without an argument it writes them between their marks; with --check it says whether they differ, and whether the
sources of the Engine have a route, a member or a word of a query that no row asks for.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))

from engine_asks import REFUSED, Ask, Row
from engine_members import MEMBERS
from engine_routes import ROUTES
from support.marked_tables import ROOT, main

ENGINE = ROOT / "runtime/engine"
SOURCES = "\n".join(path.read_text() for path in sorted(ENGINE.glob("*.c")))
READ = r'\b(?:query_(?:text|is_true|list)|attach_add_flag|answer_member\w*)\([^;"]*"(\w+)"'
CREATE = "POST /containers/create"
UPDATE = "POST /containers/*/update"


# -- what is asked ---------------------------------------------------------------------------


def every(asks: Iterable[Ask]) -> Iterator[Ask]:
    """Return requests, with those that are made meanwhile."""
    for ask in asks:
        yield ask
        yield from every(ask.meanwhile)


def is_of(ask: Ask, route: str) -> bool:
    """Tell whether a request is one of a route."""
    pattern = re.escape(route).replace(r"\*\*", ".+").replace(r"\*", "[^/]+")
    return re.fullmatch(pattern, f"{ask.method} {ask.path}".partition("?")[0]) is not None


def fields(row: Row) -> list[str]:
    """Return what the probes of a row send: words of a query, its filters, and members of a body."""
    found: dict[str, None] = {}
    for ask in every(ask for probe in row.probes for ask in probe):
        if not is_of(ask, row.what):
            continue
        for name, value in ask.query.items():
            found |= dict.fromkeys([f"filters.{key}" for key in value] if name == "filters" else [name])
        if isinstance(ask.body, dict) and row.what != CREATE:
            found |= dict.fromkeys(ask.body)
    return list(found)


def names(thing: Any) -> Iterator[str]:
    """Return the names of members, wherever they are in a body."""
    if isinstance(thing, dict):
        yield from thing
    for item in thing.values() if isinstance(thing, dict) else thing if isinstance(thing, list) else ():
        yield from names(item)


# -- what the sources have -------------------------------------------------------------------


def sent() -> set[str]:
    """Return every name that some probe sends."""
    asks = every(ask for row in (*ROUTES, *MEMBERS) for probe in row.probes for ask in probe)
    return {name for ask in asks for name in (*ask.query, *names(ask.body))}


def faults() -> Iterator[str]:
    """Return what the sources have, and no row."""
    routes = [" ".join(found) for found in re.findall(r'^\t\{"([A-Z]+)",\s+"(/[^"]*)",', SOURCES, re.MULTILINE)]
    rows = list(dict.fromkeys(row.what for row in ROUTES))
    yield from (f"paths.c has {route}, and no row of engine_routes.py" for route in routes if route not in rows)
    if rows != [route for route in routes if route in rows]:
        yield "the rows of engine_routes.py have another order than paths.c, or routes that are not there"
    members = dict(re.findall(r'^\t\{"(\w+)",\s+create_\w+,\s+"[\w-]+",\s+(true|false)\}', SOURCES, re.MULTILINE))
    given = {member.label.split()[0] for row in MEMBERS for member in row.members}
    yield from (f"create_fields.c has {name}, and no row of engine_members.py" for name in members if name not in given)
    updated = {name for row in ROUTES if row.what == UPDATE for name in fields(row)}
    for name in sorted(updated ^ {name for name, updates in members.items() if updates == "true"}):
        yield f"create_fields.c and the rows of {UPDATE} disagree about {name}"
    yield from (f"a source reads {name}, and no probe sends it" for name in sorted({*re.findall(READ, SOURCES)} - sent()))
    if len(routes) < 40 or len(members) < 60:
        yield "the tables of paths.c and create_fields.c are not found: have they another form?"


# -- the tables ------------------------------------------------------------------------------


def listed(found: Iterable[str]) -> str:
    """Return names as they are in a cell."""
    plain, filters = [], []
    for name in found:
        (filters if name.startswith("filters.") else plain).append(name.removeprefix("filters."))
    cells = [f"`{name}`" for name in plain]
    return ", ".join([*cells, f"`filters` ({', '.join(filters)})"] if filters else cells)


def table(head: str, rows: Iterable[tuple[str, ...]]) -> str:
    """Return rows as a table of Markdown."""
    lines = (f"| {' | '.join(cells)} |\n".replace("|  |", "| |") for cells in rows)
    return f"{head}\n|{'---|' * (head.count('|') - 1)}\n" + "".join(lines)


def route_cells(row: Row) -> tuple[str, ...]:
    """Return a row of the requests: what is refused names only what is not said already."""
    known = {name for other in ROUTES if other.what == row.what and other.here != REFUSED for name in fields(other)}
    found = [name for name in fields(row) if row.here != REFUSED or name not in known]
    return f"`{row.what}`", listed(found), row.here, row.note


def tables() -> dict[str, str]:
    """Return both, by the names of their marks."""
    return {
        "requests": table("| request | query and body | here | what to know |", map(route_cells, ROUTES)),
        "members": table("| member | here | what to know |", ((row.what, row.here, row.note) for row in MEMBERS)),
    }


if __name__ == "__main__":
    wrong = list(faults())
    for line in wrong:
        print(line)
    source = "tests/integration/engine_routes.py and engine_members.py"
    sys.exit(main("docs/engine.md", tables(), "make engine-table", source) or bool(wrong))
