"""attacks - the table: one row per attack, with the defence that stops it.

Each row is run twice: as shipped, where it must be stopped, and without its defence, where it
must succeed: layers of runtime/inside/confine.c left out by the testing binary (`omit`), or
other flags or arguments (`control_flags`, `control_args`), or outside of any sandbox
(`on_host`). Where the design itself is the defence there is nothing to leave out: `omit` is
None and `why` says it.

Threats whose tests are not scripts are in attacks_elsewhere. `make policy-table` writes all of
them into policy/README.md.
"""

import closed_calls
from attacks_caller import DEADLINE, INHERITED, LIMITS, PRIVILEGES
from attacks_files import FILESYSTEM, PROC
from attacks_kernel import CALLS, SOCKETS

CLOSED = closed_calls.attacks()
TABLE = (*SOCKETS, *CALLS, *CLOSED, *PROC, *FILESYSTEM, *PRIVILEGES, *INHERITED, *LIMITS, *DEADLINE)


def one_per_layer() -> set[str]:
    """Return the names of rows that show every layer of the table once."""
    seen: set[str] = set()
    names = set()
    for row in TABLE:
        layers = set((row.omit or row.by).split(","))
        if layers - seen:
            names.add(row.name)
        seen |= layers
    return names
