"""Threat: a crash inside runs the host's core_pattern pipe as root, whatever a limit of 0 says.

A limit of 1 is the only one that stops a pipe (core(5)); nothing may take it away.
"""

import ctypes
import os
import resource
import sys

import _kit

CORE = resource.RLIMIT_CORE
found = []


def look(when: str) -> None:
    """Note a limit that is not the one that stops pipes."""
    now = resource.getrlimit(CORE)
    if now != (1, 1):
        found.append(f"{when}: {now}")


look("at first")
for soft, hard in ((0, 0), (0, 1), (1, 1), (2, 2)):
    try:
        resource.setrlimit(CORE, (soft, hard))
    except (OSError, ValueError) as error:  # programs that switch dumps off expect no error
        found += [f"setrlimit {soft} {hard}: {error}"] if soft < 2 else []
    look(f"after setrlimit {soft} {hard}")
limit = (ctypes.c_ulong * 2)(0, 0)
SETRLIMIT = 164 if os.uname().machine == "aarch64" else 160
for name, call in (
    ("prlimit", lambda: _kit.LIBC.prlimit(0, CORE, limit, None)),
    ("prlimit of our pid", lambda: _kit.LIBC.prlimit(os.getpid(), CORE, limit, None)),
    ("the old call", lambda: _kit.LIBC.syscall(SETRLIMIT, CORE, limit)),
):
    if call():
        found.append(f"{name} fails")
    look(f"after {name}")
print(f"ESCAPED {'; '.join(found)}" if found else "HELD", flush=True)
if len(sys.argv) > 1:
    os.abort()
sys.exit(not found)
