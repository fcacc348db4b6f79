"""Every row of the table of attacks, by group."""

import attacks
from row_case import RowCase


class SocketTest(RowCase, rows=attacks.SOCKETS):
    """Socket families that have no business here."""


class CallTest(RowCase, rows=attacks.CALLS):
    """System calls, namespaces and mounts."""


class ClosedTest(RowCase, rows=attacks.CLOSED):
    """Calls and arguments that nobody needs, and what is answered to who tries."""


class ProcTest(RowCase, rows=attacks.PROC):
    """What /proc, /sys, /dev and the root give away, or let one change."""


class FilesystemTest(RowCase, rows=attacks.FILESYSTEM):
    """Writing, executing and climbing where it is not meant."""


class PrivilegeTest(RowCase, rows=attacks.PRIVILEGES):
    """Capabilities and namespaces."""


class InheritedTest(RowCase, rows=attacks.INHERITED):
    """What a runtime without a daemon must not pass on from its caller."""


class LimitTest(RowCase, rows=attacks.LIMITS):
    """Memory, processes, CPUs, files, timers."""


class DeadlineTest(RowCase, rows=attacks.DEADLINE):
    """Ways to outlive the deadline."""
