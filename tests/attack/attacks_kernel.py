"""attacks_kernel - attacks on the kernel: sockets, system calls, namespaces, mounts."""

import platform
from pathlib import Path

from attack_row import ROOT, Attack

NAMESPACES = ("NEWNS", "NEWUTS", "NEWIPC", "NEWUSER", "NEWPID", "NEWNET", "NEWCGROUP")



def _bpf_is_closed() -> str:
    """Older kernels refuse unprivileged bpf before they look at anything, as the filter does."""
    switch = Path("/proc/sys/kernel/unprivileged_bpf_disabled")
    major, minor = (int(part) for part in platform.release().split(".")[:2])
    closed = switch.exists() and switch.read_text().strip() != "0"
    old = (major, minor) < (6, 18)  # seen so on 6.1, no longer on 6.18
    return "this kernel itself refuses bpf to ordinary users" if closed and old else ""


SOCKETS = (
    # In each run one row shows that the filter is there.
    Attack(
        "socket_vsock",
        "AF_VSOCK reaches the hypervisor past the network namespace",
        "seccomp",
        needs="warm,user,warm-user,vm",
    ),
    Attack(
        "socket_netlink", "netlink families", "seccomp", expect=("16/3/0=opened", "16/3/2=opened", "16/3/16=opened")
    ),
    Attack(
        "net_change",
        "interfaces, addresses, routes, rules, queues changed through netlink",
        "seccomp,capabilities",
        flags=ROOT,
        expect=("NEWADDR=0", "SETLINK=0", "NEWROUTE=0"),
        walls="each",
    ),
    Attack("socket_mptcp", "Multipath TCP", "seccomp"),
    Attack("socket_udplite", "UDP-Lite", "seccomp"),
    Attack("socket_sctp", "SCTP and DCCP load modules", "seccomp"),
    Attack(
        "socket_raw",
        "raw IP sockets",
        "seccomp,capabilities",
        flags=ROOT,
        expect=("2/3/1=opened",),
        walls="each",
    ),
    Attack("socket_packet", "AF_PACKET", "seccomp,capabilities", flags=ROOT, walls="each"),
    Attack("socket_alg", "AF_ALG", "seccomp"),
    Attack("socket_exotic", "every other socket family", "seccomp"),
)

CALLS = (
    Attack("sys_io_uring", "io_uring acts past the filter", "seccomp"),
    Attack("sys_ptrace", "ptrace", "seccomp"),
    Attack("sys_modify_ldt", "modify_ldt", "seccomp", x86=True),
    Attack("sys_vmsplice", "vmsplice", "seccomp"),
    Attack("sys_memfd_secret", "memfd_secret", "seccomp"),
    Attack("sys_int80", "32-bit system calls", "seccomp", x86=True),
    Attack("sys_x32", "x32 system calls", "seccomp", x86=True),
    Attack("sys_bpf", "bpf", "seccomp", unavailable=_bpf_is_closed),
    Attack("sys_perf_event_open", "perf_event_open", "seccomp"),
    Attack("sys_userfaultfd", "userfaultfd", "seccomp"),
    Attack("sys_keyring", "add_key, request_key, keyctl", "seccomp", expect=("add_key", "keyctl")),
    Attack(
        "sys_process_vm",
        "process_vm_readv, process_vm_writev, process_madvise",
        "seccomp",
        expect=("readv", "writev"),
    ),
    Attack("sys_kcmp", "kcmp, pidfd_getfd", "seccomp"),
    Attack("sys_open_by_handle", "open_by_handle_at, name_to_handle_at", "seccomp"),
    Attack("sys_numa", "migrate_pages, move_pages", "seccomp"),
    Attack("sys_fanotify", "fanotify", "seccomp"),
    Attack(
        "sys_clock",
        "setting clocks",
        "seccomp",
        expect=("clock_settime", "settimeofday", "clock_adjtime"),
    ),
    Attack("sys_personality", "personality", "seccomp"),
    Attack("sys_quota", "quotactl", "seccomp", expect=("quotactl=",)),
    Attack(
        "sys_admin",
        "modules, kexec, reboot, swap, accounting, ports",
        None,
        why="capabilities refuse them with the same EPERM",
        by="seccomp,capabilities",
        on_host=True,
    ),
    Attack("sys_tioc", "TIOCSTI, TIOCLINUX, also with high bits", "seccomp"),
    Attack(  # pid 1 of a cell is another program, of an ordinary user's sandbox another user's
        "pid1_scheduling",
        "scheduling, priority and limits of pid 1",
        "seccomp",
        by="guard",
        needs="warm,user,warm-user,vm",
    ),
    Attack("socket_stall", "sockets whose close or receive waits", "seccomp", by="guard"),
    Attack("file_lease", "leases on files, which stall the host's open()", "seccomp", by="guard"),
    Attack(
        "ns_unshare",
        "unshare of every namespace",
        "seccomp,hide-mounts",
        expect=NAMESPACES,
        walls="each",
    ),
    Attack(
        "ns_clone",
        "clone into every namespace",
        "seccomp,hide-mounts",
        expect=NAMESPACES,
        walls="each",
    ),
    Attack("ns_clone3", "clone3 hides its flags", "seccomp"),
    Attack("ns_setns", "setns", "seccomp"),
    Attack(
        "mount_classic",
        "mount, umount, pivot_root",
        "seccomp,capabilities",
        flags=ROOT,
        expect=("mount=", "umount2=", "pivot_root="),
    ),
    Attack(
        "sys_mount_api",
        "the new mount interface",
        "seccomp,capabilities",
        flags=ROOT,
        expect=("fsopen", "open_tree", "mount_setattr"),
    ),
    Attack(
        "mount_remount",
        "remounting a read-only mount",
        "seccomp,capabilities,hide-mounts,landlock",
        flags=ROOT,
        walls="each",
    ),
    Attack(
        "mount_umount",
        "uncovering what a mount hides",
        "seccomp,capabilities,hide-mounts,landlock",
        flags=ROOT,
        walls="each",
    ),
    Attack("chroot_break", "chroot", "seccomp,capabilities", flags=ROOT, walls="each"),
    Attack(
        "reach_count",
        "the number of system calls that the kernel answers",
        "seccomp",
        args=("221",),
    ),
)
