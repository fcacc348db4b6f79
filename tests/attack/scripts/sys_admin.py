"""Threat: modules, kexec, reboot, swap, accounting, I/O ports: calls that own the machine.

Layer: seccomp (capabilities are the second wall, and hide whether the first one stands:
both answer EPERM). It would succeed when the kernel itself answers one of them. On the
host, where the control runs, the arguments are such that each is refused as invalid.
"""

import _kit

CALLS = [
    ("init_module", None, 0, None),
    ("finit_module", -1, b"", 0x7FFF),
    ("delete_module", None, 0),
    ("kexec_load", 0, 1 << 20, None, 0xFFFF),
    ("kexec_file_load", -1, -1, 0, None, 0x7FFF),
    ("reboot", 0, 0, 0, None),
    ("swapon", None, 0x7FFFFFFF),
    ("swapoff", None),
    ("acct", 1),
    ("syslog", 77, None, 0),
    ("iopl", 77),
    ("ioperm", 1 << 20, 1, 1),
]


def attack() -> str | None:
    """Make each call with arguments that the kernel must refuse."""
    return _kit.reached(CALLS)


_kit.run(attack, host=True)
