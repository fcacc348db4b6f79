"""attacks - the table: one row per attack, with the defence that stops it.

Each row is run twice: as shipped, where it must be stopped, and without its defence, where it
must succeed: layers of runtime/inside/confine.c left out by the testing binary (`omit`), or
other flags or arguments (`control_flags`, `control_args`), or outside of any sandbox
(`on_host`). Where the design itself is the defence there is nothing to leave out: `omit` is
None and `why` says it.

`python3 tests/attack/attacks.py` prints the table of policy/README.md.
"""

import sys

from attack_row import FILES, Attack
from attacks_caller import DEADLINE, INHERITED, LIMITS, PRIVILEGES
from attacks_files import FILESYSTEM, PROC
from attacks_kernel import CALLS, SOCKETS

# Tests with a class of their own, listed for the table only.
ELSEWHERE = (
    Attack("test_lifetimes: daemons", "a daemon that stays behind", None, by="namespaces"),
    Attack(
        "test_lifetimes: supervisor_is_killed", "the supervisor is killed", None, by="parent-death"
    ),
    Attack(
        "test_lifetimes: nobody_reads",
        "output that nobody reads holds up the deadline",
        None,
        by="deadline",
    ),
    Attack("test_lifetimes: gibibyte", "a gibibyte of output", None, by="output limit"),
    Attack(
        "test_output: links",
        "links, pipes, sockets, set-uid files in /output",
        None,
        by="collector",
    ),
    Attack("test_output: listed", "file names with escape sequences", None, by="collector"),
    Attack("test_output: deep", "a tree too deep to collect", None, by="collector"),
    Attack("test_output: sparse, hard_links", "sparse giants, hard links", None, by="collector"),
    Attack("test_output: bounded", "files without end in /output", None, by="tmpfs limits"),
    Attack("test_output: swapping", "a directory swapped during collection", None, by="collector"),
    Attack(
        "test_output: earlier_run",
        "links that an earlier run left on the host",
        None,
        by="collector",
    ),
    Attack(
        "test_neighbours: meet", "two sandboxes at the same time", "net-ns,ipc-ns,landlock,seccomp"
    ),
    Attack("test_neighbours: ids", "two sandboxes with one host uid", None, by="user namespace"),
    Attack("test_images: links", "links of an image that lead to the host", None, by="root"),
    Attack(
        "test_init: pid_1", "a pid 1 worth taking over", "init-caps,init-no-new-privs,init-seccomp"
    ),
    Attack("test_neighbours: looked_at", "a volume's source swapped for a link", None, by="root"),
)

TABLE = (*SOCKETS, *CALLS, *PROC, *FILESYSTEM, *PRIVILEGES, *INHERITED, *LIMITS, *DEADLINE)


def main() -> int:
    """Print the table of policy/README.md."""
    print("| threat | layer | file | test |\n|---|---|---|---|")
    for row in (*TABLE, *ELSEWHERE):
        layers = [name for name in (row.by or row.omit or "").split(",") if name]
        files = dict.fromkeys(file for name in layers for file in FILES[name].split(", "))
        cells = [row.threat, ", ".join(layers), ", ".join(files), f"attack: {row.name}"]
        print(f"| {' | '.join(cells)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
