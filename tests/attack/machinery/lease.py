"""Threat: who holds a lease on a file decides how long others wait in open(2): 45 s.

    lease PATH KIND    take a lease ("read", "write"), a lock, a watch; say what worked
"""

import contextlib
import fcntl
import os
import signal
import sys
import time

F_NOTIFY, DN_ALL = 1026, 0x8000003F

path, kind = sys.argv[1:3]
writes = kind == "write" and os.access(path, os.W_OK)
fd = os.open(path, os.O_RDWR if writes else os.O_RDONLY)
signal.signal(signal.SIGIO, signal.SIG_IGN)
worked = ""
with contextlib.suppress(OSError):
    if kind == "lock":
        fcntl.flock(fd, fcntl.LOCK_EX)
        fcntl.lockf(os.open(path, os.O_RDWR), fcntl.LOCK_EX)
    elif kind == "watch":
        fcntl.fcntl(os.open(os.path.dirname(path), os.O_RDONLY), F_NOTIFY, DN_ALL)
    else:
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK if kind == "write" else fcntl.F_RDLCK)
    worked = kind
if len(sys.argv) > 3:  # beside a session's calls
    if os.fork() == 0:
        os.setsid()
        time.sleep(1000)
else:
    print(f"ready {worked}" if worked else "ready", flush=True)
    time.sleep(1000)
