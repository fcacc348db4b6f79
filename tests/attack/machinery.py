"""machinery - the second table: attacks on what runs, keeps and drives sandboxes.

Each row is one attack from inside, by a program of machinery/, on one target. Always must hold:
every attacked command ends by itself (a call within its --timeout and 2 s of grace), or when
Ctrl-C is pressed, and what it says is a line; all others are served within a second meanwhile;
and when the session has been removed nothing of it is left. Rows say what comes on top of that.

Attacks on runs, terminals, volumes and on the agent have tests of their own
(attacks_elsewhere.MACHINERY).
"""

from dataclasses import dataclass

EXEC = "exec --timeout=2s S 1+1"
SENT = "exec --timeout=2s S @"
EVERY = ("checkpoint S a", EXEC, "rollback S a", "files S", "freeze S", "thaw S", EXEC, "rm S")


@dataclass(frozen=True)
class Machinery:
    """One attack: the steps that prepare it must succeed, the others are attacked.

    S is the session, @ the program. Between the two the word is given, if the program waits for
    it; `pause` is how long it may act before the first attacked command comes.
    """

    name: str
    target: str  # supervisor, driver, rollback, freeze
    threat: str
    program: str
    args: tuple[str, ...]
    attacked: tuple[str, ...]
    prepared: tuple[str, ...] = ("exec S @",)
    word: bool = True
    pause: float = 0
    succeeds: bool = False  # the first attacked command must do what it is for, all the same


LINGER = (
    Machinery(
        "linger_in_an_answer",
        "driver",
        "sockets that linger come with an answer: session exec sleeps in close()",
        "linger",
        ("answer",),
        (EXEC, EXEC, "rm S"),
    ),
    Machinery(
        "linger_in_a_call",
        "driver",
        "they come in the middle of a call that cannot be interrupted",
        "linger",
        ("during",),
        (SENT, EXEC, "rm S"),
        prepared=(),
        word=False,
    ),
    Machinery(
        "linger_in_the_answer_of_a_checkpoint",
        "driver",
        "they come with the answer to session checkpoint",
        "linger",
        ("answer",),
        ("checkpoint S", EXEC, "rm S"),
    ),
    Machinery(
        "linger_in_the_answer_of_a_rollback",
        "rollback",
        "a checkpoint sends them when it is asked to take over",
        "linger",
        ("answer",),
        ("rollback S", EXEC, "rm S"),
        prepared=("exec S @", "checkpoint S"),
    ),
    *(
        Machinery(
            f"linger_between_calls_then_{step.split()[0]}",
            "supervisor",
            f"they lie in the channel when session {step.split()[0]} comes",
            "linger",
            ("unasked",),
            (step, EXEC, "rm S"),
            prepared=("exec S @", "checkpoint S"),
            pause=1,
        )
        for step in (EXEC, "checkpoint S b", "rollback S", "freeze S", "files S", "rm S")
    ),
    Machinery(
        "linger_as_checkpoints",
        "supervisor",
        "the sockets of two checkpoints keep each other from closing: the supervisor sleeps",
        "linger",
        ("checkpoints",),
        ("checkpoint S a", "checkpoint S b", EXEC, "rm S"),
    ),
)

SHARED = (
    Machinery(
        "options_of_what_is_shared",
        "driver",
        "SO_RCVLOWAT and its kin on all that is made for us: poll says yes, a receive sleeps",
        "options",
        ("whole",),
        (EXEC, *EVERY),
        word=False,
    ),
    *(
        Machinery(
            f"options_and_half_an_answer_to_{step.split()[0]}",
            target,
            "the same, and of the answer only two bytes come",
            "options",
            ("half",),
            (step, EXEC, "rm S"),
            prepared=("exec S @", "checkpoint S a"),
        )
        for step, target in (
            (EXEC, "driver"),
            ("checkpoint S b", "driver"),
            ("rollback S a", "rollback"),
        )
    ),
    Machinery(
        "descriptors_that_are_kept",
        "driver",
        "a process left behind has every pipe open: no end of file comes",
        "thief",
        ("hold",),
        (EXEC, *EVERY),
        word=False,
    ),
    Machinery(
        "descriptors_that_are_read_empty",
        "driver",
        "what poll has promised is gone when it is read",
        "thief",
        ("eat",),
        ("exec S @", EXEC, *EVERY),  # its own answer may be eaten, too
        prepared=(),
        word=False,
    ),
)

PROCESSES = (
    *(
        Machinery(
            f"leaderless_processes_then_{step.split()[0]}",
            target,
            f"processes whose first thread has ended, before session {step.split()[0]}",
            "leaderless",
            ("stay",),
            (step, "thaw S", EXEC, "rm S"),
            prepared=("checkpoint S", "exec S @"),
            word=False,
            succeeds=True,
        )
        for step, target in (
            ("freeze S", "freeze"),
            ("rollback S", "rollback"),
            ("rm S", "supervisor"),
        )
    ),
    Machinery(
        "leaderless_interpreter",
        "driver",
        "the interpreter serves from a second thread, its first has ended",
        "leaderless",
        ("worker",),
        (SENT, *EVERY),
        prepared=(),
        word=False,
    ),
    *(
        Machinery(
            f"crowd_{kind}",
            "driver",
            f"a call that does not end when told to: {what}",
            "crowd",
            (kind,),
            (SENT, EXEC, "rm S"),
            prepared=(),
            word=False,
        )
        for kind, what in (
            ("bomb", "forks without end"),
            ("deaf", "ignores every signal"),
            ("stopped", "everybody stopped"),
            ("vfork", "parents in vfork(2)"),
        )
    ),
    *(
        Machinery(
            f"crowd_{kind}_left_behind",
            "freeze",
            f"processes that a call leaves: {what}",
            "crowd",
            (kind, "left"),
            ("freeze S", "thaw S", "checkpoint S a", "rollback S a", "files S", "rm S"),
            word=False,
        )
        for kind, what in (
            ("vfork", "parents in vfork(2)"),
            ("orphans", "children of pid 1, deaf"),
            ("forks", "each has a child and ends"),
            ("bomb", "forks without end"),
        )
    ),
    Machinery(
        "priority_of_pid_1_in_a_call",
        "driver",
        "pid 1 comes last on its CPU: a kill of it alone takes half a minute",
        "priority",
        ("spin",),
        (SENT, EXEC, "rm S"),
        prepared=(),
        word=False,
    ),
    Machinery(
        "priority_of_pid_1_then_rm",
        "supervisor",
        "the same, left behind: who waits for the death of pid 1 stands still",
        "priority",
        ("stay",),
        ("rm S",),
        word=False,
    ),
    Machinery(
        "priority_of_pid_1_then_rollback",
        "rollback",
        "the same, when all but a checkpoint is killed",
        "priority",
        ("stay",),
        ("rollback S", EXEC, "rm S"),
        prepared=("checkpoint S", "exec S @"),
        word=False,
    ),
    Machinery(
        "priority_of_pid_1_then_freeze",
        "freeze",
        "the same, when all of it is to stand still",
        "priority",
        ("stay",),
        ("freeze S", "thaw S", "rm S"),
        word=False,
    ),
)

FILES = tuple(
    Machinery(
        f"{kind}_on_a_file_of_the_workspace",
        "driver",
        f"a {kind} on the file that is asked for holds up the host's open(2)",
        "lease",
        ("/workspace/file", kind, "stay"),
        ("get S file -", "put S /etc/hostname file", "get S file -", "files S", "delete S file",
         EXEC, "rm S"),
        prepared=("put S /etc/hostname file", "exec S @"),
        word=False,
    )
    for kind in ("write", "read", "lock", "watch")
)  # fmt: skip

TABLE = (*LINGER, *SHARED, *PROCESSES, *FILES)

# How an interpreter answers, and the commands that meet it (machinery/chaos.py).
CHAOS = (
    *("never", "wrong_id", "no_id", "odd_id", "wrong_pid", "wrong_types", "twice", "flood"),
    *("with_descriptors", "bytewise", "half", "header", "giant", "large", "garbage", "deep"),
    *("dead", "late", "thread", "closed", "shut", "exchanged", "executed", "suspended"),
    *("crashed", "crowded"),
)
COMMANDS = (EXEC, "checkpoint S b", "rollback S a", "freeze S", "files S", "rm S")

# What a session's code, or a program's, must not be able to do at all: HELD, and without the
# layer ESCAPED. (name, what it is, program, arguments, layer)
INSIDE = (
    ("linger_is_not_to_be_had", "SO_LINGER is granted and does nothing", "waits", ("linger",),
     "seccomp"),
    ("rcvlowat_is_not_to_be_had", "SO_RCVLOWAT is granted and does nothing", "waits", ("lowat",),
     "seccomp"),
    ("pid_1_is_out_of_reach", "scheduling, priority, limits of pid 1", "priority", ("check",),
     "seccomp"),
    ("core_dumps_meet_no_pipe", "RLIMIT_CORE is 1, and stays so", "core", (), "rlimits,seccomp"),
)  # fmt: skip
