"""stuck - a process that waits in the kernel, where no freezer stops it, for as long as a test wants.

It asks for a file of a FUSE file system that answers nobody, mounted in a namespace of its own.
"""

import contextlib
import subprocess
import sys
import unittest
from collections.abc import Iterator
from pathlib import Path

from support.processes import is_alive
from support.run import IS_ROOT
from support.times import wait_until

# Whoever reads the descriptor is the file system; nobody does. Ends with its standard input.
FILE_SYSTEM = """
import ctypes, os, subprocess, sys
CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 0x4000, 0x40000
libc = ctypes.CDLL(None, use_errno=True)
def do(result):
    if result:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
do(libc.unshare(CLONE_NEWNS))
do(libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None))
fd = os.open("/dev/fuse", os.O_RDWR)
do(libc.mount(b"stuck", sys.argv[1].encode(), b"fuse", 0, b"fd=%d,rootmode=40000,user_id=0,group_id=0" % fd))
print(subprocess.Popen(["stat", sys.argv[1] + "/file"], stdin=subprocess.DEVNULL).pid, flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def stuck_process(folder: Path) -> Iterator[int]:
    """Return the pid of a process that is stuck until the end; `folder` is an empty directory."""
    if not IS_ROOT or not Path("/dev/fuse").exists():
        raise unittest.SkipTest("cannot: only root can mount FUSE, where the kernel has it")
    with subprocess.Popen(
        [sys.executable, "-c", FILE_SYSTEM, str(folder)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as file_system:  # fmt: skip
        assert file_system.stdout and file_system.stdin
        pid = int(file_system.stdout.readline())
        try:
            state = Path(f"/proc/{pid}/stat")
            assert wait_until(lambda: state.read_text().rpartition(")")[2].split()[0] == "D")
            yield pid
        finally:
            file_system.stdin.close()
            wait_until(lambda: not is_alive(pid))
