"""attack_row - what one row of the table of attacks says, and where each layer lives."""

import os
from collections.abc import Callable
from dataclasses import dataclass

# Where each layer lives. Layers that GLOVEBOX_OMIT does not know are in the second part.
FILES = {
    "capabilities": "runtime/inside/caps.c",
    "cgroup": "runtime/cgroup/cgroup.c, runtime/inside/cgroup.c",
    "cgroup-ns": "runtime/inside/cgroup.c",
    "close-fds": "runtime/inside/close_fds.c",
    "hide-mounts": "runtime/inside/hide_mounts.c",
    "hidepid": "runtime/inside/root.c",
    "hostname": "runtime/inside/identity.c",
    "ids": "runtime/inside/ids.c",
    "init-dumpable": "runtime/inside/identity.c",
    "init-caps": "runtime/inside/caps.c",
    "init-no-new-privs": "runtime/inside/caps.c",
    "init-seccomp": "policy/python.json, runtime/inside/seccomp.c",
    "ipc-ns": "runtime/sandbox/spawn.c",
    "keyring": "runtime/inside/identity.c",
    "loopback": "runtime/inside/loopback.c",
    "landlock": "runtime/inside/landlock.c",
    "net-ns": "runtime/sandbox/spawn.c",
    "no-new-privs": "runtime/inside/caps.c",
    "nodev": "runtime/inside/root.c",
    "noexec": "runtime/inside/root.c",
    "nosuid": "runtime/inside/root.c",
    "pid-ns": "runtime/sandbox/spawn.c",
    "priority": "runtime/inside/identity.c",
    "proc-subset": "runtime/inside/root.c",
    "rlimits": "runtime/inside/rlimits.c",
    "ro-root": "runtime/inside/root.c",
    "seccomp": "policy/python.json, runtime/inside/seccomp.c",
    "session": "runtime/inside/identity.c",
    "signals": "runtime/inside/signals.c",
    "socket-count": "runtime/sandbox/socket_count.c, runtime/sandbox/watch.c",
    "socket-memory": "runtime/cgroup/socket_memory.c, runtime/cgroup/cgroup_v2.c",
    "stdio": "runtime/inside/stdio.c",
    "umask": "runtime/inside/identity.c",
    "uts-ns": "runtime/sandbox/spawn.c",
    # not to be left out
    "collector": "runtime/root/stage.c",
    "deadline": "runtime/sandbox/watch.c",
    "environment": "runtime/root/program.c",
    "escape": "runtime/base/escape.c, runtime/base/say.c, runtime/base/err.c",
    "guard": "runtime/seccomp/filter_guard.c, runtime/inside/seccomp.c",
    "parent-death": "runtime/inside/identity.c",
    "output limit": "runtime/sandbox/stream.c",
    "root": "runtime/inside/root.c, runtime/root/root_plan.c",
    "tmpfs limits": "runtime/spec/finish.c",
    "user namespace": "runtime/namespace/idmap.c",
    "namespaces": "runtime/sandbox/spawn.c",
}

# Steps that are one defence: each checks that the others have been there.
CAPABILITIES = "caps,bounding,init-caps"

# The runs of a row, and who performs them. Each row runs cold, without its layers as well.
RUNS = {
    "cold": "attack/test_scripts.py, as root",
    "warm": "warm/test_attacks.py, as root",
    "user": "attack/test_scripts.py, as an ordinary user: tests/run --as-user",
    "warm-user": "warm/test_attacks.py, as an ordinary user",
    "vm": "attack/test_scripts.py, with another kernel and cgroup v2: tests/run --kernel",
}

# Layers that differ with the kernel's version or with that of its control groups.
KERNEL = {"landlock", "cgroup", "cgroup-ns", "deadline", "keyring", "socket-memory", "user namespace"}

# The filter is the same program in a cell and for an ordinary user (integration/test_policy.py), and
# `glovebox selftest` tries it call by call in each (integration/test_selftest.py).
FILTER = {"seccomp", "guard"}

# Layers that are made in another way, or hold for another reason, where no root makes them:
# capabilities, delegated control groups, mounts of a user namespace, limits that cannot be raised,
# the mark that the kernel leaves on a process whose ids change. `ids` is not among them: an ordinary
# user keeps his groups, and attack/test_init.py looks at them.
USER = {
    *("capabilities", "no-new-privs", "user namespace", "namespaces"),
    *("cgroup", "cgroup-ns", "socket-memory", "socket-count", "deadline"),
    *("root", "ro-root", "nosuid", "nodev", "noexec", "hide-mounts", "proc-subset", "tmpfs limits"),
    *("hidepid", "init-dumpable", "keyring", "priority", "rlimits"),
}

# Of these, layers that a cell of an ordinary user has in another way than that user's cold run:
# the user's cells share one id, and a nursery without root makes them.
WARM_USER = {
    *("capabilities", "user namespace", "hidepid", "init-dumpable"),
    *("cgroup", "socket-count", "deadline", "root", "nosuid", "rlimits"),
}


@dataclass(frozen=True)
class Attack:
    """One attack. `omit` names the layers, comma-separated, without which it succeeds."""

    name: str
    threat: str
    omit: str | None
    why: str = ""  # omit is None: what the defence is instead
    by: str = ""  # the layers that stop it, if they are not those of `omit`
    script: str = ""  # in scripts/, if not called like the row
    args: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    prefix: tuple[str, ...] = ()  # runs inside, in front of the script
    walls: str = ""  # which layers of `omit` stop it alone; "each": every one does
    always: str = ""  # left out in both runs, to look at the wall behind
    control_flags: tuple[str, ...] | None = None
    control_args: tuple[str, ...] | None = None
    on_host: bool = False  # the control runs the script plainly on the host
    given: str = ""  # a preparation of given.py
    root: bool = False
    x86: bool = False
    held_status: int = 1
    held_stderr: str = ""
    expect: tuple[str, ...] = ()  # words that the control's evidence must have
    unavailable: Callable[[], str] | None = None  # why this machine cannot show the control
    needs: str = ""  # the runs of RUNS beside "cold", comma-separated, if its layers do not tell

    @property
    def layers(self) -> set[str]:
        """Return the layers that it meets."""
        words = {*self.by.split(","), *(self.omit or "").split(","), *self.always.split(",")}
        return words - {""}

    @property
    def runs(self) -> frozenset[str]:
        """Return the runs of RUNS that may each show something that no other does."""
        if self.needs:
            return frozenset({"cold", *self.needs.split(",")})
        layers = self.layers
        asked = {
            "cold": True,
            "warm": bool(layers - FILTER),
            "user": bool(layers & USER) and not self.root,
            "warm-user": bool(layers & WARM_USER) and not self.root,
            "vm": bool(layers & KERNEL or self.unavailable),
        }
        return frozenset(run for run, is_needed in asked.items() if is_needed)


# Flags: the user inside is 0, who owns what the sandbox itself made.
ROOT = ("-u", "0")


def needs_root() -> str:
    """Say why a control cannot run plainly on the host."""
    return "" if os.geteuid() == 0 else "the control runs on the host, as root"
