"""marked_tables - tables of a document that are made from code, between marks in its text."""

import re
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def written(page: str, text: str, tables: Mapping[str, str], command: str) -> str:
    """Return the text of a page with its tables, by name, as they should be."""
    for name, table in tables.items():
        begin, end = f"<!-- {name}: made by `{command}` -->\n", f"<!-- end of {name} -->\n"
        pattern = re.escape(begin) + ".*?" + re.escape(end)
        body = begin + table + end
        text, found = re.subn(pattern, lambda _, body=body: body, text, flags=re.DOTALL)
        if found != 1:
            sys.exit(f"{page}: the marks of the table `{name}` are there {found} times")
    return text


def main(page: str, tables: Mapping[str, str], command: str, source: str) -> int:
    """Write the tables; with --check say whether they differ."""
    path = ROOT / page
    text = path.read_text()
    fresh = written(page, text, tables, command)
    if "--check" not in sys.argv[1:]:
        path.write_text(fresh)
    elif text != fresh:
        print(f"{page} differs from {source}: run `{command}`")
        return 1
    return 0
