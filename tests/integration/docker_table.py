"""docker_table - the tables of docs/docker.md, written from docker_lines.py.

    python3 tests/integration/docker_table.py [--check]

Without an argument it writes them between their marks; with --check it says whether they differ.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from docker_lines import REFUSED, TABLES, Line
from support.marked_tables import main

HEAD = "| command line | here | what to know, or what it says |\n|---|---|---|\n"


def row(line: Line) -> str:
    """Return a line as a row of Markdown."""
    told = line.note or (line.says if line.here == REFUSED else "")
    status = f"; {line.expected}" if line.expected not in (0, 125) else ""
    cells = (f"`{line.line}`", f"{line.here}{status}", told.replace("<", "\\<"))
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def table(lines: Iterable[Line]) -> str:
    """Return lines as a table of Markdown."""
    return HEAD + "".join(map(row, lines))


if __name__ == "__main__":
    tables = {name: table(lines) for name, lines in TABLES.items()}
    sys.exit(main("docs/docker.md", tables, "make docker-table", "tests/integration/docker_lines.py"))
