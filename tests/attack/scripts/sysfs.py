"""Threat: /sys shows disks and PCI devices, and has levers of its own.

Layer: it is not mounted; in its place are texts of the sandbox's limits. It would succeed when
anything else can be found there, or when another kernel file system (debugfs, tracefs, securityfs,
bpf, cgroup) can.
"""

import os

import _kit

PLACES = ("/sys/kernel/debug", "/sys/block", "/sys/bus/pci/devices")
OURS = ("/sys/devices/system/cpu/", "/sys/fs/cgroup/", "/sys/proc/")


def attack() -> str | None:
    """Walk through all of it: what is no file below these places, or no plain one, is found."""
    found = [path for path in PLACES if os.path.exists(path)]
    for folder, _, names in os.walk("/sys"):
        if not found and os.stat(folder).st_dev != os.stat("/sys").st_dev:
            found.append(f"{folder} is mounted")
        found += [f"{folder}/{name}" for name in names if not f"{folder}/".startswith(OURS)][:5]
        if found:
            break
    return ", ".join(found)


_kit.run(attack, host=True)
