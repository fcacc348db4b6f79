"""policy_table - the tables of policy/README.md, written from the tables of the attacks.

    python3 tests/attack/policy_table.py [--check]

Without an argument it writes them between their marks in the file; with --check it says whether
they differ, and what to run.
"""

import re
import sys
from collections.abc import Iterable
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import attacks
from attack_row import Attack
from attacks_elsewhere import ELSEWHERE, MACHINERY, WARM, Shown, files_of

README = Path(__file__).resolve().parents[2] / "policy/README.md"
HEAD = "| threat | layer | file | test |\n|---|---|---|---|\n"


def cells(row: Attack | Shown) -> tuple[str, str, str, str]:
    """Return what the table says of a row."""
    if isinstance(row, Shown):
        layers = ", ".join(name.strip() for name in row.layer.split(","))
        return row.threat, layers, row.sources, "; ".join(row.tests)
    layers = row.by or row.omit or ""
    alone = (row.omit or "").split(",") if row.walls == "each" else row.walls.split(",")
    shown = ", ".join(f"**{name}**" if name in alone else name for name in layers.split(","))
    test = f"attack: {row.name}" + (f" ({row.script}.py)" if row.script else "")
    return row.threat, shown, files_of(layers), test


def table(rows: Iterable[Attack | Shown]) -> str:
    """Return rows as a table of Markdown."""
    lines = (f"| {' | '.join(cells(row))} |\n" for row in rows)
    return HEAD + "".join(lines)


def written(text: str) -> str:
    """Return the text of the file with its tables as they should be."""
    for name, rows in (
        ("attacks", (*attacks.TABLE, *ELSEWHERE)),
        ("warm", WARM),
        ("machinery", MACHINERY),
    ):
        begin, end = f"<!-- {name}: made by `make policy-table` -->\n", f"<!-- end of {name} -->\n"
        pattern = re.escape(begin) + ".*?" + re.escape(end)
        body = begin + table(rows) + end
        text, found = re.subn(pattern, lambda _, body=body: body, text, flags=re.DOTALL)
        if found != 1:
            sys.exit(f"policy/README.md: the marks of the table `{name}` are there {found} times")
    return text


def main() -> int:
    """Write the tables, or compare them."""
    text = README.read_text()
    fresh = written(text)
    if "--check" not in sys.argv[1:]:
        README.write_text(fresh)
    elif text != fresh:
        print("policy/README.md differs from the tables of the attacks: run `make policy-table`")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
