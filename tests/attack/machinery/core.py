"""Threat: a crash inside runs the host's core_pattern pipe as root, whatever a limit of 0 says.

A limit of 1 is the only one that stops a pipe (core(5)); nothing may take it away.
"""

import contextlib
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
for soft, hard in ((0, 0), (0, 1), (1, 1)):
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(CORE, (soft, hard))
    look(f"after setrlimit {soft} {hard}")
limit = (ctypes.c_ulong * 2)(0, 0)
for pid in (0, os.getpid()):
    _kit.LIBC.prlimit(pid, CORE, limit, None)
    look(f"after prlimit {pid}")
print(f"ESCAPED {'; '.join(found)}" if found else "HELD", flush=True)
if len(sys.argv) > 1:
    os.abort()
sys.exit(not found)
