"""Sessions that are frozen: all of one stands still, and nothing of it is lost.

What stands still is the kernel's word, read where it keeps it (frozen()), and for the proof
a file in which a thread and a child process count: it does not grow while that of a session
which runs does.
"""

import contextlib
import errno
import os
import re
import signal
import subprocess
from pathlib import Path

from support.messages import message
from support.processes import GROUPS, groups, is_alive
from support.run import GLOVEBOX, unique
from support.swap import need_swap
from support.times import wait_until
from support.warm import borrowing, close_all, take
from test_sessions import READY, Sessions, Speaker

# A thread, and a child process, that count in files of their own.
COUNT = """
import os, subprocess, sys, threading
CODE = '''
import os, time
n = 0
while True:
    n += 1
    with open(NAME + ".new", "w") as file:
        file.write(str(n))
    os.rename(NAME + ".new", NAME)
    time.sleep(0.002)
'''
thread = threading.Thread(target=exec, args=(CODE, {"NAME": "thread"}), daemon=True)
thread.start()
child = subprocess.Popen([sys.executable, "-c", "NAME = 'child'" + CODE])
"""

# Each process leaves one behind and ends: there is always one that nobody has seen yet.
CHAIN = """
import os
if os.fork() == 0:
    os.setsid()
    while True:
        try:
            if os.fork():
                os._exit(0)
        except BlockingIOError:
            pass  # those that have ended are not reaped yet
"""

FREEZES = 20

SAYS = r"\Afrozen; (no swap on this machine: |\d+ MiB in swap, )\d+ MiB stay in memory\n\Z"


def freezers(supervisor: int) -> list[Path]:
    """Return the groups of a supervisor's cells of which the kernel says that they are frozen."""
    found = []
    for folder in map(Path, groups(supervisor)):
        try:
            if (folder / "freezer.state").exists():
                still = (folder / "freezer.state").read_text() == "FROZEN\n"
            else:
                still = "frozen 1" in (folder / "cgroup.events").read_text().splitlines()
        except OSError as e:
            if e.errno not in (errno.ENOENT, errno.ENODEV):
                raise
            continue  # v1: not the freezer's; or gone meanwhile
        found += [folder] if still else []
    return found


def frozen(supervisor: int) -> list[int]:
    """Return the processes in these groups."""
    found = []
    for folder in freezers(supervisor):
        try:
            found += map(int, (folder / "cgroup.procs").read_text().split())
        except OSError as e:
            if e.errno not in (errno.ENOENT, errno.ENODEV):
                raise
    return found


def switches(pid: int) -> int:
    """Return how often the threads of a process have been given a CPU or left it."""
    texts = [status.read_text() for status in Path("/proc", str(pid), "task").glob("*/status")]
    return sum(int(line.split()[1]) for text in texts for line in text.splitlines() if "ctxt_switches" in line)


class Freezer(Speaker):
    """A test that freezes."""

    def freeze(self, name: str) -> None:
        """Freeze a session."""
        self.assertRegex(self.assert_status(self.session("freeze", name)).out, SAYS)
        self.assertIs(self.listed()[name]["frozen"], True)

    def counting(self) -> str:
        """Return a new session in which both count."""
        name = self.new()
        self.does(name, COUNT)
        self.assertTrue(wait_until(lambda: all(n > 3 for n in self.counts(name))))
        return name

    def counts(self, name: str) -> list[int]:
        """Return how far a session has counted, without its doing."""
        said = [self.session("get", name, file, "-").out for file in ("thread", "child")]
        return [int(text or 0) for text in said]


class Freezing(Sessions, Freezer):
    """freeze and thaw."""

    kernel = True
    as_user = (
        "test_everything_stands_still",
        "test_next_call_thaws_and_state_is_kept",
        "test_checkpoints_are_frozen_and_thawed_with_it",
        "test_rm",
        "test_processes_that_fork_for_ever",
    )

    def setUp(self) -> None:
        """In the end nothing is frozen."""
        super().setUp()
        self.addCleanup(lambda: self.assertTrue(wait_until(lambda: not frozen(self.supervisor))))

    def test_everything_stands_still(self) -> None:
        other, name = self.counting(), self.counting()
        self.freeze(name)
        self.assertEqual(len(frozen(self.supervisor)), 3)  # pid 1, the interpreter, the child
        before, others = [switches(pid) for pid in frozen(self.supervisor)], self.counts(other)
        moved = [n + 50 for n in others]
        self.assertTrue(wait_until(lambda: all(n > m for n, m in zip(self.counts(other), moved))))
        self.assertEqual([switches(pid) for pid in frozen(self.supervisor)], before)
        before = self.counts(name)
        thawed = self.assert_status(self.session("thaw", name))
        self.assertEqual((thawed.out, thawed.err), ("", ""))
        self.assertEqual(frozen(self.supervisor), [])
        self.assertIs(self.listed()[name]["frozen"], False)
        self.assertTrue(wait_until(lambda: all(n > m for n, m in zip(self.counts(name), before))))

    def test_next_call_thaws_and_state_is_kept(self) -> None:
        name = self.counting()
        self.does(name, "kept = 41")
        for _ in range(3):
            self.freeze(name)
            self.assertEqual(self.does(name, "kept + 1, thread.is_alive(), child.poll()"),
                             "(42, True, None)")  # fmt: skip
            self.assertIs(self.listed()[name]["frozen"], False)
            self.assertEqual(frozen(self.supervisor), [])

    def test_checkpoints_are_frozen_and_thawed_with_it(self) -> None:
        name = self.new()
        self.does(name, "n = 1")
        self.assert_status(self.session("checkpoint", name, "one"))
        self.freeze(name)
        self.assertEqual(len(frozen(self.supervisor)), 3)  # pid 1, the interpreter, its checkpoint
        self.assert_status(self.session("checkpoint", name, "two"))
        self.assertIs(self.listed()[name]["frozen"], False)
        self.does(name, "n = 2")
        self.freeze(name)
        self.assertEqual(len(frozen(self.supervisor)), 4)
        self.assert_status(self.session("rollback", name, "one"))
        self.assertIs(self.listed()[name]["frozen"], False)
        self.assertEqual(self.does(name, "n"), "1")

    def test_files_are_reached_and_it_is_frozen_again(self) -> None:
        name = self.counting()
        self.freeze(name)
        self.assert_status(self.session("put", name, "-", "file", stdin=b"text"))
        self.assertEqual(self.session("get", name, "file", "-").out, "text")
        self.assertIn("file ", self.assert_status(self.session("files", name)).out)
        self.assert_status(self.session("put", name, "-", "gone", stdin=b"1"))
        self.assert_status(self.session("delete", name, "gone"))
        self.assertIs(self.listed()[name]["frozen"], True)
        self.assertEqual(len(frozen(self.supervisor)), 3)
        self.assertEqual(self.does(name, "import os; os.path.exists('file'), os.path.exists('gone')"), "(True, False)")

    def test_twice_and_thaw_of_one_that_runs(self) -> None:
        name = self.new()
        self.assert_status(self.session("thaw", name))
        self.freeze(name)
        self.freeze(name)
        for _ in range(2):
            self.assert_status(self.session("thaw", name))
        self.assertEqual(self.does(name, "7"), "7")

    def test_freeze_waits_for_the_call_that_runs(self) -> None:
        name = self.new()
        call = self.begin(name, READY)
        freeze = self.start(
            [GLOVEBOX, "session", "freeze", name],
            env=dict(os.environ, **self.env()),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.assertIs(self.listed()[name]["frozen"], False)
        call.send_signal(signal.SIGINT)
        self.assert_status(self.end(call), 130)
        self.assertRegex(self.assert_status(self.end(freeze)).out, SAYS)
        self.assertIs(self.listed()[name]["frozen"], True)

    def test_rm(self) -> None:
        name = self.counting()
        self.freeze(name)
        pids = frozen(self.supervisor)
        self.assert_status(self.session("rm", name))
        self.assertNotIn(name, self.listed())
        self.assert_ended(*pids)

    def test_rm_comes_back_to_a_freezer_that_is_busy(self) -> None:
        """A process that ends is in its group for a moment: here a group below holds the freezer's meanwhile."""
        name = self.new()
        self.freeze(name)
        pids = frozen(self.supervisor)
        (folder,) = freezers(self.supervisor)
        below = folder / "below"
        below.mkdir()
        try:
            self.assert_status(self.session("rm", name))
            self.assert_ended(*pids)
            for _ in range(10):
                self.listed()  # the supervisor looks at what has ended at each request
        finally:
            below.rmdir()
        left = lambda: [one for one in groups(self.supervisor) if Path(one).name == folder.name]
        self.assertTrue(wait_until(lambda: not left()), left())

    def test_freezer_of_nobody_is_swept(self) -> None:
        """A client that was killed while it froze a session may leave one after the session has been removed."""
        name = self.new()
        self.freeze(name)
        (folder,) = freezers(self.supervisor)
        if not (folder / "freezer.state").exists():
            self.skipTest("cannot: on cgroup v2 a group is its own freezer")
        left = folder.with_name(f"sandbox-{unique()}")
        left.mkdir()
        self.addCleanup(lambda: left.exists() and left.rmdir())

        def swept() -> bool:
            self.run_host("--warm=never", argv=["/bin/true"])
            return not left.exists()

        self.assertTrue(wait_until(swept))
        self.assertEqual(freezers(self.supervisor), [folder])
        self.assertEqual(self.does(name, "7"), "7")

    def test_idle_and_ttl_go_on(self) -> None:
        names = {self.new(f"--{word}", "2s"): message(f"kept_session_why_over#{said}") for word, said in (("idle", "idle"), ("ttl", "reached"))}
        for name in names:
            self.assert_status(self.session("freeze", name))
        pids = frozen(self.supervisor)
        self.assertTrue(wait_until(lambda: not set(names) & set(self.listed())))
        self.assert_ended(*pids)
        for name, why in names.items():
            self.assert_over(name, why)

    def test_client_that_vanishes_while_it_freezes_harms_nobody(self) -> None:
        name = self.new()
        client = self.request(borrowing(name, files=True, freeze=True))
        _, fds = take(client)
        close_all(fds)
        client.close()
        self.assertEqual(self.does(name, "7"), "7")
        self.assertIs(self.listed()[name]["frozen"], False)

    def test_client_that_vanishes_with_the_files_of_a_frozen_one(self) -> None:
        """It may have thawed it: what goes on is listed so, and its sockets are counted."""
        name = self.new()
        self.assert_status(self.session("freeze", name))
        client = self.request(borrowing(name, files=True))
        _, fds = take(client)
        close_all(fds)
        client.close()
        self.assertTrue(wait_until(lambda: not self.listed()[name]["frozen"]))
        self.assertEqual(frozen(self.supervisor), [])
        self.assertEqual(self.does(name, "7"), "7")

    def test_caller_that_vanishes_before_it_thaws_harms_nobody(self) -> None:
        name = self.new()
        self.assert_status(self.session("freeze", name))
        client = self.request(borrowing(name, outlives=True, limit_ms=60_000))
        _, fds = take(client)
        close_all(fds)
        client.close()
        self.assertEqual(self.does(name, "7"), "7")
        self.assertIs(self.listed()[name]["frozen"], False)

    def test_rm_while_a_client_freezes(self) -> None:
        name = self.counting()
        client = self.request(borrowing(name, files=True, freeze=True))
        _, fds = take(client)
        self.assert_status(self.session("rm", name))
        close_all(fds)
        self.assertNotIn(name, self.listed())

    def test_processes_that_fork_for_ever(self) -> None:
        """Either all of them stand still, or it is said that they do not, and they run on."""
        name = self.new("--pids-limit", "8")
        self.does(name, CHAIN)
        for _ in range(FREEZES):
            said = self.session("freeze", name)
            if said.status:
                self.assert_refused(said, message("cgroup_freezer_gather#cannot"))
                self.assertIs(self.listed()[name]["frozen"], False)
            else:
                # pid 1, the interpreter, and a link or two of the chain.
                self.assertGreaterEqual(len(frozen(self.supervisor)), 3)
            self.assertEqual(self.does(name, "7"), "7")

    def test_bad_arguments_are_refused(self) -> None:
        for command in ("freeze", "thaw"):
            self.assert_refused(self.session(command), f"session {command} NAME")
            self.assert_refused(self.session(command, "a", "b"), f"session {command} NAME")
            self.assert_refused(self.session(command, "nobody"), message("client_no_session", "nobody"))

    def test_without_a_freezer(self) -> None:
        """One line with the remedy, and nothing is changed."""
        if os.geteuid() != 0 or (GROUPS / "cgroup.controllers").exists():
            self.skipTest("cannot: only root can unmount the freezers, and v2 always has one")
        name = self.new()
        script = "umount /sys/fs/cgroup/unified /sys/fs/cgroup/freezer 2>/dev/null; exec \"$@\""
        command = ["unshare", "--mount", "sh", "-c", script, "-", GLOVEBOX, "session", "freeze"]
        said = self.end(
            self.start(
                [*command, name],
                env=dict(os.environ, **self.env()),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        )
        self.assert_refused(said, "mount -t cgroup2")
        self.assertEqual(said.err.count("\n"), 1)
        self.assertIs(self.listed()[name]["frozen"], False)
        self.assertEqual(self.does(name, "7"), "7")


class Swapping(Freezer):
    """Memory of what is frozen goes to swap; in our virtual machine we make some."""

    kernel = True
    alone = True  # for all others there is none

    def setUp(self) -> None:
        super().setUp()
        need_swap(self)
        self.start_warm()
        self.name = self.new()

    def test_memory_goes_out_and_comes_back(self) -> None:
        self.does(self.name, "b = bytes(range(256)) * (64 << 12)")
        allowed = self.allowed()
        for _ in range(2):
            said = self.assert_status(self.session("freeze", self.name)).out
            found = re.fullmatch(r"frozen; (\d+) MiB in swap, (\d+) MiB stay in memory\n", said)
            self.assertTrue(found, said)
            self.assertGreaterEqual(int(found[1]), 60)
            self.assertLess(int(found[2]), 10)
        self.assertEqual(self.does(self.name, "b == bytes(range(256)) * (64 << 12)"), "True")
        self.assertEqual(self.allowed(), allowed)

    def test_limit_that_a_killed_client_left_lifted_is_back_before_anything_runs(self) -> None:
        """It dies in cgroup_v2_swap_out(); the next one freezes once more, or calls."""
        for limit in ("0", str(64 << 20), "max"):
            for frozen_again in (False, True):
                self.freeze(self.name)
                file = self.frozen_limit()
                file.write_text(limit if limit == "max" else str(int(limit) + (1 << 62)))
                if frozen_again:
                    self.freeze(self.name)
                    self.assertEqual(file.read_text(), limit + "\n")
                self.assertEqual(self.does(self.name, "1"), "1")
                self.assertEqual(file.read_text(), limit + "\n")

    def frozen_limit(self) -> Path:
        """Return the file that says how much swap what is frozen may have."""
        for group in map(Path, groups(self.status()["pid"])):
            file = group.parent / "memory.swap.max"  # the limits are above the processes
            with contextlib.suppress(OSError):  # gone meanwhile
                if file.exists() and "frozen 1" in (group / "cgroup.events").read_text():
                    return file
        self.skipTest("cannot: on v1 nothing is lifted")

    def allowed(self) -> list[str]:
        """Return how much swap each cell may have."""
        files = ("memory.swap.max", "memory.memsw.limit_in_bytes")
        limited = [g for g in map(Path, groups(self.status()["pid"])) if g.parent.name != g.name]
        paths = [g / f for g in limited for f in files]
        return sorted({path.read_text() for path in paths if path.exists()})


class FrozenEnds(Freezer):
    """The supervisor, or its nursery, ends while a session is frozen."""

    kernel = True
    as_user = True

    def setUp(self) -> None:
        super().setUp()
        self.supervisor = self.start_warm(pool=1)
        self.name = self.counting()
        self.freeze(self.name)
        self.pids = frozen(self.supervisor)
        self.assertEqual(len(self.pids), 3)

    def test_stop(self) -> None:
        self.assert_status(self.warm("stop"))
        self.assert_ended(*self.pids)
        self.assertEqual(groups(self.supervisor), [])

    def test_supervisor_that_is_killed(self) -> None:
        """On v1 what is frozen can only be killed by the next start, which thaws it."""
        os.kill(self.supervisor, signal.SIGKILL)
        self.assertTrue(wait_until(lambda: not is_alive(self.supervisor)))
        self.start_warm()
        self.assert_ended(*self.pids)
        self.assert_no_groups(self.supervisor)
        self.assert_refused(self.call(self.name, "1"), message("client_no_session", self.name))

    def test_nursery_that_is_killed(self) -> None:
        os.kill(self.nursery(self.supervisor), signal.SIGKILL)
        self.assertTrue(wait_until(lambda: self.name not in self.listed()))
        self.assert_ended(*self.pids)
        self.settled()
        self.assertEqual(self.status()["restarts"], 1)
