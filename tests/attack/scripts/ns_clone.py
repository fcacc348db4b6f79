"""Threat: as ns_unshare: clone() makes the same namespaces for a child.

Layer: seccomp, which looks at the flags of clone. It would succeed when a child is born
into any new namespace.
"""

import os

import _kit

SIGCHLD = 17
FLAGS = {
    "NEWNS": 0x20000,
    "NEWCGROUP": 0x2000000,
    "NEWUTS": 0x4000000,
    "NEWIPC": 0x8000000,
    "NEWUSER": 0x10000000,
    "NEWPID": 0x20000000,
    "NEWNET": 0x40000000,
}


def born(flags: int) -> bool:
    """Clone a child that ends at once; return whether there was one."""
    child, _ = _kit.syscall("clone", flags, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    if child > 0:
        os.waitpid(child, 0)
    return child > 0


def attack() -> str | None:
    """Ask for each namespace alone, with a user namespace, and with high bits set."""
    made = []
    for name, flag in FLAGS.items():
        if any(born(flag | more | SIGCHLD) for more in (0, FLAGS["NEWUSER"], 1 << 32)):
            made.append(name)
    return " ".join(made)


_kit.run(attack)
