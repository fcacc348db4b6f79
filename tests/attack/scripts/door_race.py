"""Threat: a copy of pid 1, stopped before its execve, gives away the monitor's memory and descriptors.

Layer: init-dumpable, hidepid, seccomp. It would succeed when anything of the copy can be had, or when
its calls for other processes reach it. Others must start programs meanwhile.
"""

import contextlib
import os
import signal
import sys
import time

import _kit

COPIES = 3
FILES = ("environ", "mem", "maps", "auxv", "stack", "syscall", "pagemap", "io", "fdinfo/3", "oom_score_adj")


def newest() -> int:
    """Return the last pid that was given away."""
    child = os.fork() or os._exit(0)
    os.waitpid(child, 0)
    return child


def stop_a_copy(end: float) -> int:
    """Stop the process that is born next; return its pid, if it has not been executed yet."""
    while time.monotonic() < end:
        last = newest()
        for pid in (last + ahead for _ in range(2000) for ahead in range(1, 5)):
            try:
                os.kill(pid, signal.SIGSTOP)
            except ProcessLookupError:
                continue
            if not is_executed(pid):
                return pid
            os.kill(pid, signal.SIGCONT)
            break
    sys.exit("no copy was met")


def is_executed(pid: int) -> bool:
    """Say whether it has the arguments of a program; a copy has the monitor's, or none that we may see."""
    with contextlib.suppress(OSError):
        words = open(f"/proc/{pid}/cmdline", "rb").read()
        return b"glovebox" not in words.split(b"\0")[0]
    return False


def had(pid: int, secret: bytes) -> str:
    """Say what can be had of it."""
    found = [_kit.readable(*(f"/proc/{pid}/{name}" for name in FILES))]
    with contextlib.suppress(OSError):
        found += [f"fd: {os.listdir(f'/proc/{pid}/fd')}"]
    with contextlib.suppress(OSError):
        found += [f"exe -> {os.readlink(f'/proc/{pid}/exe')}"]
    with contextlib.suppress(OSError):
        found += ["SECRET"] if secret in open(f"/proc/{pid}/environ", "rb").read() else []
    pidfd = os.pidfd_open(pid)
    found.append(_kit.reached([("ptrace", 16, pid, 0, 0), ("pidfd_getfd", pidfd, 0, 0)]))
    with contextlib.suppress(OSError):
        os.setpgid(pid, 0)
        found.append("setpgid")
    return ", ".join(filter(None, found))


def attack() -> str | None:
    """Meet some; each goes on afterwards."""
    secret, end = sys.argv[1].encode(), time.monotonic() + float(sys.argv[2])
    found, met = "", 0
    while met < COPIES:
        copy = stop_a_copy(end)
        with contextlib.suppress(ProcessLookupError):  # what has ended looks like a copy until it is reaped
            said = had(copy, secret)
            if not is_executed(copy):  # else it was, before it stood still
                found = found or said
                met += 1
            os.kill(copy, signal.SIGCONT)
    return found


_kit.run(attack)
