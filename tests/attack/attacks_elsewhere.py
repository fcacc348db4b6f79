"""attacks_elsewhere - threats whose tests are not scripts of the table, for policy/README.md.

A test is named as FOLDER/FILE (below tests/), then its classes or functions.
"""

from dataclasses import dataclass

from attack_row import FILES


@dataclass(frozen=True)
class Shown:
    """One threat, the layer that stops it, and the tests that show it."""

    threat: str
    layer: str  # comma-separated names of FILES, or words of its own with `files`
    tests: tuple[str, ...]
    files: str = ""

    @property
    def sources(self) -> str:
        """Where the layer lives."""
        return self.files or files_of(self.layer)


def files_of(layers: str) -> str:
    """Return the files of comma-separated layers, each once."""
    names = [name for name in layers.split(",") if name]
    return ", ".join(dict.fromkeys(file for name in names for file in FILES[name].split(", ")))


ELSEWHERE = (
    Shown(
        "a daemon that stays behind",
        "namespaces",
        ("attack/test_lifetimes: test_daemons_end_with_the_program",),
    ),
    Shown(
        "glovebox itself is killed",
        "parent-death",
        ("attack/test_lifetimes: test_everything_ends_when_the_supervisor_is_killed",),
    ),
    Shown(
        "output that nobody reads holds up the deadline",
        "deadline",
        ("attack/test_lifetimes: test_nobody_reads_and_the_deadline_comes_all_the_same",),
    ),
    Shown(
        "a gibibyte of output", "output limit", ("attack/test_lifetimes: test_a_gibibyte_is_cut",)
    ),
    Shown(
        "links, pipes, sockets, set-uid files in /output",
        "collector",
        ("attack/test_output: test_links_pipes_sockets_are_left_behind",),
    ),
    Shown(
        "file names with escape sequences",
        "escape",
        (
            "attack/test_output: test_what_was_refused_is_listed_without_control_characters",
            "integration/test_strangers: Output",
        ),
    ),
    Shown(
        "a tree too deep to collect",
        "collector",
        ("attack/test_output: test_deep_tree_is_survived",),
    ),
    Shown(
        "sparse giants, hard links",
        "collector",
        (
            "attack/test_output: test_sparse_giants_stay_small, test_hard_links_do_not_multiply",
        ),
    ),
    Shown(
        "files without end in /output",
        "tmpfs limits",
        ("attack/test_output: test_files_are_bounded",),
    ),
    Shown(
        "a directory swapped during collection",
        "collector",
        ("attack/test_output: test_swapping_goes_nowhere",),
    ),
    Shown(
        "links that an earlier run left on the host",
        "collector",
        ("attack/test_output: test_links_of_an_earlier_run_are_not_written_through",),
    ),
    Shown(
        "a link flipped in a volume's path",
        "the source is opened once",
        ("attack/test_host_paths: Volumes",),
        "runtime/root/mount_source.c",
    ),
    Shown(
        "a link or an exchanged name that leads out of the directories of a ceiling, or is in another mount namespace",
        "the path of the opened source is judged, and where that is mounted",
        ("attack/test_ceiling: Ceiling", "integration/test_ceiling"),
        "runtime/host/mount_bound.c",
    ),
    Shown(
        "the kernel's file systems below a volume, also by a rename",
        "cloned alone, or judged in the clone",
        ("attack/test_host_paths: Volumes",),
        "runtime/root/root_mounts.c, runtime/root/tree.c, runtime/inside/root.c",
    ),
    Shown(
        "a volume's source swapped for a link",
        "root",
        (
            "attack/test_neighbours: test_mount_is_what_was_looked_at_or_nothing",
            "unit/test_tree",
        ),
        "runtime/root/root_plan.c, runtime/root/tree.c, runtime/inside/root.c",
    ),
    Shown(
        "another user's link, second name or pipe on the way to what is written or made",
        "foreign-links",
        ("attack/test_written_paths: WrittenPaths", "unit/test_trusted_path"),
        "runtime/fs/trusted_path.c",
    ),
    Shown(
        "a name exchanged while a directory is made",
        "not made there, nothing given away",
        ("attack/test_host_paths: MissingSources", "unit/test_make_dir"),
        "runtime/fs/make_dir.c",
    ),
    Shown(
        "a name exchanged while /output is collected",
        "written with the owner's rights",
        (
            "attack/test_host_paths: test_collected_directory_that_is_exchanged",
            "unit/test_stage",
        ),
        "runtime/root/stage.c, runtime/fs/act_as.c",
    ),
    Shown(
        "a directory of the host handed out as /output",
        "stage_check()",
        ("unit/test_stage",),
        "runtime/root/stage.c",
    ),
    Shown(
        "locks that keep root from starting",
        "private directory, modes of groups",
        ("attack/test_host_paths: Locks",),
        "runtime/fs/private_dir.c, runtime/namespace/idblock.c, runtime/cgroup/cgroup.c",
    ),
    Shown(
        "leases of other users on files that are named",
        "O_NONBLOCK",
        ("attack/test_host_paths: Leases",),
        "runtime/base/io.c, runtime/fs/trusted_path.c, runtime/root/stage.c",
    ),
    Shown(
        "names, messages and values that move the cursor or reverse the reading order",
        "escape",
        (
            "unit/test_escape",
            "unit/test_say",
            "integration/test_strangers",
            "warm/test_strangers",
        ),
    ),
    Shown(
        "a model's server whose answer has no end or nothing in it",
        "budget",
        ("unit/test_budget", "agent/test_wire: TestEndless"),
        "agent/server/budget.c, agent/server/http_client.c, agent/server/json_stream.c",
    ),
    Shown(
        "programs of packages while an image is built",
        "chamber",
        ("attack/test_building: BuildingTest",),
        "rootfs/chamber/chamber.c",
    ),
    Shown(
        "programs of a Dockerfile's RUN",
        "chamber, root",
        ("integration/test_dockerfile: Programs",),
        "rootfs/chamber/chamber.c, rootfs/dockerfile/dockerfile_run.c",
    ),
    Shown(
        "links of a Dockerfile's context that lead out of it",
        "openat2",
        ("integration/test_dockerfile: Files",),
        "rootfs/dockerfile/dockerfile_copy.c",
    ),
    Shown(
        "a Dockerfile's words, files and base that take memory, the disk or the root of a RUN",
        "bounds",
        ("integration/test_dockerfile: Hostile, Files",),
        "rootfs/dockerfile/dockerfile_words.c, rootfs/archive/pack.c, rootfs/dockerfile/dockerfile_run.c",
    ),
    Shown(
        "results that another user has kept for a build",
        "owner",
        ("integration/test_dockerfile: Kept",),
        "rootfs/store/kept.c",
    ),
    Shown(
        "links of an image that lead to the host",
        "root",
        ("attack/test_images: ImageLinkTest, WritableImageLinkTest",),
    ),
    Shown(
        "another user of the host reads what is private in an image",
        "modes of the store",
        ("attack/test_images: OtherUserTest", "integration/test_user: SharedImages"),
        "rootfs/store/tree_mode.c, rootfs/store/store.c",
    ),
    Shown(
        "what is written with --writable reaches the image, or what stays closed",
        "root",
        (
            "attack/test_overlay: test_image_stays_as_it_is, test_what_is_closed_stays_closed, "
            "test_no_set_uid, test_no_devices",
        ),
        "runtime/inside/overlay.c, runtime/root/root_overlay.c",
    ),
    Shown(
        "what is written with --writable is more than its size, or than the memory",
        "tmpfs limits,cgroup",
        ("integration/test_writable: Limits",),
    ),
    Shown(
        "two sandboxes at the same time",
        "net-ns,ipc-ns,landlock,seccomp",
        (
            "attack/test_neighbours: test_neighbours_do_not_meet, "
            "test_neighbours_meet_without_namespaces",
        ),
    ),
    Shown(
        "two sandboxes with one host uid",
        "user namespace",
        ("attack/test_neighbours: test_neighbours_have_ids_of_their_own",),
    ),
    Shown(
        "a pid 1 worth taking over",
        "init-caps,init-no-new-privs,init-seccomp",
        (
            "attack/test_init: test_pid_1_is_locked_down, test_pid_1_is_open_without_its_layers",
        ),
    ),
)

# What is new in warm cells. Rows of the first table whose runs have "warm" are attacked again from one.
WARM = (
    Shown(
        "a descriptor of the supervisor, the nursery or a preload is left in a cell",
        "close-fds",
        (
            "warm/test_machinery: test_no_descriptor_is_left, test_a_planted_descriptor_is_found,"
            " test_open_files_reach_no_cell",
        ),
        "runtime/inside/close_fds.c, runtime/inside/cell.c",
    ),
    Shown(
        "memory that a preload has mapped shared is one for all cells",
        "such a preload is left out",
        (
            "warm/test_machinery: test_no_shared_memory_is_left, test_planted_shared_memory_is_found,"
            " test_what_keeps_shared_memory_is_left_out_by_name, test_cells_meet_in_shared_memory_if_it_is_not_refused",
            "guest/test_nursery: test_module_that_keeps_shared_memory",
        ),
        "rootfs/guest/nursery.py",
    ),
    Shown(
        "capabilities of the nursery are left",
        "caps,bounding",
        ("warm/test_machinery: test_no_right_is_left, test_rights_are_seen_outside",),
        "runtime/inside/caps.c",
    ),
    Shown(
        "a cell reaches its pid 1, the nursery, another cell, a parked one",
        "pid-ns,hidepid,init-dumpable",
        ("warm/test_machinery: OthersTest",),
        "runtime/inside/cell.c, runtime/inside/cell_init.c",
    ),
    Shown(
        "a cell that ran code serves again",
        "one lease per cell",
        (
            "warm/test_machinery: test_run_again_sees_nothing_of_the_run_before, "
            "test_what_a_run_leaves_is_found_in_the_same_cell",
        ),
        "runtime/warm/pool.c",
    ),
    Shown(
        "host paths in the plan's memory",
        "unmapped before the program",
        ("warm/test_machinery: SecretTest",),
        "runtime/inside/cell.c",
    ),
    Shown(
        "our own functions are called again from inside",
        "they need what is gone",
        (
            "warm/test_machinery: test_functions_of_the_machinery_gain_nothing, "
            "test_functions_of_the_machinery_are_found_where_they_are_loaded",
        ),
        "runtime/inside/cell.c, runtime/inside/interpreter.c",
    ),
    Shown(
        "equal random numbers in every cell",
        "generators are seeded anew, the nursery's pid",
        ("warm/test_machinery: RandomTest", "guest/test_reseed"),
        "rootfs/guest/program.py, rootfs/guest/reseed.py, runtime/inside/init.c",
    ),
    Shown(
        "a nursery asks the kernel for more than cells and making them take",
        "its own filter",
        ("warm/test_machinery: test_no_right_is_left", "integration/test_policy: Policy"),
        "policy/nursery.json",
    ),
    Shown(
        "a client of another user",
        "SO_PEERCRED, mode 0700",
        ("warm/test_machinery: test_another_user_cannot_connect",),
        "runtime/warm/clients.c, runtime/wire/runtime_dir.c",
    ),
    Shown(
        "messages that are garbage, too large, too many",
        "bounded packets",
        ("warm/test_machinery: ClientTest", "warm/test_supervisor"),
        "runtime/wire/wire.c, runtime/wire/frame.c",
    ),
    Shown(
        "names and types of files in /workspace",
        "a program of the session itself, typed answers",
        ("integration/test_mover_files", "unit/test_files_answer", "warm/test_sessions: Files"),
        "runtime/mover/reach.c, runtime/workspace/files.c, runtime/workspace/files_answer.c",
    ),
    Shown(
        "one cell uses up what the kernel counts per user",
        "an id per cell; without root from the user's range of subordinate ids, and without one cells share the user's",
        ("warm/test_machinery: StarvationTest",),
        "runtime/namespace/idblock.c",
    ),
    Shown(
        "more sockets than memory, in a session, during and between calls",
        "socket-count",
        (
            "warm/test_sessions: test_memory_in_connections_that_nobody_accepts, "
            "test_connections_between_two_calls",
        ),
        "runtime/session/call.c, runtime/warm/kept_session.c",
    ),
)

# Attacks on what serves and drives; the programs are those of machinery.py.
MACHINERY = (
    Shown(
        "descriptors, or anything unasked, through a session's channel",
        "one way down, a pipe for each answer",
        ("attack/test_machinery_attacks: LingerTest, SharedTest",),
        "runtime/net/message.c, runtime/wire/frame.h, runtime/session/call.c",
    ),
    Shown(
        "sockets whose close sleeps, options that make a receive wait",
        "guard",
        ("attack/test_machinery_attacks: LingerTest", "attack/test_machinery_runs: InsideTest"),
    ),
    Shown(
        "an answer that is wrong, late, twice, half, endless, or somebody else's (26 ways)",
        "session",
        ("attack/test_machinery_attacks: ChaosTest, MoreChaosTest, MostChaosTest",),
        "runtime/session/call.c, runtime/wire/frame.h",
    ),
    Shown(
        "such answers to the agent; sockets that linger",
        "session",
        ("attack/test_machinery_agent: AgentTest",),
        "runtime/session/call.c, runtime/session/call_result.c",
    ),
    Shown(
        "a process whose first thread has ended",
        "known by its threads",
        (
            "attack/test_machinery_attacks: ProcessTest",
            "attack/test_machinery_runs: test_processes_without_a_leader",
        ),
        "runtime/cgroup/cgroup_members.c",
    ),
    Shown(
        "checkpoints that were made by code that is rolled back; what it left in the channel",
        "they end with it; a new channel",
        ("warm/test_sessions: Checkpoints",),
        "runtime/session/purge.c",
    ),
    Shown(
        "pid 1 that gets no CPU",
        "the whole group is killed; guard",
        ("attack/test_machinery_runs: TimeoutTest, KilledTest",),
        "runtime/cgroup/cgroup_members.c, runtime/seccomp/filter_guard.c",
    ),
    Shown(
        "a death that takes its time",
        "a list of endings; 10 s",
        ("attack/test_machinery_attacks: LingerTest",),
        "runtime/sandbox/endings.c, runtime/sandbox/watch.c, runtime/sandbox/spawn.c",
    ),
    Shown(
        "a terminal or a pipe that nobody reads",
        "50 ms per write; 2 s past a deadline",
        ("attack/test_machinery_terminals: TerminalTest",),
        "runtime/sandbox/stream.c",
    ),
    Shown(
        "an agent's terminal or pipe that nobody reads",
        "overdue",
        ("attack/test_machinery_agent: UnreadTest",),
        "agent/overdue.c",
    ),
    Shown(
        "leases on files of volumes",
        "guard",
        ("attack/test_machinery_runs: VolumeTest",),
    ),
    Shown(
        "a crash that the host's core_pattern program takes",
        "core limit of 1; guard",
        ("attack/test_machinery_runs: InsideTest, CrashTest",),
        "runtime/host/core_pattern.c, runtime/seccomp/filter_guard.c",
    ),
)
