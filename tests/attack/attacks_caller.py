"""attacks_caller - attacks on the caller and its machine: namespaces, inheritance, limits, time."""

import socket
from pathlib import Path

from attack_row import ROOT, Attack
from support.times import is_slow

HAS_CGROUP2 = Path("/sys/fs/cgroup/cgroup.controllers").exists()
KILLED = 137


def _only_loopback() -> str:
    names = [name for _, name in socket.if_nameindex()]
    return "the host has no interface but lo" if names == ["lo"] else ""


PRIVILEGES = (
    Attack("caps_sets", "a capability in any set", "capabilities"),
    Attack(
        "caps_sets_root",
        "a capability for uid 0, by exec",
        "capabilities",
        script="caps_sets",
        flags=ROOT,
        expect=("CapEff", "child:CapEff"),
    ),
    Attack("caps_securebits", "secure bits that can be changed", "capabilities"),
    Attack("no_new_privs", "gaining rights at exec", "no-new-privs,landlock,seccomp"),
    Attack(
        "uts_change", "changing the host name", "seccomp,capabilities", flags=ROOT, walls="each"
    ),
    Attack("uts_name", "the host's name", "hostname", args=("@hostname",)),
    *(
        Attack(
            f"ns_same_{name}",
            f"the host's {name} namespace",
            {"net": "net-ns,loopback", "uts": "uts-ns,hostname"}.get(name, f"{name}-ns"),
            script="ns_same",
            args=(name, f"@ns/{name}"),
        )
        for name in ("net", "ipc", "uts", "cgroup")
    ),
    *(
        Attack(
            f"ns_same_{name}",
            f"the host's {name} namespace",
            None,
            why="it cannot be left out",
            by="namespaces",
            script="ns_same",
            args=(name, f"@ns/{name}"),
            on_host=True,
        )
        for name in ("user", "mnt", "pid")
    ),
    Attack(
        "net_interfaces",
        "interfaces, neighbours, routes of the host",
        "net-ns,loopback",
        unavailable=_only_loopback,
    ),
    Attack(
        "net_host_loopback",
        "services on the host's loopback",
        "net-ns,loopback",
        given="tcp_service",
    ),
    Attack(
        "net_host_abstract",
        "abstract unix sockets of the host",
        "net-ns,loopback,landlock",
        given="abstract_service",
    ),
    Attack(
        "ipc_host_shm",
        "System V shared memory of the host",
        "ipc-ns,seccomp",
        given="shared_memory",
        walls="each",
    ),
    Attack(
        "ipc_host_mq",
        "POSIX message queues of the host",
        "ipc-ns,seccomp,landlock",
        given="message_queue",
        walls="each",
    ),
    Attack(
        "kill_outside",
        "signals to the host's processes",
        None,
        why="the pid namespace cannot be left out: its /proc needs it",
        by="namespaces,landlock",
        given="sentinel",
        on_host=True,
    ),
)

INHERITED = (
    Attack("inherit_file", "the caller's open files", "close-fds", given="open_file"),
    Attack(
        "inherit_directory",
        "the caller's open directories (CVE-2024-21626)",
        "close-fds,landlock",
        given="open_directory",
        walls="each",
    ),
    Attack("inherit_socket", "the caller's sockets", "close-fds", given="open_socket"),
    Attack(
        "inherit_environment",
        "the caller's environment",
        None,
        why="it is built from nothing",
        by="environment",
        given="environment",
        on_host=True,
    ),
    Attack("inherit_stdin", "the caller's standard input", "stdio", given="standard_input"),
    Attack("inherit_stdout", "the caller's output file", "stdio", given="output_file"),
    Attack(
        "inherit_terminal",
        "the caller's terminal, by name",
        "session",
        given="terminal",
        expect=("/dev/tty opens",),
    ),
    Attack(
        "inherit_terminal_stream",
        "the caller's terminal, as a stream",
        "stdio",
        script="inherit_terminal",
        given="terminal",
        expect=("is a terminal",),
    ),
    Attack("inherit_group", "the caller's process group", "session", given="process_group"),
    Attack(
        "inherit_workdir",
        "the caller's working directory",
        None,
        why="the root changes",
        by="root",
        given="working_directory",
        on_host=True,
    ),
    Attack(
        "inherit_signals",
        "the caller's ignored and blocked signals",
        "signals",
        given="ignored_signals",
        expect=("blocked", "ignored"),
    ),
    Attack("inherit_oom_score", "the caller's out-of-memory score", "priority"),
    Attack(
        "inherit_nice",
        "a higher priority than others have",
        None,
        why="the supervisor gives it up",
        by="priority",
        given="nice",
        root=True,
        on_host=True,
    ),
    Attack("inherit_umask", "a umask of 0", "umask", given="umask"),
    Attack("inherit_personality", "no address randomisation", "umask", given="personality"),
    Attack("inherit_rlimits", "the caller's limits", "rlimits", given="odd_limit"),
    Attack(
        "inherit_keyring", "the session keyring", "keyring,seccomp", given="keyring", walls="each"
    ),
    Attack(
        "inherit_groups",
        "supplementary groups",
        None,
        why="without the ids nothing can be made",
        by="ids",
        given="groups",
        root=True,
        on_host=True,
    ),
)


def _has_one_limit() -> str:
    """Say why sockets' memory has no limit of its own here."""
    return "cgroup v2 counts sockets with everything else" if HAS_CGROUP2 else ""


LIMITS = (
    Attack(
        "limit_memory",
        "taking the host's memory",
        None,
        why="a larger limit",
        by="cgroup",
        args=("128",),
        flags=("--memory", "64m"),
        held_status=137,
        control_flags=("--memory", "512m"),
    ),
    Attack(
        "limit_memory_tmpfs",
        "memory in tmpfs files",
        None,
        why="a larger limit",
        by="cgroup",
        args=("128",),
        flags=("--memory", "64m", "--tmpfs", "/tmp:size=512m"),
        held_status=137,
        control_flags=("--memory", "512m", "--tmpfs", "/tmp:size=512m"),
    ),
    Attack(
        "limit_memory_shm",
        "memory in shared segments",
        None,
        why="a larger limit",
        by="cgroup",
        args=("128",),
        flags=("--memory", "64m"),
        held_status=137,
        control_flags=("--memory", "512m"),
    ),
    Attack(
        "limit_tcp_memory",
        "memory in buffers of TCP sockets",
        "socket-memory",
        args=("96",),
        flags=("--memory", "64m"),
        held_status=KILLED if HAS_CGROUP2 else 1,
        unavailable=_has_one_limit,
    ),
    Attack(
        "limit_udp_memory",
        "memory in queues of UDP sockets",
        "socket-memory",
        args=("96",),
        flags=("--memory", "64m"),
        held_status=KILLED if HAS_CGROUP2 else 1,
        unavailable=_has_one_limit,
    ),
    Attack(
        "limit_unaccepted",
        "memory in connections that nobody accepts",
        "socket-count",
        args=("192",),
        flags=("--memory", "64m"),
        held_status=KILLED,
    ),
    Attack(
        "limit_netlink",
        "memory in answers that wait in netlink sockets, where a profile lets them be opened",
        "socket-count",
        always="seccomp",
        args=("600",),
        flags=("--memory", "64m"),
        held_status=KILLED,
        needs="user",  # a cell has our filter: another profile runs cold
    ),
    Attack(
        "limit_pids",
        "a fork bomb",
        None,
        why="a larger limit",
        by="cgroup",
        args=("100",),
        control_flags=("--pids-limit", "200"),
    ),
    Attack(
        "limit_threads",
        "a bomb of threads",
        None,
        why="a larger limit",
        by="cgroup",
        args=("100",),
        control_flags=("--pids-limit", "200"),
    ),
    Attack(
        "limit_cpu",
        "taking every CPU",
        None,
        why="a larger limit",
        by="cgroup",
        args=("12", "1"),
        flags=("--cpus", "0.08"),
        control_flags=("--cpus", "1"),
        control_args=("12", "20"),
    ),
    Attack(
        "limit_files",
        "open files without end",
        "rlimits",
        args=("300",),
        flags=("--ulimit", "nofile=256:256"),
    ),
    Attack("limit_timers", "pending timers and signals", "rlimits", args=("2000",)),
    Attack("limit_core", "core dumps", "rlimits"),
    Attack("limit_core_lowered", "lowering the limit that keeps the host's core handler out", "seccomp", by="guard"),
    Attack("limit_raise", "raising limits", "rlimits"),
    Attack(
        "limit_inodes",
        "inodes of the scratch directories",
        None,
        why="a tmpfs with a limit",
        by="tmpfs limits",
        args=("20000", "/tmp", "/dev/shm", "$HOME"),
        given="plain_tmp",
    ),
    Attack(
        "limit_size",
        "size of the scratch directories",
        None,
        why="a larger limit",
        by="tmpfs limits",
        args=("80", "/tmp", "/dev/shm", "$HOME"),
        flags=("--tmpfs", "/tmp:size=64m"),
        control_flags=("--tmpfs", "/tmp:size=200m", "--shm-size", "200m"),
        expect=("/tmp", "/dev/shm"),
    ),
)

_OUTLIVE = {
    "omit": None,
    "why": "no deadline was asked for",
    "by": "deadline",
    "held_status": 124,
    "held_stderr": "[TIMEOUT]",
}
_STARTED_S = 30 if is_slow() else 8  # by then Python has started
_SOON = {
    "flags": ("--timeout", "2s"),
    "args": ("60",),
    "control_flags": (),
    "control_args": ("0.5",),
}

DEADLINE = (
    Attack("deadline_signals", "ignoring every signal", **_OUTLIVE, **_SOON),
    Attack("deadline_init", "stopping or killing pid 1", **_OUTLIVE, **_SOON),
    Attack("deadline_respawn", "processes born faster than they are killed", **_OUTLIVE, **_SOON),
    Attack(
        "deadline_inner",
        "stopping a `timeout` that runs inside",
        **_OUTLIVE,
        prefix=("timeout", str(_STARTED_S)),
        flags=("--timeout", f"{_STARTED_S + 1}s"),
        args=("60",),
        control_flags=(),
        control_args=(str(_STARTED_S + 1),),
    ),
)
