"""Hostile code in a session that is branched: it makes the moves itself, so it can make others.

Each attack ends with an error, and the branch dead, or with a branch that is confined. What
holds then is looked at from the host (assert_confined).
"""

import contextlib
import os
import time
from pathlib import Path
from typing import Any

from test_branches import Branches, Branching, pid_inside
from warm import children, groups

from harness import ROOT, Result, execute, wait_until  # isort: skip - found through warm

TESTING = os.environ.get("GLOVEBOX_TESTING", str(ROOT / "build/testing/bin/glovebox"))

# What it finds: the module, the worker's locals, system calls.
HOOKS = """
import ctypes, os, signal, socket, subprocess, sys, threading, time
frame = sys._getframe()
while "moves" not in frame.f_locals: frame = frame.f_back
ours, moves = frame.f_globals, frame.f_locals["moves"]
move, fork, enter, settle = ours["move"], ours["fork"], moves.enter, moves.settle
libc = ctypes.CDLL(None, use_errno=True)
count = 0

def caps():
    return [l.split()[1] for l in open("/proc/self/status") if l.startswith("CapEff")][0]

def drop_all():
    class Header(ctypes.Structure): _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]
    for cap in range(64): libc.prctl(24, cap, 0, 0, 0)
    libc.prctl(47, 4, 0, 0, 0)
    return libc.capset(ctypes.byref(Header(0x20080522, 0)), (ctypes.c_uint32 * 6)())
"""

SKIPS_SETTLE = "moves.settle = lambda root: os.fchdir(root) or libc.chroot(b'.')"
ONLY_SECOND = """
branch = ours["branch"]
def evil(*all):
    global count
    count += 1
    return branch(*all)
ours["branch"] = evil
moves.settle = lambda root: os.fchdir(root) or libc.chroot(b'.') if count == 2 else settle(root)
"""

# name: what it does, what the caller is told
BAD_MOVES = {
    "keeps its capabilities": (SKIPS_SETTLE, "capabilities"),
    "keeps its process group": (
        "moves.settle = lambda root: os.fchdir(root) or libc.chroot(b'.') or drop_all()",
        "process group",
    ),
    "stays outside": ("moves.enter = lambda a: 0\nmoves.settle = lambda root: 0", "own ns/user"),
    "keeps the network of the session": (
        """
def partly(address):
    fds = ctypes.cast(address, ctypes.POINTER(ctypes.c_int))
    for i in (0, 1, 3, 4, 5, 6):
        if libc.setns(fds[i], 0): return -1
    return 0
moves.enter = partly
""",
        "own ns/net",
    ),
    "stays in the process tree of the session": (
        """
def partly(address):
    fds = ctypes.cast(address, ctypes.POINTER(ctypes.c_int))
    for i in range(6):
        if libc.setns(fds[i], 0): return -1
    return 0
moves.enter = partly
moves.settle = lambda root: settle(root)
""",
        "own ns/pid",
    ),
    "does not take its root": (
        "ours['places'].clear()\nours['Saved']._go_back = lambda self: None\n"
        "moves.settle = lambda root: settle(os.open('/', os.O_PATH))",
        "own root",
    ),
    "leaves a process with capabilities": (
        """
def settles(root):
    if fork() == 0:
        time.sleep(60)
        os._exit(0)
    return settle(root)
moves.settle = settles
""",
        "holds 2 processes",
    ),
    "leaves a thread with capabilities": (
        """
def settles(root):
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    return settle(root)
moves.settle = settles
""",
        "capabilities",
    ),
    "hands capabilities from thread to thread": (
        """
def link():
    time.sleep(0.0002)
    threading.Thread(target=link, daemon=True).start()
    drop_all()
    time.sleep(60)
def settles(root):
    threading.Thread(target=link, daemon=True).start()
    return settle(root)
moves.settle = settles
""",
        "",  # the last one may find no room for another, and end: then all is well
    ),
    "is many": (
        """
def settles(root):
    for i in range(40):
        if fork() == 0:
            time.sleep(60)
    return settle(root)
moves.settle = settles
""",
        "processes",
    ),
}

SENDS = "send = ours['send']\n"
DEATHS = {
    "before it says that it is there": "ours['Saved'] = lambda *places: os._exit(1)",
    "when it has said so": SENDS + "ours['send'] = lambda *a: (send(*a), os._exit(1)) if a[1]['id'] == 0 else send(*a)",
    "when it has the descriptors": "moves.enter = lambda a: os._exit(1)",
    "when it has entered": "moves.enter = lambda a: enter(a) or os._exit(1)",
    "before it settles": "moves.settle = lambda root: os._exit(1)",
    "when it has settled": "moves.settle = lambda root: settle(root) or os._exit(1)",
    "before its last word": "moves.reseed = lambda: os._exit(1)",
    "by a signal": "moves.settle = lambda root: os.kill(os.getpid(), 9)",
}

ODD_WORDS = {
    "twice": SENDS + "ours['send'] = lambda c, a, *f: [send(c, a, *f) for _ in range(2 if a['id'] == 0 else 1)]",
    "a flood": SENDS + "ours['send'] = lambda c, a, *f: c.sendall(b'\\xff' * 100000) if a['id'] == 0 else send(c, a, *f)",
    "no JSON": SENDS + "ours['send'] = lambda c, a, *f: c.sendall(b'\\4\\0\\0\\0oops') if a['id'] == 0 else send(c, a, *f)",
    "another pid": SENDS + "ours['send'] = lambda c, a, *f: send(c, {**a, 'pid': 1} if a['id'] == 0 else a, *f)",
    "with descriptors": SENDS + "ours['send'] = lambda c, a, *f: send(c, a, 0, 1, 2)",
}

# The copies tell the session's other processes, and each other, what they have got.
SHARES = """
mine, others = socket.socketpair()
def shares(address):
    fds = list(ctypes.cast(address, ctypes.POINTER(ctypes.c_int))[:7])
    for _ in range(6): socket.send_fds(mine, [b"x"], fds)
    for fd in fds: os.dup(fd)
    return enter(address)
moves.enter = shares
"""
STOLEN = """
def stolen():
    found = [int(n) for n in os.listdir("/proc/self/fd")]
    found = [n for n in found if os.path.exists(f"/proc/self/fd/{n}") and ":[" in os.readlink(f"/proc/self/fd/{n}")]
    others.setblocking(False)
    try:
        while True: found += socket.recv_fds(others, 1, 7)[1]
    except BlockingIOError: pass
    return found
def attack():
    said = [libc.setns(fd, 0) or fd for fd in stolen()]
    return len(said), set(said), caps(), libc.chroot(b"/tmp"), os.fork
"""

# An old process that enters each branch as soon as it can, and puts a child there.
LURKS = """
lurk, tell = socket.socketpair()
if fork() == 0:
    os.setsid()
    for n in range(1, 65): 
        if n not in (9, 19, 32, 33): 
            try: signal.signal(n, signal.SIG_IGN)
            except (OSError, ValueError): pass
    while True:
        fds = socket.recv_fds(lurk, 1, 7)[1]
        if fork() == 0:
            said = libc.setns(fds[0], 0) or libc.setns(fds[6], 0)
            if fork() == 0:
                os.setsid()
                with open("/workspace/wrote", "w") as file: file.write(f"{said} {os.getpid()}")
                os.rename("/workspace/wrote", "/workspace/entered")
                while True: time.sleep(1)
            while True: time.sleep(1)
def lurks(address):
    fds = list(ctypes.cast(address, ctypes.POINTER(ctypes.c_int))[:7])
    socket.send_fds(tell, [b"x"], fds)
    while not os.path.exists("/workspace/entered"): time.sleep(0.01)
    global seen
    seen = open("/workspace/entered").read()
    return enter(address)
moves.enter = lurks
"""

SURVIVES = {
    "a daemon": "if fork() == 0:\n os.setsid()\n if fork(): os._exit(0)\n time.sleep(1000)",
    "one that is stopped": "if fork() == 0:\n os.setsid(); os.kill(os.getpid(), signal.SIGSTOP)",
    "a traced look": "subprocess.Popen(['sleep', '1000'], start_new_session=True)",
    "some that are always new": """
for chain in range(5):
    if fork() == 0:
        os.setsid()
        while True:
            try:
                if fork(): os._exit(0)
            except OSError: pass
""",
}

# Looks for processes of ours that appear beside it, and into their memory: what has the nursery's
# filter only. Copies of itself it may look into.
MIDWIFE = """
if fork() == 0:
    os.setsid()
    found = os.open("/workspace/found", os.O_CREAT | os.O_WRONLY)
    os.write(found, b".")
    me = os.getpid()
    while True:
        for pid in range(me + 1, me + 40):
            try: fd = os.open(f"/proc/{pid}/mem", os.O_RDWR)
            except OSError: continue
            try: lines = open(f"/proc/{pid}/status").read()
            except OSError: lines = ""
            if "Seccomp_filters:\\t1\\n" in lines: os.write(found, b"!")
            os.close(fd)
"""


class Hostile(Branching):
    """Looks from the host."""

    def cells(self, supervisor: int) -> dict[str, list[int]]:
        """Return the processes of each control group, by its name."""
        found = {}
        for group in groups(supervisor):
            with contextlib.suppress(OSError):
                found[Path(group).name] = list(map(int, (Path(group) / "cgroup.procs").read_text().split()))
        return found

    def depth(self, pid: int) -> int:
        """Return how many pid namespaces see a process."""
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{pid}/status").read_text().splitlines():
                if line.startswith("NSpid:"):
                    return len(line.split()) - 1
        return 0

    def strays(self, supervisor: int) -> list[str]:
        """Return what is not as it must be in the branches, and what is alive beside them."""
        wrong = []
        level = self.depth(self.nursery_of(supervisor))
        for name, pids in self.cells(supervisor).items():
            depths = [self.depth(pid) for pid in pids]
            deep = [pid for pid, depth in zip(pids, depths, strict=True) if depth > level + 1]
            if deep and len(pids) > 2:
                wrong.append(f"{name}: {depths}")
            for status in (path for pid in deep for path in Path(f"/proc/{pid}/task").glob("*/status")):
                with contextlib.suppress(OSError):
                    lines = status.read_text().splitlines()
                    wrong += [
                        f"{name}: {line}"
                        for line in lines
                        if line.startswith("Cap") and not line.endswith("\t" + 16 * "0")
                    ]
            if not deep and len(pids) > 2:
                wrong.append(f"{name}: {depths} stay in an old place")
        return wrong

    def nursery_of(self, supervisor: int) -> int:
        """Return the nursery's pid."""
        return next(p for one in children(supervisor) for p in children(one) if pid_inside(p) == 32000)

    def assert_confined(self, supervisor: int) -> None:
        """Assert that no process of a branch has more than it should, and none is left over."""
        self.assertTrue(wait_until(lambda: not self.strays(supervisor), 10), self.strays(supervisor))

    def hostile(self, code: str, *flags: str) -> str:
        """Return a session in which that runs."""
        name = self.branchable(*flags)
        self.does(name, HOOKS + code)
        return name


class Attacks(Branches, Hostile):
    """With the supervisor of the class."""

    def setUp(self) -> None:
        """Have a neighbour, who must not notice anything."""
        super().setUp()
        self.neighbour = self.new()
        self.does(self.neighbour, "n = 'unharmed'")

    def tearDown(self) -> None:
        """See that nothing is wrong with anybody else."""
        self.assertEqual(self.does(self.neighbour, "n"), "'unharmed'")
        self.assert_confined(self.supervisor)
        super().tearDown()

    def assert_told(self, name: str, *words: str, count: int = 1) -> None:
        """Assert that a fork ends with one line that says one of these words."""
        said = self.assert_status(self.fork(name, count), 125)
        self.assertEqual((said.err.count("\n"), said.out), (1, ""), said)
        self.assertRegex(said.err, "|".join(words) or ".")

    def test_bad_moves_end_the_branch(self) -> None:
        for what, (code, told) in BAD_MOVES.items():
            with self.subTest(what):
                name = self.hostile(code)
                if told:
                    self.assert_told(name, told)
                    self.assertNotIn(name, self.listed())  # who had the descriptors goes
                else:
                    self.assertIn(self.fork(name).status, (0, 125))
                self.assert_confined(self.supervisor)
                self.session("rm", *self.listed().keys() - {self.neighbour})

    def test_session_goes_on_in_its_branch_when_another_is_bad(self) -> None:
        name = self.hostile(ONLY_SECOND + "n = 7")
        self.assert_told(name, "capabilities", count=3)
        self.assertEqual(self.does(name, "n, caps()"), f"(7, '{16 * '0'}')")
        self.assertNotIn(f"{name}.1", self.listed())

    def test_death_on_the_way(self) -> None:
        for when, code in DEATHS.items():
            with self.subTest(when):
                began = time.monotonic()
                self.assert_told(self.hostile(code))
                self.assertLess(time.monotonic() - began, 10)

    def test_death_of_the_worker(self) -> None:
        name = self.hostile("ours['fork'] = lambda: os._exit(1)")
        self.assert_told(name, "lost")
        name = self.hostile("def evil():\n fork() or os._exit(0)\n os._exit(1)\nours['fork'] = evil")
        self.assert_told(name, "lost")

    def test_odd_words(self) -> None:
        for what, code in ODD_WORDS.items():
            with self.subTest(what):
                name = self.hostile(code)
                said = self.fork(name)
                self.assertIn(said.status, (0, 125))
                self.assert_confined(self.supervisor)
                for each in said.out.split():
                    self.session("rm", each)

    def test_silence(self) -> None:
        name = self.hostile("moves.settle = lambda root: time.sleep(1000)")
        self.assert_told(name, "does not answer")

    def test_fork_that_raises(self) -> None:
        name = self.hostile("def evil(): raise OSError(11, 'no')\nours['fork'] = evil")
        self.assert_told(name, "cannot be copied")
        self.does(name, "ours['fork'] = fork")
        self.forked(name)

    def test_worker_that_moves_itself(self) -> None:
        name = self.hostile("ours['fork'] = lambda: 0")
        said = self.fork(name)
        self.assertEqual(said.status, 125)

    def test_fork_handlers(self) -> None:
        """They run with what the copy has: nothing, on this side."""
        code = "seen = []\nos.register_at_fork(after_in_child=lambda: seen.append(caps()))"
        name = self.hostile(code)
        (branch,) = self.forked(name)
        self.assertEqual(self.does(branch, "set(seen), caps()")[1:20], f"{{'{16 * '0'}'}}"[:19])

    def test_descriptors_that_were_kept_are_of_no_use(self) -> None:
        name = self.hostile(SHARES + STOLEN)
        first, second = self.forked(name, 2)
        (nested,) = self.forked(first)
        total = 0
        for each in (name, first, second, nested):
            said = self.does(each, "attack()[:4]")
            amount, results, rights, root = eval(said)  # noqa: S307 - numbers of ours
            total += amount
            self.assertLessEqual(results, {-1}, said)
            self.assertEqual((rights, root), (16 * "0", -1))
        self.assertGreater(total, 20)

    def test_old_process_that_entered_dies(self) -> None:
        name = self.hostile(LURKS)
        (branch,) = self.forked(name)
        for each in (name, branch):
            self.assertEqual(self.does(each, "seen.split()[0]"), "'0'")  # it was in
            code = "sorted(int(p) for p in os.listdir('/proc') if p.isdigit())"
            self.assertEqual(self.does(each, f"len({code}) <= 2, caps()"), f"(True, '{16 * '0'}')")
        self.assert_confined(self.supervisor)

    def test_old_processes_do_not_survive(self) -> None:
        for what, code in SURVIVES.items():
            with self.subTest(what):
                name = self.hostile(code)
                said = self.assert_status(self.fork(name))
                self.assert_confined(self.supervisor)
                for each in (name, *said.out.split()):
                    self.session("rm", each)

    def test_bomb_leaves_no_room_for_a_copy(self) -> None:
        bomb = "if fork() == 0:\n while True:\n  try: fork()\n  except OSError: pass"
        name = self.hostile(bomb)
        said = self.fork(name)  # a copy is refused, or was quicker than the bomb
        self.assertIn(said.status, (0, 125))
        self.session("rm", name, *said.out.split())
        self.assert_confined(self.supervisor)

    def test_old_directories_lead_nowhere(self) -> None:
        name = self.hostile("top = os.open('/', os.O_RDONLY); work = os.open('/workspace', os.O_RDONLY); proc = os.open('/proc', os.O_RDONLY); os.chdir('/workspace')")
        before = self.does(name, "sorted(os.listdir('/'))")
        (branch,) = self.forked(name)
        code = """
def up(fd):
    for _ in range(20): fd = os.open("..", os.O_RDONLY, dir_fd=fd)
    return sorted(os.listdir(fd))
"""
        self.does(branch, code)
        for start in ("top", "work", "proc"):
            self.assertEqual(self.does(branch, f"up({start})"), before)
        code = "[n for n in os.listdir(proc) if n.isdigit() and not os.path.samefile(f'/proc/self/fd/{proc}/self', f'/proc/self/fd/{proc}/{n}')]"
        self.assertIn(self.does(branch, code), ("[]",))

    def test_sockets_of_other_networks_give_no_rights(self) -> None:
        code = """
mine, others = socket.socketpair()
def settles(root):
    for _ in range(4): socket.send_fds(mine, [b"x"], [socket.socket(socket.AF_INET).detach()])
    return settle(root)
moves.settle = settles
def attack():
    import fcntl, struct
    said = []
    others.setblocking(False)
    for fd in socket.recv_fds(others, 1, 1)[1]:
        for level, option in ((0, 64), (41, 64), (1, 36), (1, 12), (1, 25), (1, 32)):
            said.append(libc.setsockopt(fd, level, option, struct.pack("10i", *[1] * 10), 40))
        for request in (0x8914, 0x8916, 0x891c, 0x89a0, 0x8922):
            said.append(libc.ioctl(fd, request, struct.pack("16sH22x", b"lo", 0)))
    return said.count(0), len(said) > 5
"""
        name = self.hostile(code)
        for each in (name, *self.forked(name, 2)):
            said = self.does(each, "attack()")
            self.assertIn(said, ("(0, True)", "(1, True)"))  # SO_PRIORITY up to 6 is anybody's

    def test_memory_of_others_is_out_of_reach(self) -> None:
        name = self.hostile("proc = os.open('/proc', os.O_RDONLY)")
        code = """
def reach():
    found = []
    for pid in range(1, 400):
        for folder in ("/proc", f"/proc/self/fd/{proc}"):
            try: os.close(os.open(f"{folder}/{pid}/mem", os.O_RDWR)); found.append((folder[:6], pid))
            except OSError: pass
    return len(found)
"""
        self.does(name, code)
        branches = [name, *self.forked(name, 3)]
        for each in branches:
            self.assertLessEqual(int(self.does(each, "reach()")), 2)  # itself


class Midwife(Hostile):
    """The nursery's processes on their way, which the session's code owns; see branch_making.h."""

    program = TESTING

    def looks(self, omit: str) -> int:
        """Return how often an old process got at the memory of another."""
        self.start_warm()
        flags = {**self.env(), "GLOVEBOX_OMIT": omit}
        name = self.session("new", "--branches", "host", env=flags).out.strip()
        self.does(name, HOOKS + MIDWIFE)
        self.assertTrue(wait_until(lambda: self.does(name, "os.path.exists('/workspace/found')") == "True"))
        self.session("fork", name, "8", env=flags)
        found = self.does(name, "open('/workspace/found').read()")
        self.glovebox("warm", "stop")
        return found.count("!")

    def session(self, *args: str | Path, **options: Any) -> Result:
        """Run `glovebox session` of the testing build."""
        options.setdefault("env", self.env())
        return execute([self.program, "session", *map(str, args)], **options)

    def test_frozen_session_cannot_look(self) -> None:
        self.assertEqual(self.looks("landlock"), 0)

    def test_landlock_keeps_it_from_looking(self) -> None:
        self.assertEqual(self.looks("branch-freeze"), 0)

    def test_without_both_it_can(self) -> None:
        self.assertGreater(self.looks("landlock,branch-freeze"), 0)


STAYS = """
moves.settle = lambda root: drop_all() and libc.setsid() and 0
ours["Saved"].move = lambda self: None
"""


class Unchecked(Hostile):
    """Without the look from outside a branch keeps what it has."""

    program = TESTING

    session = Midwife.session

    def left_where_it_entered(self, omit: str) -> str:
        """Return what a branch sees that takes no root."""
        self.start_warm()
        flags = {**self.env(), "GLOVEBOX_OMIT": omit}
        name = self.session("new", "--branches", "host", env=flags).out.strip()
        self.does(name, HOOKS + STAYS)
        said = self.session("fork", name, env=flags)
        self.assert_status(said)
        return self.does(said.out.strip(), "sorted(os.listdir('/'))")

    def test_landing_is_empty(self) -> None:
        self.assertEqual(self.left_where_it_entered("branch-check,landlock"), "[]")

    def test_without_a_landing_it_sees_the_nursery(self) -> None:
        self.assertIn("'usr'", self.left_where_it_entered("branch-check,landlock,landing"))

    def test_capabilities_stay(self) -> None:
        self.start_warm()
        name = self.hostile(SKIPS_SETTLE)
        said = self.session("fork", name, env={**self.env(), "GLOVEBOX_OMIT": "branch-check"})
        self.assert_status(said)
        self.assertNotEqual(self.does(said.out.strip(), "int(caps(), 16)"), "0")
