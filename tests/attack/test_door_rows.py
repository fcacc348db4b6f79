"""Rows of the table of attacks, by programs of a sandbox that stays: pid 1 has confined itself before it starts them."""

import attacks
from door_case import FIRST, DoorRowCase, door_rows

# Layers that pid 1 puts on and not the program, that a program's own steps put on, and some that both inherit.
NAMES = (
    *("socket_vsock", "sys_ptrace", "ns_unshare", "pid1_scheduling", "limit_core_lowered", "file_lease"),
    *("caps_sets", "caps_sets_root", "caps_securebits", "no_new_privs", "write_second_wall", "proc_pid1"),
    *("limit_core", "limit_files", "limit_raise", "limit_timers", "limit_pids"),
    *("inherit_signals", "inherit_umask", "inherit_environment", "inherit_oom_score"),
)
ROWS = door_rows(attacks.TABLE, NAMES)


class FirstTest(DoorRowCase, rows=ROWS):
    """By the first program."""

    line = FIRST


class FurtherTest(DoorRowCase, rows=ROWS):
    """By a further program, through exec."""
