"""_kit - what the attack scripts share: the verdict, raw system calls, children.

Runs inside the sandbox (or, for a control, plainly), with the standard library only. The
protocol: ESCAPED and exit status 0 if the attack succeeded, HELD and 1 if it was stopped,
2 and a traceback if the script itself is wrong.

Every script must be harmless where it succeeds: it opens but does not write, sets what is
already set, passes arguments that the kernel must refuse. Even so none runs by accident on
a host: run() wants to be told by the environment where it is.
"""

import ctypes
import errno
import os
import platform
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from typing import NoReturn

# x86_64, then the generic table (arm64); None: not in that table.
_NUMBERS: dict[str, tuple[int | None, int | None]] = {
    "mmap": (9, 222),
    "madvise": (28, 233),
    "sendto": (44, 206),
    "recvfrom": (45, 207),
    "sendmsg": (46, 211),
    "recvmsg": (47, 212),
    "setsockopt": (54, 208),
    "fcntl": (72, 25),
    "setfsuid": (122, 151),
    "setfsgid": (123, 152),
    "sched_setscheduler": (144, 119),
    "sched_rr_get_interval": (148, 127),
    "mlockall": (151, 230),
    "munlockall": (152, 231),
    "readahead": (187, 213),
    "futex": (202, 98),
    "fadvise64": (221, 223),
    "clock_nanosleep": (230, 115),
    "ioprio_get": (252, 31),
    "splice": (275, 76),
    "sync_file_range": (277, 84),
    "fallocate": (285, 47),
    "recvmmsg": (299, 243),
    "sendmmsg": (307, 269),
    "memfd_create": (319, 279),
    "membarrier": (324, 283),
    "mlock2": (325, 284),
    "ioctl": (16, 29),
    "clone": (56, 220),
    "ptrace": (101, 117),
    "syslog": (103, 116),
    "personality": (135, 92),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "modify_ldt": (154, None),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "acct": (163, 89),
    "settimeofday": (164, 170),
    "mount": (165, 40),
    "umount2": (166, 39),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "sethostname": (170, 161),
    "iopl": (172, None),
    "ioperm": (173, None),
    "init_module": (175, 105),
    "delete_module": (176, 106),
    "quotactl": (179, 60),
    "timer_create": (222, 107),
    "clock_settime": (227, 112),
    "mbind": (237, 235),
    "mq_open": (240, 180),
    "kexec_load": (246, 104),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "migrate_pages": (256, 238),
    "unshare": (272, 97),
    "vmsplice": (278, 75),
    "move_pages": (279, 239),
    "perf_event_open": (298, 241),
    "fanotify_init": (300, 262),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "clock_adjtime": (305, 266),
    "setns": (308, 268),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "finit_module": (313, 273),
    "bpf": (321, 280),
    "kexec_file_load": (320, 294),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "pidfd_open": (434, 434),
    "clone3": (435, 435),
    "pidfd_getfd": (438, 438),
    "process_madvise": (440, 440),
    "mount_setattr": (442, 442),
    "quotactl_fd": (443, 443),
    "openat2": (437, 437),
    "memfd_secret": (447, 447),
    "fchmodat2": (452, 452),
}
_COLUMN = 1 if platform.machine() == "aarch64" else 0
_LIBC = ctypes.CDLL(None, use_errno=True)

REFUSED = (errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP)  # what the filter answers


def syscall(name: str | int, *args: int | bytes | ctypes.Array | None) -> tuple[int, int]:
    """Call the kernel without libc's wrappers; return the result and errno (0 if it worked)."""
    number = name if isinstance(name, int) else _NUMBERS[name][_COLUMN]
    if number is None:
        return -1, errno.ENOSYS
    ctypes.set_errno(0)
    wide = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    result = _LIBC.syscall(ctypes.c_long(number), *wide)
    return result, ctypes.get_errno() if result == -1 else 0


def reached(calls: Iterable[tuple]) -> str:
    """Try calls (name, argument...) and list those that the kernel itself answered."""
    through = []
    for name, *args in calls:
        result, error = in_child_result(lambda: syscall(name, *args))
        if error not in REFUSED:
            through.append(f"{name}={errno.errorcode.get(error, result)}")
    return ", ".join(through)


def open_sockets(wanted: Iterable[tuple[int, int, int]], pair: bool = False) -> str:
    """Try sockets (family, type, protocol) and list those that the kernel itself answered."""
    through = []
    two = ctypes.create_string_buffer(8)
    for family, kind, protocol in wanted:
        arguments = (family, kind, protocol, two) if pair else (family, kind, protocol)
        descriptor, error = syscall("socketpair" if pair else "socket", *arguments)
        if error not in REFUSED:
            answer = errno.errorcode.get(error, "opened")
            through.append(f"{family}/{kind}/{protocol}={answer}")
        if descriptor > 2:
            os.close(descriptor)
    return ", ".join(through)


def in_child_result(work: Callable[[], tuple[int, int]]) -> tuple[int, int]:
    """Run work in a forked child; a child killed by a signal counts as refused."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        result, error = work()
        os.write(write_end, f"{result} {error}".encode())
        os._exit(0)
    os.close(write_end)
    answer = os.read(read_end, 100).decode().split()
    os.close(read_end)
    os.waitpid(child, 0)
    return (int(answer[0]), int(answer[1])) if answer else (-1, errno.ENOSYS)


def status_of_child(work: Callable[[], object]) -> int:
    """Run work in a forked child; return its exit status, or minus the signal that ended it."""
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGSYS, signal.SIG_DFL)
        work()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def readable(*paths: str) -> str:
    """List those paths of which at least one byte can be read."""
    found = []
    for path in paths:
        try:
            with open(path, "rb", buffering=0) as file:
                if file.read(1):
                    found.append(path)
        except OSError:
            pass
    return ", ".join(found)


def writable(*paths: str) -> str:
    """List those paths that open for writing; nothing is written."""
    found = []
    for path in paths:
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NONBLOCK))
            found.append(path)
        except OSError:
            pass
    return ", ".join(found)


def wait_until(reason: Callable[[], object], seconds: float = 30) -> bool:
    """Wait until reason() is true; return whether it became so."""
    end = time.monotonic() + seconds
    while not reason():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def run(attack: Callable[[], str | None], host: bool = False) -> NoReturn:
    """Run the attack, which returns its evidence or, when it was stopped, nothing.

    host: the attack is harmless even outside of any sandbox, where a control may run it.
    """
    if os.environ.get("GLOVEBOX_ATTACK") not in (("sandbox", "host") if host else ("sandbox",)):
        sys.exit("an attack runs only inside a sandbox that the tests made")
    try:
        evidence = attack()
    except Exception:
        traceback.print_exc()
        print("ERROR", flush=True)
        os._exit(2)
    print(f"ESCAPED {evidence}" if evidence else "HELD", flush=True)
    sys.stdout.flush()
    os._exit(0 if evidence else 1)
