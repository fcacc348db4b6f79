"""keeper - a module that keeps what a fork shares: memory of several kinds, and open files; to be preloaded."""

import mmap
import os
import socket
from multiprocessing.sharedctypes import RawArray
from multiprocessing.synchronize import Lock
from multiprocessing import get_context


def file(fd: int, rights: int) -> mmap.mmap:
    """Map a page of a file, which nobody has open afterwards."""
    os.truncate(fd, mmap.PAGESIZE)
    kept = mmap.mmap(fd, mmap.PAGESIZE, mmap.MAP_SHARED, rights)
    os.close(fd)
    return kept


MEMORY = {
    "anonymous": mmap.mmap(-1, mmap.PAGESIZE),
    "memfd": file(os.memfd_create("keeper"), mmap.PROT_READ),  # but it may be made writable
    "file": file(os.open("/dev/shm/keeper", os.O_RDWR | os.O_CREAT), mmap.PROT_READ | mmap.PROT_WRITE),
    "array": RawArray("b", mmap.PAGESIZE),
    "lock": Lock(ctx=get_context()),
}
OPEN = [open(__file__), *os.pipe(), *socket.socketpair(), os.memfd_create("open")]
if hasattr(os, "eventfd"):  # Python 3.10
    OPEN.append(os.eventfd(1))
