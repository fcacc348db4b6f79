"""no_watches - become a program for which the kernel has no room for one more watch of epoll(7).

    no_watches.py COMMAND...

A filter answers each EPOLL_CTL_ADD with ENOSPC, in all that it starts, too. Other programs of its user id
could do the same by using up fs.epoll.max_user_watches, which is 5 million on a small machine.
"""

import ctypes
import errno
import os
import platform
import struct
import sys

EPOLL_CTL = {"x86_64": 233, "aarch64": 21}
LOAD, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06  # linux/bpf_common.h
ALLOW, ERRNO = 0x7FFF0000, 0x50000  # linux/seccomp.h
NUMBER, OPERATION = 0, 24  # in struct seccomp_data: the call, and its second argument
ADD = 1
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, FILTER = 22, 38, 2


def main() -> None:
    """Install the filter and become the command."""
    code = [
        (LOAD, 0, 0, NUMBER),
        (JUMP_EQUAL, 0, 3, EPOLL_CTL[platform.machine()]),
        (LOAD, 0, 0, OPERATION),
        (JUMP_EQUAL, 0, 1, ADD),
        (RETURN, 0, 0, ERRNO | errno.ENOSPC),
        (RETURN, 0, 0, ALLOW),
    ]
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in code))
    wanted = struct.pack("HxxxxxxQ", len(code), ctypes.addressof(program))
    libc = ctypes.CDLL(None, use_errno=True)
    if os.geteuid() and libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        sys.exit(f"no_new_privs: {os.strerror(ctypes.get_errno())}")
    if libc.prctl(PR_SET_SECCOMP, FILTER, wanted, 0, 0):
        sys.exit(f"install a filter: {os.strerror(ctypes.get_errno())}")
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
