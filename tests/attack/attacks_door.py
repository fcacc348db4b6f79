"""attacks_door - what is new in sandboxes that stay (run -d), for policy/README.md.

Where a row names no step, nothing can be left out: what stops the attack is how something is done, and without it there
is another program. pid 1 would wait for its copies (vfork); the door would have no answer to what the kernel refuses; a
message of any form would have no meaning; mover would not run inside. A log of a larger limit is larger (Printing). The
walk of mover is its program: tar(1) stands for one that has none, and one of the test's own for a mover that is broken.
"""

from attacks_elsewhere import Shown

ROWS = "attack/test_door_rows: FirstTest, FurtherTest"

DOOR = (
    Shown(
        "a program that pid 1 starts lacks a layer (rows of the first table again, without it as well)",
        "init-seccomp,init-caps,init-no-new-privs,init-landlock,init-rlimits,init-dumpable,rlimits,signals",
        (ROWS,),
        "runtime/inside/confine.c, runtime/inside/door.c",
    ),
    Shown(
        "a pid 1 that starts programs is worth taking over",
        "init-caps,init-no-new-privs,init-seccomp",
        (
            "attack/test_door: test_pid_1_is_locked_down, test_pid_1_is_open_without_its_layers, "
            "test_pid_1_holds_one_descriptor",
        ),
        "runtime/inside/confine.c",
    ),
    Shown(
        "a program that is started in a session, or its pid 1, lacks a layer",
        "init-caps,init-no-new-privs,init-seccomp,init-landlock,door-root",
        ("warm/test_session_door: Init",),
        "runtime/inside/confine.c, runtime/inside/cell_init.c",
    ),
    Shown(
        "a copy of pid 1, stopped before its execve, gives away the monitor's memory",
        "init-dumpable,hidepid",
        ("attack/test_door: test_a_copy_gives_nothing_away, test_a_copy_gives_away_without_its_defence",),
        "runtime/inside/identity.c, runtime/inside/root.c",
    ),
    Shown(
        "copies of pid 1 are killed, or stay stopped",
        "pid 1 does not wait for them",
        ("attack/test_door: test_copies_that_are_killed, test_copies_that_stay_stopped",),
        "runtime/inside/door.c",
    ),
    Shown(
        "no process, terminal, descriptor or place is left for a further program",
        "the door refuses it, and goes on",
        ("attack/test_door: Full",),
        "runtime/inside/door.c, runtime/monitor/visit.c",
    ),
    Shown(
        "a monitor is killed, and what it started goes on",
        "parent-death,control-end",
        ("attack/test_monitor: Killed",),
        "runtime/inside/identity.c, runtime/inside/init.c",
    ),
    Shown(
        "output without end, of the first program or of what a further one leaves behind",
        "a bounded log; a client that leaves",
        ("attack/test_monitor: Printing",),
        "runtime/record/log.c, runtime/monitor/exec.c",
    ),
    Shown(
        "programs in the background (exec --keep): output without end, closed streams, logs that others alter; they, clients and the monitor are killed",
        "a bounded log of its own; its end is told whatever its streams do",
        ("attack/test_background: Printing, Files, Ends",),
        "runtime/monitor/background.c, runtime/monitor/programs.c",
    ),
    Shown(
        "forged messages, and a monitor that does not answer",
        "strict forms",
        ("attack/test_monitor: Knocking",),
        "runtime/monitor/messages.c, runtime/monitor/visit.c",
    ),
    Shown(
        "records that a killed monitor leaves, or that mean nothing",
        "a lock, and files that are written before a name leads to them",
        ("attack/test_monitor: Records",),
        "runtime/record/record.c, runtime/monitor/record_keep.c",
    ),
    Shown(
        "a monitor, client, supervisor or glovebox-egress that is killed at any moment; a monitor or client at each fourth of its system calls, in the commands of the test",
        "locks and parent-death signals, which the kernel keeps; files that are replaced",
        ("attack/test_kills: Random, Each",),
        "runtime/monitor/record_keep.c, runtime/record/record_names.c, runtime/inside/identity.c",
    ),
    Shown(
        "a client is killed while it writes what `update` changes in a record",
        "replaced-files",
        ("attack/test_kills: test_an_update_is_whole, test_an_update_is_lost_without_the_layer",),
        "runtime/fs/state_file.c",
    ),
    Shown(
        "two clients at once: one starts what has ended, the other starts, removes or updates it",
        "record-lock",
        ("attack/test_monitor: Locked",),
        "runtime/record/record_remove.c",
    ),
    Shown(
        "another user of the machine reaches for records and sockets, or puts its own in their place",
        "private-dir,peer",
        ("attack/test_others: Others",),
        "runtime/fs/private_dir.c, runtime/fs/state_dir.c, runtime/monitor/visit.c",
    ),
    Shown(
        "cp: names of every byte, tars with every trick, directories that become links",
        "mover has the rights of the sandbox's program inside, and one directory on this machine",
        (
            "attack/test_moving: test_names_with_every_byte, test_tars_of_all_tricks, test_a_sandbox_that_swaps",
            "integration/test_mover: Hostile, Race",
        ),
        "runtime/mover/put.c, runtime/mover/beneath.c, runtime/monitor/copying.c",
    ),
    Shown(
        "a mover of this machine that is broken, or taken over by what a sandbox sends, writes elsewhere",
        "mover-landlock",
        (
            "integration/test_staying_files: test_a_mover_that_is_broken_writes_nowhere_else, "
            "test_a_mover_that_is_broken_writes_anywhere_without_the_layer",
        ),
        "runtime/monitor/copying.c",
    ),
    Shown(
        "a mover is killed in the middle, by the sandbox or on this machine; a client that does not go on",
        "the copy fails, and nobody waits for it",
        ("attack/test_moving: test_movers_that_are_killed_inside, test_the_mover_of_this_machine_is_killed, test_a_client_that_is_stopped",),
        "runtime/monitor/copying.c",
    ),
)
