"""Threat: a process that can write to cgroup files leaves its limits, or has the host run a
program (release_agent, CVE-2022-0492).

Layer: no hierarchy is mounted, mount() is refused, no descriptor of one is left open. It would
succeed when a hierarchy can be found, mounted or opened.
"""

import os
import tempfile

import _kit

KINDS = (b"cgroup2", b"cgroup")


def attack() -> str | None:
    """Look for one, try to mount one, look through our descriptors."""
    found = [_kit.writable("/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/memory/tasks")]
    folder = tempfile.mkdtemp(prefix="glovebox-attack-")
    for kind in KINDS:
        options = b"memory" if kind == b"cgroup" else None
        if _kit.syscall("mount", kind, folder.encode(), kind, 0, options)[1] == 0:
            found.append(f"mounted {kind.decode()}")
            _kit.syscall("umount2", folder.encode(), 0)
    os.rmdir(folder)
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue
        if "cgroup" in target or target.endswith(("/tasks", "cgroup.procs")):
            found.append(f"descriptor {name} is {target}")
    return ", ".join(filter(None, found))


_kit.run(attack, host=True)
