"""attacks_files - attacks on what can be seen and written: /proc, /sys, /dev, the root, volumes."""

from os import geteuid

from attack_row import ROOT, Attack, needs_root


def _changes_ids() -> str:
    return "the kernel's own mark, when root's ids change, does the same" if geteuid() == 0 else ""


PROC = (
    Attack(
        "proc_pid1",
        "memory, environment and files of pid 1",
        "hidepid,init-dumpable,landlock",
        expect=("environ", "exe ->"),
        unavailable=_changes_ids,
        walls="init-dumpable",
    ),
    Attack("proc_pid1_public", "the public files of pid 1", "hidepid"),
    Attack(
        "proc_others",
        "processes of the host in /proc",
        None,
        why="a new pid namespace has a new /proc",
        by="namespaces",
        on_host=True,
    ),
    Attack(
        "exe_overwrite",
        "/proc/1/exe leads to the host's binary (CVE-2019-5736)",
        "hidepid,init-dumpable,landlock",
        unavailable=_changes_ids,
        walls="init-dumpable,landlock",
    ),
    Attack("exe_self", "/proc/self/exe is the image's interpreter", "ro-root"),
    Attack(
        "proc_sys",
        "/proc/sys, core_pattern, sysrq-trigger",
        "proc-subset,landlock",
        flags=ROOT,
        walls="each",
    ),
    Attack(
        "proc_leaks",
        "interrupts, diskstats, iomem, config.gz, kallsyms, pressure",
        "proc-subset",
        expect=("interrupts", "version"),
    ),
    Attack("proc_leaks_common", "meminfo, stat, loadavg of the host", "proc-subset"),
    Attack("proc_paths", "host paths in mountinfo and mounts", "hide-mounts"),
    Attack("proc_cgroup", "cgroup paths", "cgroup-ns"),
    Attack("proc_maps", "host paths in maps and links", "hide-mounts", args=("@scripts",)),
    Attack(
        "proc_initial_ids",
        "root inside is root outside",
        None,
        why="the user namespace cannot be left out",
        by="user namespace",
        flags=ROOT,
        on_host=True,
    ),
    Attack(
        "sysfs",
        "/sys shows disks and PCI devices",
        None,
        why="it is not mounted: what stands there are texts of ours",
        by="root",
        on_host=True,
    ),
    Attack(
        "dev_minimal",
        "device nodes in /dev",
        None,
        why="/dev is made from nothing",
        by="root",
        on_host=True,
    ),
    Attack(
        "dev_tamper",
        "changing /dev or its nodes; mknod",
        "ro-root,landlock",
        by="ro-root,landlock,seccomp",
        flags=ROOT,
        walls="each",
    ),
    Attack(
        "host_files",
        "secrets in /etc, homes, /var, /run",
        None,
        why="they are not in the root",
        by="root",
        on_host=True,
    ),
)

FILESYSTEM = (
    Attack(
        "write_root",
        "writing outside of the scratch directories",
        "ro-root,landlock",
        flags=ROOT,
        walls="each",
    ),
    Attack("write_mount_flag", "a root that only permissions protect", "ro-root"),
    Attack(
        "write_second_wall",
        "a root whose read-only flag is lost",
        "landlock",
        always="ro-root",
        flags=ROOT,
        expect=("file", "folder"),
    ),
    Attack(
        "write_bind",
        "writing to a read-only volume",
        None,
        why="the flag of the volume",
        by="root",
        given="volume",
    ),
    Attack(
        "write_script",
        "a script that changes itself",
        None,
        why="the flag of the volume",
        by="root",
        given="script_file",
    ),
    Attack(
        "write_code",
        "a script given by --code that changes itself",
        "ro-root,landlock",
        script="write_script",
        given="code_file",
        walls="ro-root",
    ),
    Attack(
        "setuid_bind", "set-uid programs in a volume", "nosuid", given="special_files", root=True
    ),
    Attack(
        "setuid_plant",
        "leaving a set-uid program in a volume",
        "seccomp",
        given="output_volume",
        expect=("chmod", "fchmod", "open"),
    ),
    Attack("setuid_anywhere", "set-uid programs anywhere", "nosuid"),
    Attack("device_bind", "device nodes in a volume", "nodev", given="special_files", root=True),
    Attack("device_anywhere", "device nodes anywhere", "nodev"),
    Attack("exec_dropped", "running a dropped program", "noexec", expect=("/tmp", "/dev/shm")),
    Attack("exec_mapped", "mapping a dropped program", "noexec"),
    Attack(
        "path_climb",
        "climbing out by descriptors",
        None,
        why="nothing of the host is in the namespace",
        by="root",
        given="secret_path",
        on_host=True,
    ),
    Attack(
        "cgroup_escape",
        "cgroup files: leaving limits, release_agent",
        None,
        why="no hierarchy is mounted",
        by="root,seccomp",
        on_host=True,
        given="own_mounts",
        unavailable=needs_root,
    ),
)
