"""Threat: /proc/sys sets the kernel: core_pattern runs a program as the host's root.

Layer: /proc without these (subset=pid), and capabilities. It would succeed when any setting
opens for writing; nothing is written.
"""

import os

import _kit


def attack() -> str | None:
    """Try to open every file below /proc/sys for writing, and the known levers besides."""
    levers = ["/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/irq/0/smp_affinity"]
    for folder, _, files in os.walk("/proc/sys"):
        levers += [os.path.join(folder, name) for name in files]
    return _kit.writable(*levers)[:300]


_kit.run(attack)
