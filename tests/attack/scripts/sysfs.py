"""Threat: /sys shows disks and PCI devices, and has levers of its own.

Layer: it is not mounted. It would succeed when anything can be found there, or when another
kernel file system (debugfs, tracefs, securityfs, bpf, cgroup) can.
"""

import os

import _kit

PLACES = ("/sys", "/sys/fs/cgroup", "/sys/kernel/debug", "/sys/block", "/sys/bus/pci/devices")


def attack() -> str | None:
    """List each."""
    found = []
    for path in PLACES:
        try:
            found += [f"{path}: {os.listdir(path)[:5]}"] if os.listdir(path) else []
        except OSError:
            pass
    return ", ".join(found)


_kit.run(attack, host=True)
