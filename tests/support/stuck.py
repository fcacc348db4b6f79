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


# A FUSE server that answers everything but a read, after which whoever reads is beyond every signal (request_wait_answer
# in the kernel). From then on the file has two links. Argument 1 is its mount point, in a mount namespace of its own.
SILENT_VOLUME = """
import ctypes, os, struct, sys
CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 0x4000, 0x40000
LOOKUP, FORGET, GETATTR, OPEN, READ, STATFS, RELEASE, FLUSH, INIT, OPENDIR, INTERRUPT, BATCH_FORGET = (
    1, 2, 3, 14, 15, 17, 18, 25, 26, 27, 36, 42)
USER = int(sys.argv[2])
asked = False
libc = ctypes.CDLL(None, use_errno=True)
def do(result):
    if result:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
def attributes(node):
    mode, size = (0o40755, 0) if node == 1 else (0o100644, 4096)
    return struct.pack("6Q10I", node, size, 8, 0, 0, 0, 0, 0, 0, mode, 2 if asked else 1, USER, USER, 0, 4096, 0)
def answer(opcode, node):
    if opcode == INIT:
        return struct.pack("4I2H2I2H8I", 7, 31, 0, 0, 1, 1, 4096, 1, 1, 0, *[0] * 8)
    if opcode == LOOKUP:
        return struct.pack("4Q2I", 2, 0, 3600, 0, 0, 0) + attributes(2)
    if opcode == GETATTR:
        return struct.pack("Q2I", 0, 0, 0) + attributes(node)
    return bytes({OPEN: 16, OPENDIR: 16, STATFS: 80, RELEASE: 0, FLUSH: 0}[opcode])
do(libc.unshare(CLONE_NEWNS))
do(libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None))
fd = os.open("/dev/fuse", os.O_RDWR)
options = b"fd=%d,rootmode=40000,user_id=%d,group_id=%d,allow_other" % (fd, USER, USER)
do(libc.mount(b"silent", sys.argv[1].encode(), b"fuse", 0, options))
print("mounted", flush=True)
while True:
    request = os.read(fd, 1 << 17)
    opcode, unique, node = struct.unpack_from("=IQQ", request, 4)
    asked |= opcode == READ
    if opcode in (FORGET, BATCH_FORGET, INTERRUPT, READ):
        continue
    try:
        said, error = answer(opcode, node), 0
    except KeyError:
        said, error = b"", -38
    os.write(fd, struct.pack("=IiQ", 16 + len(said), error, unique) + said)
"""


@contextlib.contextmanager
def silent_volume(folder: Path, owner: int) -> Iterator[list[str]]:
    """Mount a volume on `folder` whose file `file` never gives what is read; return how to run a command that sees it."""
    if not IS_ROOT or not Path("/dev/fuse").exists():
        raise unittest.SkipTest("cannot: only root can mount FUSE, where the kernel has it")
    with subprocess.Popen(
        [sys.executable, "-c", SILENT_VOLUME, str(folder), str(owner)], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout
        try:
            assert server.stdout.readline() == "mounted\n"
            yield ["nsenter", "--target", str(server.pid), "--mount", "--"]
        finally:
            server.kill()
