"""container - run a command as Docker's runc does: namespaces, masks, few capabilities, a filter.

    python3 container.py [--unmasked] [--unfiltered] [--caps] [--groups ro|rw|none] [--group NAME] [--uid N]
                         COMMAND [ARG...]

Each flag leaves one of them out, as --security-opt and others do. Needs root. Everything is made in namespaces
of the command's own, and ends with it; --group names a control group that the caller has made.
"""

import argparse
import ctypes
import os
import platform
import struct
import subprocess
import sys
from pathlib import Path

CLONE_NEWNS, CLONE_NEWCGROUP = 0x20000, 0x2000000
OTHERS = 0x4000000 | 0x8000000 | 0x20000000 | 0x40000000  # uts, ipc, pid, net
NEW = CLONE_NEWNS | CLONE_NEWCGROUP | OTHERS | 0x10000000  # Docker's mask

# Masked and read-only paths of an OCI runtime's default (moby: oci/defaults.go).
MASKED = "acpi asound interrupts kcore keys latency_stats sched_debug scsi timer_list timer_stats".split()
READ_ONLY = "bus fs irq sys sysrq-trigger".split()

# CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, SETPCAP, NET_BIND_SERVICE, NET_RAW, SYS_CHROOT, MKNOD,
# AUDIT_WRITE, SETFCAP (moby: oci/caps/defaults.go).
CAPABILITIES = {0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31}

# What moby's profiles/seccomp/default.json allows only with CAP_SYS_ADMIN, or not at all; of that what we call.
NUMBERS = {
    "x86_64": {
        "arch": 0xC000003E, "clone": 56, "clone3": 435,
        "denied": (165, 166, 155, 272, 308, 321, 248, 249, 250, 428, 429, 430, 431, 432, 433, 442, 298, 323),
    },
    "aarch64": {
        "arch": 0xC00000B7, "clone": 220, "clone3": 435,
        "denied": (40, 39, 41, 97, 268, 280, 217, 218, 219, 428, 429, 430, 431, 432, 433, 442, 241, 282),
    },
}  # fmt: skip
LOAD, JUMP_EQUAL, JUMP_ANY, RETURN = 0x20, 0x15, 0x45, 0x06  # linux/bpf_common.h
ALLOW, ERRNO, EPERM, ENOSYS = 0x7FFF0000, 0x50000, 1, 38  # linux/seccomp.h
PR_SET_SECCOMP, PR_CAPBSET_DROP, CAPSET_VERSION = 22, 24, 0x20080522

libc = ctypes.CDLL(None, use_errno=True)


def must(result: int, what: str) -> None:
    """End here if a call failed."""
    if result < 0:
        sys.exit(f"cannot: {what}: {os.strerror(ctypes.get_errno())}")


def mount(*words: str) -> None:
    """Mount, as mount(8) does."""
    subprocess.run(["mount", *words], check=True)


def mount_proc(masked: bool) -> None:
    """Mount a new proc, the only one, and over parts of it what Docker does."""
    for line in Path("/proc/self/mounts").read_text().splitlines():
        if line.split()[2] == "proc" and line.split()[1] != "/proc":
            subprocess.run(["umount", "-l", line.split()[1]], check=True)
    mount("-t", "proc", "proc", "/proc")
    for path in (Path("/proc", name) for name in MASKED if masked):
        if path.is_dir():
            mount("-t", "tmpfs", "-o", "ro", "tmpfs", str(path))
        elif path.exists():
            mount("--bind", "/dev/null", str(path))
    for path in (Path("/proc", name) for name in READ_ONLY if masked):
        if path.exists():
            mount("--bind", str(path), str(path))
            mount("-o", "remount,bind,ro", str(path))


def mount_groups(mode: str) -> None:
    """Show the control groups of our namespace, or none."""
    top = Path("/sys/fs/cgroup")
    is_v2 = (top / "cgroup.controllers").exists()
    controllers = [g.name for g in top.iterdir() if (g / "tasks").exists() and g.name != "systemd"]
    subprocess.run(["umount", "-R", str(top)], check=True)
    if mode == "none":
        return
    if is_v2:
        mount("-t", "cgroup2", "-o", mode, "none", str(top))
        return
    mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", str(top))
    for controller in controllers:
        (top / controller).mkdir()
        mount("-t", "cgroup", "-o", f"{mode},{controller}", "none", str(top / controller))


def filtered() -> bytes:
    """Return the filter's program."""
    numbers = NUMBERS[platform.machine()]
    code = [(LOAD, 0, 0, 0)]
    for number in numbers["denied"]:
        code += [(JUMP_EQUAL, 0, 1, number), (RETURN, 0, 0, ERRNO | EPERM)]
    code += [(JUMP_EQUAL, 0, 1, numbers["clone3"]), (RETURN, 0, 0, ERRNO | ENOSYS)]
    code += [(JUMP_EQUAL, 0, 3, numbers["clone"]), (LOAD, 0, 0, 16)]
    code += [(JUMP_ANY, 0, 1, NEW), (RETURN, 0, 0, ERRNO | EPERM), (RETURN, 0, 0, ALLOW)]
    return b"".join(struct.pack("HBBI", *line) for line in code)


def install(program: bytes) -> None:
    """Install the filter."""
    code = ctypes.create_string_buffer(program, len(program))
    prog = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(code))
    must(libc.prctl(PR_SET_SECCOMP, 2, prog, 0, 0), "install a filter")


def drop(uid: int) -> None:
    """Keep Docker's capabilities; as another user none."""
    for number in range(int(Path("/proc/sys/kernel/cap_last_cap").read_text()) + 1):
        if number not in CAPABILITIES:
            must(libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0), "drop a capability")
    kept = 0 if uid else sum(1 << number for number in CAPABILITIES)
    if uid:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    else:
        must(libc.capset(struct.pack("Ii", CAPSET_VERSION, 0), struct.pack("6I", kept, kept, 0, 0, 0, 0)), "capset")


def enter(args: argparse.Namespace) -> None:
    """Become the command. Runs: pid 1 of the container, which is alone in its group."""
    for pattern in (f"{args.group}/cgroup.procs", f"*/{args.group}/cgroup.procs") if args.group else ():
        for procs in Path("/sys/fs/cgroup").glob(pattern):
            procs.write_text("0")
    must(libc.unshare(CLONE_NEWCGROUP), "make a cgroup namespace")
    mount("--make-rprivate", "/")
    mount_proc(not args.unmasked)
    mount_groups(args.groups)
    program = filtered()
    if not args.unfiltered:
        install(program)
    if not args.caps or args.uid:
        drop(args.uid)
    os.execvp(args.command[0], args.command)


def main() -> int:
    """Return the exit status of the command."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--unmasked", action="store_true", help="--security-opt systempaths=unconfined")
    parser.add_argument("--unfiltered", action="store_true", help="--security-opt seccomp=unconfined")
    parser.add_argument("--caps", action="store_true", help="--cap-add ALL")
    parser.add_argument("--groups", default="ro", choices=("ro", "rw", "none"))
    parser.add_argument("--group", default="", help="below each hierarchy")
    parser.add_argument("--uid", type=int, default=0)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    must(libc.unshare(CLONE_NEWNS | OTHERS), "make namespaces")
    child = os.fork()
    if child == 0:
        enter(args)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    sys.exit(main())
