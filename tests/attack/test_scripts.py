"""Every row of the table of attacks, by group."""

import attacks
from attack_case import AttackCase


class SocketTest(AttackCase, rows=attacks.SOCKETS):
    """Socket families that have no business here."""


class CallTest(AttackCase, rows=attacks.CALLS):
    """System calls, namespaces and mounts."""


class ProcTest(AttackCase, rows=attacks.PROC):
    """What /proc, /sys, /dev and the root give away, or let one change."""


class FilesystemTest(AttackCase, rows=attacks.FILESYSTEM):
    """Writing, executing and climbing where it is not meant."""


class PrivilegeTest(AttackCase, rows=attacks.PRIVILEGES):
    """Capabilities and namespaces."""


class InheritedTest(AttackCase, rows=attacks.INHERITED):
    """What a runtime without a daemon must not pass on from its caller."""


class LimitTest(AttackCase, rows=attacks.LIMITS):
    """Memory, processes, processors, files, timers."""


class DeadlineTest(AttackCase, rows=attacks.DEADLINE):
    """Ways to outlive the deadline."""

    kernel = True
