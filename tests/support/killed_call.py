"""killed_call - run a command, and kill a process right before one of its system calls that leave something behind.

python3 killed_call.py WHO NUMBER COMMAND [ARG...]

WHO is `self`, `child` (the first process that the command forks) or the number of a process that runs already. The
last line says `killed CALL STATUS`, or `ended COUNT STATUS` when it makes fewer such calls, with how the command
ended. Between two of them nothing
changes for others, so this is a kill at each moment.
"""

import contextlib
import ctypes
import os
import platform
import signal
import sys

TRACEME, CONT, SEIZE, INTERRUPT = 0, 7, 0x4206, 0x4207  # ptrace(2)
SETOPTIONS, EVENTMSG, SYSCALL_INFO, SYSCALL, DETACH = 0x4200, 0x4201, 0x420E, 24, 17
SYSGOOD, FORK, EXITKILL = 1, 2, 1 << 20
ENTRY = 1
WALL = 0x40000000

# Of x86_64; elsewhere each call counts.
LEAVING = {
    1: "write", 18: "pwrite64", 20: "writev", 44: "sendto", 46: "sendmsg", 49: "bind", 50: "listen", 56: "clone",
    57: "fork", 58: "vfork", 59: "execve", 62: "kill", 72: "fcntl", 73: "flock", 77: "ftruncate", 82: "rename",
    83: "mkdir", 84: "rmdir", 87: "unlink", 88: "symlink", 165: "mount", 166: "umount2", 231: "exit_group",
    257: "openat", 258: "mkdirat", 259: "mknodat", 260: "fchownat", 263: "unlinkat", 264: "renameat", 265: "linkat",
    266: "symlinkat", 268: "fchmodat", 280: "utimensat", 316: "renameat2", 424: "pidfd_send_signal", 429: "move_mount",
    435: "clone3", 442: "mount_setattr",
}  # fmt: skip
OPENAT, O_CREAT = 257, 0o100

ended: dict[int, int] = {}  # the wait status of each process that has

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


class CallInfo(ctypes.Structure):
    """struct ptrace_syscall_info, at an entry."""

    _fields_ = (
        ("op", ctypes.c_uint8), ("_", ctypes.c_uint8 * 3), ("arch", ctypes.c_uint32), ("ip", ctypes.c_uint64),
        ("sp", ctypes.c_uint64), ("nr", ctypes.c_uint64), ("args", ctypes.c_uint64 * 6),
    )  # fmt: skip


def ptrace(request: int, pid: int, data: "int | CallInfo | ctypes.c_ulong" = 0) -> None:
    """Perform a request."""
    size = ctypes.sizeof(data) if isinstance(data, CallInfo) else 0
    if libc.ptrace(request, pid, size, data if isinstance(data, int) else ctypes.addressof(data)) < 0:
        raise OSError(ctypes.get_errno(), f"ptrace {request:#x}: {os.strerror(ctypes.get_errno())}")


def spawn(command: list[str]) -> int:
    """Start the command; it stops behind its execve."""
    pid = os.fork()
    if not pid:
        ptrace(TRACEME, 0)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execv(command[0], command)
    os.waitpid(pid, WALL)
    return pid


def first_child(pid: int) -> int:
    """Let a process go on until it forks, and let go of it; return the child, which is stopped."""
    ptrace(SETOPTIONS, pid, SYSGOOD | FORK | EXITKILL)
    number = 0
    while True:
        ptrace(CONT, pid, number)
        _, status = os.waitpid(pid, WALL)
        if not os.WIFSTOPPED(status):
            sys.exit(f"killed_call: it forks nobody, and ends with {os.waitstatus_to_exitcode(status)}")
        number = 0 if status >> 16 or os.WSTOPSIG(status) == signal.SIGTRAP else os.WSTOPSIG(status)
        if status >> 16 == 1:  # PTRACE_EVENT_FORK
            child = ctypes.c_ulong()
            ptrace(EVENTMSG, pid, child)
            os.waitpid(child.value, WALL)
            ptrace(DETACH, pid)
            return child.value


def leaves(call: CallInfo) -> bool:
    """Whether a call may change what others see."""
    if platform.machine() != "x86_64":
        return True
    return call.nr in LEAVING and (call.nr != OPENAT or bool(call.args[2] & O_CREAT))


def go_on(pid: int, status: int) -> None:
    """Let it go on from a stop, with the signal that it stopped for."""
    event = status >> 16 or os.WSTOPSIG(status) in (signal.SIGTRAP, signal.SIGTRAP | 0x80)
    ptrace(SYSCALL, pid, 0 if event else os.WSTOPSIG(status))


def kill_at(victim: int, number: int, status: int, command: int) -> str:
    """Follow a process to its call of that number and kill it there, unless it or the command has ended before."""
    count = 0
    go_on(victim, status)
    while True:
        pid, status = os.waitpid(-1, WALL)
        if not os.WIFSTOPPED(status):
            ended[pid] = status
            if pid in (victim, command):
                return f"ended {count}"
        if pid != victim:
            continue
        if os.WSTOPSIG(status) == signal.SIGTRAP | 0x80:
            call = CallInfo()
            ptrace(SYSCALL_INFO, victim, call)
            if call.op == ENTRY and leaves(call):
                count += 1
                if count == number:
                    os.kill(victim, signal.SIGKILL)
                    ended[victim] = os.waitpid(victim, WALL)[1]
                    return f"killed {LEAVING.get(call.nr, call.nr)}"
        go_on(victim, status)


def main(who: str, number: int, *command: str) -> None:
    """Start, follow, kill, and wait for the command."""
    if who.isdigit():
        victim = int(who)
        ptrace(SEIZE, victim, SYSGOOD)
        ptrace(INTERRUPT, victim)
        _, status = os.waitpid(victim, WALL)
        quiet = [(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
        started = os.posix_spawn(command[0], command, dict(os.environ), file_actions=quiet)
    else:
        started = spawn(list(command))
        victim = started if who == "self" else first_child(started)
        ptrace(SETOPTIONS, victim, SYSGOOD)
        status = signal.SIGTRAP << 8 | 0x7F
    said = kill_at(victim, number, status, started)
    with contextlib.suppress(ChildProcessError):
        ended.setdefault(started, os.waitpid(started, WALL)[1])
    print(said, os.waitstatus_to_exitcode(ended[started]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
