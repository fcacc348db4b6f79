"""json_doc - the tables of docs/json.md as a schema: what is printed has their fields and no others.

A type is string, integer, number, boolean, null, `list of` or `map of` another, the name of a table, or
some of these joined by "or"; words in backquotes are the strings that there are.
"""

import re
from typing import Any

from support.run import ROOT

PAGE = ROOT / "docs/json.md"
HEAD = "| field | type | what it is |"
PLAIN = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None)}

Table = dict[str, str]  # type by field, which may end with a question mark


def tables(text: str) -> dict[str, Table]:
    """Return the tables of a page by the headings above them."""
    found: dict[str, Table] = {}
    title, rows = "", False
    for line in text.splitlines():
        if heading := re.fullmatch(r"##+ (\w+)", line):
            title = heading[1]
        if line == HEAD:
            found[title] = {}
            rows = True
        elif not line.startswith("|"):
            rows = False
        elif rows and not line.startswith("|---"):
            field, kind = (cell.strip() for cell in line.split("|")[1:3])
            found[title][field] = kind
    return found


TABLES = tables(PAGE.read_text())


def faults(value: Any, kind: str, where: str = "it", known: dict[str, Table] = TABLES) -> list[str]:
    """Return what is wrong with a value, a line each; nothing if it is as documented."""
    if " or " in kind:
        found = [faults(value, one, where, known) for one in kind.split(" or ")]
        return [] if not all(found) else found[0]
    if kind.startswith("`"):
        return [] if value in re.findall(r"`(\w+)`", kind) else [f"{where}: {value!r} is not documented"]
    if kind.startswith("list of "):
        items = enumerate(value) if isinstance(value, list) else None
    elif kind.startswith("map of "):
        items = value.items() if isinstance(value, dict) else None
    elif kind in PLAIN:
        fits = isinstance(value, PLAIN[kind]) and (kind == "boolean" or not isinstance(value, bool))
        return [] if fits else [f"{where}: {value!r} is no {kind}"]
    else:
        return object_faults(value, known[kind], where, known)
    if items is None:
        return [f"{where}: {value!r} is no {kind}"]
    inner = kind.split(" of ", 1)[1]
    return [fault for key, item in items for fault in faults(item, inner, f"{where}.{key}", known)]


def object_faults(value: Any, table: Table, where: str, known: dict[str, Table]) -> list[str]:
    """Return what is wrong with an object."""
    if not isinstance(value, dict):
        return [f"{where}: {value!r} is no object"]
    kinds = {field.rstrip("?"): kind for field, kind in table.items()}
    found = [f"{where}.{field}: is not documented" for field in value.keys() - kinds.keys()]
    found += [f"{where}.{field}: is missing" for field in table.keys() - value.keys() if field[-1] != "?"]
    for field in value.keys() & kinds.keys():
        found += faults(value[field], kinds[field], f"{where}.{field}", known)
    return found


def event_faults(event: Any) -> list[str]:
    """Return what is wrong with a line of the agent."""
    kind = event.get("event") if isinstance(event, dict) else None
    own = TABLES.get(str(kind), {})
    return object_faults(event, {**TABLES["Events"], **own}, str(kind), TABLES)
