"""policy_table - the tables of policy/README.md, written from the tables of the attacks,
and what each command keeps of root's privileges from runtime/base/privileges.c.

    python3 tests/attack/policy_table.py [--check]

Without an argument it writes them between their marks in the file; with --check it says whether
they differ, and what to run.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import attacks
import attacks_door
import attacks_egress
import closed_calls
import privileges_table
from attack_row import RUNS, Attack
from attacks_egress import NetworkAttack
from attacks_elsewhere import ELSEWHERE, MACHINERY, WARM, Shown, files_of
from support.marked_tables import main

HEAD = "| threat | layer | file | test |\n|---|---|---|---|\n"


def cells(row: Attack | NetworkAttack | Shown) -> tuple[str, str, str, str]:
    """Return what the table says of a row."""
    if isinstance(row, NetworkAttack):
        return row.threat, row.shown, row.sources, f"attack/test_egress: {row.name}"
    if isinstance(row, Shown):
        layers = ", ".join(name.strip() for name in row.layer.split(","))
        return row.threat, layers, row.sources, "; ".join(row.tests)
    layers = row.by or row.omit or ""
    alone = (row.omit or "").split(",") if row.walls == "each" else row.walls.split(",")
    shown = ", ".join(f"**{name}**" if name in alone else name for name in layers.split(","))
    test = f"attack: {row.name}" + (f" ({row.script}.py)" if row.script else "")
    test += f"; {', '.join(run for run in RUNS if run in row.runs)}"
    return row.threat, shown, files_of(layers), test


def table(rows: Iterable[Attack | NetworkAttack | Shown]) -> str:
    """Return rows as a table of Markdown."""
    lines = (f"| {' | '.join(cells(row))} |\n" for row in rows)
    return HEAD + "".join(lines)


if __name__ == "__main__":
    plain = (row for row in attacks.TABLE if row not in attacks.CLOSED)
    rows = {"attacks": (*plain, *ELSEWHERE), "warm": WARM, "machinery": MACHINERY}
    rows["door"] = attacks_door.DOOR
    rows["network"] = (*attacks_egress.NETWORK, *attacks_egress.NETWORK_ELSEWHERE)
    tables = {name: table(shown) for name, shown in rows.items()}
    tables["closed"] = closed_calls.table()
    tables["privileges"] = privileges_table.table()
    sys.exit(main("policy/README.md", tables, "make policy-table", "the tables of the attacks"))
