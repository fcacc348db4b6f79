"""Threat: the x32 interface repeats every system call under another number.

Layer: seccomp (foreign architectures are killed). It would succeed when a call with the
x32 bit gets as far as the kernel's table: the caller survives it.
"""

import os

import _kit

X32_BIT = 0x40000000
GETPID = 39


def attack() -> str | None:
    """Call getpid with the bit in a child, and see whether it lives on."""

    def child() -> None:
        _kit.syscall(X32_BIT | GETPID)
        os._exit(42)

    return "the call returned" if _kit.status_of_child(child) == 42 else None


_kit.run(attack)
