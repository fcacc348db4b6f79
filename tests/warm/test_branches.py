"""Branches: what `glovebox session new --branches` and `session fork` promise.

What hostile code may try on the way is in test_branch_attacks.py.
"""

import contextlib
import json
import os
import signal
import subprocess
import time
from pathlib import Path

from test_sessions import OVER, READY, Sessions, Speaker, give_away
from warm import children, groups, is_alive

from harness import (  # isort: skip - found through warm
    GLOVEBOX,
    Result,
    parallel,
    seconds,
    wait_until,
)

OTHERS = "import os; sorted(int(p) for p in os.listdir('/proc') if p.isdigit())"
MEBIBYTE = 1 << 20


def pid_inside(pid: int) -> int:
    """Return the pid that a process has in its innermost namespace; 0 without one."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("NSpid:"):
                return int(line.split()[-1])
    return 0


class Branching(Speaker):
    """A test that makes branches."""

    def branchable(self, *flags: str) -> str:
        """Start a session that may branch, and return its name."""
        return self.new("--branches", *flags)

    def fork(self, name: str, *count: int | str, **options: object) -> Result:
        """Run `session fork`."""
        return self.session("fork", name, *map(str, count), **options)

    def forked(self, name: str, count: int = 1) -> list[str]:
        """Make branches that end with the test, and return their names."""
        names = self.assert_status(self.fork(name, count)).out.split()
        for branch in names:
            self.addCleanup(self.session, "rm", branch)
        self.assertEqual(len(names), count)
        return names

    def assert_alive(self, name: str) -> None:
        """Assert that a session answers."""
        self.assertEqual(self.does(name, "'alive'"), "'alive'")


class Branches(Sessions, Branching):
    """The same, with the supervisor of the class."""


class State(Branches):
    """What goes along, and what does not."""

    def test_names_are_printed_and_listed(self) -> None:
        name = self.branchable()
        self.assertEqual(self.forked(name, 2), [f"{name}.1", f"{name}.2"])
        self.assertEqual(self.forked(name), [f"{name}.3"])
        self.assertEqual(self.forked(f"{name}.2"), [f"{name}.2.1"])
        self.assertEqual(len(self.listed()), 5)

    def test_names_of_branches_that_ended_are_used_again(self) -> None:
        name = self.branchable()
        self.forked(name, 2)
        self.session("rm", f"{name}.1")
        self.assertEqual(self.forked(name, 2), [f"{name}.1", f"{name}.3"])

    def test_variables_continue_and_are_independent(self) -> None:
        name = self.branchable()
        self.does(name, "import json\nn = [1]\ndef f(): return n")
        first, second = self.forked(name, 2)
        self.does(first, "n.append(2)")
        self.does(name, "n.append(3)")
        said = [self.does(each, "f(), json.dumps(n)") for each in (name, first, second)]
        self.assertEqual(said, ["([1, 3], '[1, 3]')", "([1, 2], '[1, 2]')", "([1], '[1]')"])

    def test_last_value_and_cell_numbers_continue(self) -> None:
        name = self.branchable()
        self.does(name, "41")
        (branch,) = self.forked(name)
        self.assertEqual(self.does(branch, "_ + 1"), "42")

    def test_files_continue_and_are_independent(self) -> None:
        name = self.branchable()
        code = """
import os
for place in ("/workspace", "/tmp"):
    os.makedirs(f"{place}/a/b")
    open(f"{place}/a/b/file", "wb").write(bytes(range(256)))
    os.symlink("a/b/file", f"{place}/link")
    os.chmod(f"{place}/a/b/file", 0o640)
    os.chmod(f"{place}/a/b", 0o500)
"""
        look = """
def look(place):
    with open(f"{place}/link", "rb") as file: content = file.read() == bytes(range(256))
    modes = [oct(os.stat(f"{place}/a/b{rest}").st_mode) for rest in ("", "/file")]
    return content, modes, sorted(os.listdir(place))
"""
        self.does(name, code + look)
        first, second = self.forked(name, 2)
        self.does(first, "open('/workspace/mine', 'w').write('1'); os.unlink('/tmp/link')")
        wanted = "(True, ['0o40500', '0o100640'], ['a', 'link'])"
        for branch, place in ((name, "/tmp"), (second, "/tmp"), (second, "/workspace")):
            self.assertEqual(self.does(branch, f"look('{place}')"), wanted)
        self.assertEqual(self.does(first, "os.listdir('/workspace').count('mine')"), "1")

    def test_files_are_reached_from_outside(self) -> None:
        name = self.branchable()
        self.does(name, "open('/workspace/f', 'w').write('before')")
        (branch,) = self.forked(name)
        self.does(branch, "open('/workspace/f', 'a').write(' after')")
        target = self.folder / "f"
        for each, text in ((branch, "before after"), (name, "before")):
            self.assert_status(self.session("get", each, "f", target))
            self.assertEqual(target.read_text(), text)

    def test_open_files_are_copies_at_their_place(self) -> None:
        name = self.branchable()
        self.does(name, "f = open('/workspace/f', 'w+'); f.write('abc'); f.flush(); g = open('/tmp/g', 'a')")
        first, second = self.forked(name, 2)
        self.does(first, "f.write('1'); f.flush(); g.write('1'); g.flush()")
        self.does(second, "f.write('2'); f.flush()")
        texts = [
            self.does(each, "open('/workspace/f').read() + open('/tmp/g').read()")
            for each in (name, first, second)
        ]
        self.assertEqual(texts, ["'abc'", "'abc11'", "'abc2'"])

    def test_current_directory_goes_along(self) -> None:
        name = self.branchable()
        self.does(name, "import os; os.mkdir('/tmp/d'); os.chdir('/tmp/d')")
        (branch,) = self.forked(name)
        self.assertEqual(self.does(branch, "os.getcwd(), os.listdir()"), "('/tmp/d', [])")

    def test_threads_and_subprocesses_end_even_in_the_session(self) -> None:
        name = self.branchable()
        code = """
import subprocess, threading, time
child = subprocess.Popen(["sleep", "100"])
threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
"""
        self.does(name, code)
        (branch,) = self.forked(name)
        for each in (name, branch):
            self.assertEqual(self.does(each, f"{OTHERS}.__len__() <= 2"), "True")
            self.assertEqual(self.does(each, "threading.active_count()"), "1")

    def test_threads_and_subprocesses_can_be_started_anew(self) -> None:
        (branch,) = self.forked(self.branchable())
        code = """
import subprocess
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
with ThreadPoolExecutor(4) as pool: a = list(pool.map(abs, range(4)))
with ProcessPoolExecutor(2) as pool: b = list(pool.map(abs, range(4)))
a == b, subprocess.run(["echo", "x"], capture_output=True).stdout
"""
        self.assertEqual(self.does(branch, code), "(True, b'x\\n')")

    def test_checkpoints_end_and_new_ones_work(self) -> None:
        name = self.branchable()
        self.assert_status(self.session("checkpoint", name, "old"))
        self.does(name, "n = 1")
        (branch,) = self.forked(name)
        self.assertEqual(self.listed()[name]["checkpoints"], 0)
        for each in (name, branch):
            self.assert_refused(self.session("rollback", each, "old"), "no checkpoint")
            self.assert_status(self.session("checkpoint", each, "new"))
            self.does(each, "n = 2; open('/workspace/f', 'w').close()")
            self.assert_status(self.session("rollback", each, "new"))
            self.assertEqual(self.does(each, "import os; n, os.listdir('/workspace')"), "(1, [])")
        (again,) = self.forked(branch)
        self.assertEqual(self.does(again, "n"), "1")

    def test_streams_are_each_ones_own(self) -> None:
        name = self.branchable()
        branches = [name, *self.forked(name, 3)]
        code = "import sys; print('{0}'); print('{0}', file=sys.stderr)"
        for said, each in zip(parallel(lambda b: self.call(b, code.format(b)), branches), branches, strict=True):
            self.assertEqual((said.out, said.err), (f"{each}\n", f"{each}\n"))

    def test_random_numbers_differ_where_they_must(self) -> None:
        name = self.branchable()
        code = "import random, secrets, ssl, uuid, os, tempfile; ssl.RAND_bytes(8); uuid.uuid1(); next(tempfile._get_candidate_names())"
        self.does(name, code)
        draw = "[secrets.token_hex(), ssl.RAND_bytes(16).hex(), str(uuid.uuid4()), str(uuid.uuid1()), os.urandom(16).hex(), random.SystemRandom().random(), next(tempfile._get_candidate_names())]"
        drawn = [json.loads(self.does(each, f"import json; print(json.dumps({draw}))")) for each in (name, *self.forked(name, 8))]
        for of_all in zip(*drawn, strict=True):
            self.assertEqual(len(set(of_all)), len(drawn), of_all)

    def test_seeded_generator_continues_as_after_os_fork(self) -> None:
        """As os.fork() has it: `random` seeds its hidden instance anew, one's own goes on."""
        name = self.branchable()
        self.does(name, "import random; own = random.Random(1); random.seed(1)")
        branches = [name, *self.forked(name, 2)]
        self.assertEqual(len({self.does(each, "own.random()") for each in branches}), 1)
        self.assertEqual(len({self.does(each, "random.random()") for each in branches}), 3)


class CarriedFiles(Branches):
    """What else of /workspace and /tmp goes along, and what does not."""

    def test_modes_times_links_holes_and_pipes(self) -> None:
        name = self.branchable()
        code = """
import os
for place in ("/workspace", "/tmp"):
    os.chdir(place)
    os.mkdir("d"); open("d/x", "w").write("keep"); os.link("d/x", "y"); os.mkfifo("p")
    with open("s", "w") as f: f.truncate(300 << 20)
    os.mkdir("none"); open("none/x", "w").write("x"); os.chmod("none/x", 0)
    for n in ("d/x", "d", "none"): os.utime(n, ns=(1, 123456789))
    os.chmod("d", 0o300); os.chmod("none", 0)
def look(place):
    os.chdir(place); os.chmod("none", 0o700); os.chmod("none/x", 0o600)
    found = [os.lstat(n) for n in ("d/x", "y", "p", "s")]
    files = [(oct(s.st_mode), s.st_nlink, s.st_size, s.st_blocks) for s in found]
    return files, oct(os.stat("d").st_mode), [os.stat(n).st_mtime_ns for n in ("y", "d")], open("none/x").read()
"""
        self.does(name, code)
        (branch,) = self.forked(name)
        said = [self.does(each, f"look('{place}')") for each in (name, branch) for place in ("/workspace", "/tmp")]
        files = "[('0o100644', 2, 4, 8), ('0o100644', 2, 4, 8), ('0o10644', 1, 0, 0), ('0o100644', 1, 314572800, 0)]"
        self.assertEqual(said, [f"({files}, '0o40300', [123456789, 123456789], 'x')"] * 4)

    def test_directories_of_any_depth(self) -> None:
        name = self.branchable()
        code = "import os\nfor i in range(2000): os.mkdir('a' * 20); os.chdir('a' * 20)\nopen('end', 'w').close(); os.chdir('/workspace')"
        self.does(name, code)
        (branch,) = self.forked(name)
        self.assertEqual(self.does(branch, "for i in range(2000): os.chdir('a' * 20)\nos.listdir()"), "['end']")

    def test_current_directory_that_has_no_name(self) -> None:
        name = self.branchable()
        self.does(name, "import os; os.mkdir('sub'); os.chdir('sub'); os.rmdir('/workspace/sub')")
        (branch,) = self.forked(name)
        self.assertEqual(self.does(branch, "os.getcwd()"), "'/workspace'")

    def test_volume_as_tmp_stays_as_it_is(self) -> None:
        volume = self.folder / "volume"
        (volume / "sub").mkdir(parents=True)
        (volume / "sub/f").write_text("ours")
        give_away(volume, *volume.rglob("*"))
        before = [(p, os.lstat(p).st_ino, os.lstat(p).st_ctime_ns) for p in (volume, *volume.rglob("*"))]
        name = self.branchable("-v", f"{volume}:/tmp")
        (branch,) = self.forked(name)
        self.assertEqual(self.does(branch, "open('/tmp/sub/f').read()"), "'ours'")
        after = [(p, os.lstat(p).st_ino, os.lstat(p).st_ctime_ns) for p in (volume, *volume.rglob("*"))]
        self.assertEqual(after, before)

    def test_timeout_of_sockets_is_not_ours(self) -> None:
        name = self.branchable()
        self.does(name, "import socket, time, json; socket.setdefaulttimeout(0.05); json.dumps = json.loads = None")
        (branch,) = self.forked(name)
        for each in (name, branch):
            self.does(each, "time.sleep(0.1)")
            self.assert_alive(each)

    def test_every_place_in_memory_goes_along(self) -> None:
        name = self.branchable("--tmpfs", "/scratch", "--tmpfs", "/scratch/below")
        code = """
import os
places = [os.path.expanduser("~"), "/dev/shm", "/scratch", "/scratch/below"]
files = [open(p + "/f", "w+") for p in places]
"""
        self.does(name, code)
        (branch,) = self.forked(name)
        for each in (name, branch):
            self.does(each, "for f in files: print('mine', end='', file=f, flush=True)")
            self.assertEqual(self.does(each, "[open(p + '/f').read() for p in places]"), str(["mine"] * 4))


class Apart(Branches):
    """Each branch is a sandbox of its own."""

    def test_processes_of_others_are_invisible(self) -> None:
        name = self.branchable()
        branches = [name, *self.forked(name, 2)]
        code = "import subprocess; p = subprocess.Popen(['sleep', '100'])\n" + OTHERS
        for each in branches:
            seen = json.loads(self.does(each, code))
            self.assertLessEqual(len(seen), 3)

    def test_signals_reach_nobody_else(self) -> None:
        name = self.branchable()
        first, second = self.forked(name, 2)
        code = """
import os, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for everybody in (-1, 0):
    try: os.kill(everybody, signal.SIGTERM)
    except ProcessLookupError: pass
for pid in range(2, 33000):
    if pid != os.getpid():
        try: os.kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError): pass
"""
        self.does(first, code)
        for each in (name, first, second):
            self.assert_alive(each)

    def test_network_is_each_ones_own(self) -> None:
        name = self.branchable()
        self.does(name, "import socket, threading")
        first, second = self.forked(name, 2)
        listen = "s = socket.create_server(('127.0.0.1', 5000)); u = socket.socket(socket.AF_UNIX); u.bind('\\0x'); u.listen()"
        self.does(first, listen)
        self.assertEqual(self.does(first, "socket.create_connection(('127.0.0.1', 5000)) is not None"), "True")
        code = """
def tries():
    for family, address in ((socket.AF_INET, ("127.0.0.1", 5000)), (socket.AF_UNIX, "\\0x")):
        try: yield socket.socket(family).connect(address)
        except OSError as e: yield type(e).__name__
list(tries())
"""
        for each in (name, second):
            self.assertEqual(self.does(each, code), "['ConnectionRefusedError', 'ConnectionRefusedError']")
            self.does(each, listen)  # the port is free there

    def test_ids_namespaces_and_capabilities(self) -> None:
        name = self.branchable()
        names = ("user", "mnt", "net", "ipc", "uts", "cgroup", "pid")
        code = f"import os; [os.readlink('/proc/self/ns/' + n) for n in {names}]"
        branches = [name, *self.forked(name, 2)]
        seen = [json.loads(self.does(each, code).replace("'", '"')) for each in branches]
        for kind in zip(*seen, strict=True):
            self.assertEqual(len(set(kind)), 3, kind)
        status = "[l for l in open('/proc/self/status') if l[:3] in ('Cap', 'NoN', 'Sec', 'Uid')]"
        plain = self.does(self.new(), status)
        for each in branches:
            self.assertEqual(self.does(each, status), plain)

    def test_root_is_as_before(self) -> None:
        name = self.branchable()
        code = """
import os
def tree(top):
    return sorted(os.listdir(top)) if os.access(top, os.R_OK) else None
def refused(path):
    try: open(path, "w")
    except OSError as e: return e.errno
[tree(t) for t in ("/", "/etc", "/dev", "/usr/bin")], [refused(p) for p in ("/x", "/etc/x", "/usr/x", "/dev/x")], open("/proc/self/mountinfo").read(), os.uname().nodename
"""
        before = self.does(name, code)
        (branch,) = self.forked(name)
        self.assertEqual(self.does(branch, code), before)
        self.assertEqual(self.does(name, code), before)

    def test_memory_hog_ends_only_its_branch(self) -> None:
        name = self.branchable("--memory", "128m")
        first, second = self.forked(name, 2)
        self.assert_lost(self.call(first, "x = b'x' * (200 << 20)"))
        for each in (name, second):
            self.does(each, "x = b'x' * (60 << 20)")
            self.assert_alive(each)

    def test_process_limit_is_each_ones_own(self) -> None:
        name = self.branchable("--pids-limit", "20")
        branches = [name, *self.forked(name, 2)]
        code = """
import subprocess
held = []
try:
    while len(held) < 50: held.append(subprocess.Popen(["sleep", "100"]))
except BlockingIOError: pass
len(held)
"""
        for each in branches:
            self.assertIn(int(self.does(each, code)), range(14, 20))

    def test_timeout_and_interrupt_work(self) -> None:
        name = self.branchable()
        (branch,) = self.forked(name)
        for each in (name, branch):
            self.assert_status(self.call(each, "while True: pass", "--timeout", "300ms"), 124)
            client = self.begin(each, READY)
            client.send_signal(signal.SIGINT)
            self.assert_status(self.end(client), 130)
            self.assert_alive(each)

    def test_code_that_cannot_be_interrupted_ends_its_branch_alone(self) -> None:
        name = self.branchable()
        (branch,) = self.forked(name)
        code = "import signal\nsignal.signal(2, signal.SIG_IGN)\nwhile True: pass"
        said = self.assert_status(self.call(branch, code, "--timeout", "200ms"), 124)
        self.assertIn("could not be interrupted", said.err)
        self.assert_alive(name)

    def test_exit_of_a_branch_is_noticed(self) -> None:
        name = self.branchable()
        (branch,) = self.forked(name)
        self.assert_lost(self.call(branch, "import os; os._exit(0)"), "has ended")
        self.assert_over(branch, OVER)
        self.assert_lost(self.call(name, "import os; os.kill(os.getpid(), 9)"), "has ended")

    def test_freezing_one_stops_only_that(self) -> None:
        name = self.branchable()
        (branch,) = self.forked(name)
        self.assert_status(self.session("freeze", name))
        self.assert_alive(branch)
        self.assertTrue(self.listed()[name]["frozen"])
        self.assertEqual(self.forked(name), [f"{name}.2"])  # thaws it
        self.assertFalse(self.listed()[name]["frozen"])
        self.assert_alive(name)


class Family(Branches):
    """Generations, many, and the end of some."""

    def test_time_to_live_of_a_branch_does_not_begin_anew(self) -> None:
        name = self.branchable("--ttl", seconds(3))
        wait_until(lambda: self.listed()[name]["age_ms"] > 1000)
        (branch,) = self.forked(name)
        wait_until(lambda: name not in self.listed())
        self.assertTrue(wait_until(lambda: branch not in self.listed(), 0.7), "it lives on")

    def test_generations(self) -> None:
        name = self.branchable()
        self.does(name, "path = []")
        line = [name]
        for generation in range(5):
            line += self.forked(line[-1])
            self.does(line[-1], f"path.append({generation})")
        for length, each in enumerate(line):
            self.assertEqual(self.does(each, "path"), str(list(range(length))))
        self.session("rm", line[1])
        self.session("rm", name)
        for each in line[2:]:
            self.assert_alive(each)

    def test_session_that_branches_again_and_again_keeps_its_state(self) -> None:
        name = self.branchable()
        self.does(name, "n = 0")
        for turn in range(5):
            (branch,) = self.forked(name)
            self.does(name, "n += 1")
            self.assertEqual(self.does(branch, "n"), str(turn))
            self.session("rm", branch)
        self.assertEqual(self.does(name, "n"), "5")

    def test_too_many_generations_are_an_error_and_the_session_lives(self) -> None:
        name = self.branchable()
        for turn in range(40):
            said = self.fork(name)
            if said.status:
                break
            self.session("rm", said.out.strip())
        self.assertIn(turn, range(20, 32), said)
        self.assertEqual(said.err.count("\n"), 1, said)
        self.assertRegex(said.err, "generations")
        self.assert_alive(name)

    def test_eight_and_thirty_two(self) -> None:
        for count in (8, 32):
            name = self.branchable()
            self.does(name, "import os; mine = os.getpid; n = 7")
            branches = self.forked(name, count)
            said = parallel(lambda b: self.does(b, "n"), branches)
            self.assertEqual(set(said), {"7"})
            for each in (name, *branches):
                self.session("rm", each)

    def test_end_of_one_leaves_the_others(self) -> None:
        name = self.branchable()
        first, second, third = self.forked(name, 3)
        self.session("rm", name)
        self.assert_alive(second)
        self.session("rm", first)
        for each in (second, third):
            self.assert_alive(each)
        (child,) = self.forked(second)
        self.session("rm", second)
        self.session("rm", third)
        self.assert_alive(child)

    def test_nothing_stays_of_a_family(self) -> None:
        name = self.branchable()
        (branch, *_) = self.forked(name, 3)
        self.forked(branch)
        for each in self.listed():
            self.session("rm", each)

        def tasks() -> list[int]:
            nursery_init = children(self.supervisor)[0]
            return children(nursery_init)[1 + self.settled()["pool"] :]

        self.assertTrue(wait_until(lambda: not tasks()), tasks())
        self.assertTrue(wait_until(lambda: self.status()["running"] == 0))
        self.assert_pool_groups_only()

    def assert_pool_groups_only(self) -> None:
        """Assert that the cells that wait have the only control groups."""
        pool = self.settled()["pool"]

        def names() -> set[str]:
            return {Path(group).name for group in groups(self.supervisor)}

        if not wait_until(lambda: len(names()) <= pool, 5):
            self.run_host("--warm=never", argv=["/bin/true"])  # sweeps
        self.assertTrue(wait_until(lambda: len(names()) <= pool), names())


class Refused(Branches):
    """What cannot be done is said in one line, and the session lives."""

    def refused(self, said: Result, *words: str) -> None:
        self.assert_refused(said, *words)
        self.assertEqual(said.err.count("\n"), 1, said.err)

    def test_switch_that_is_off(self) -> None:
        name = self.new("--branches=false")
        self.refused(self.fork(name), "--branches")
        self.assert_refused(self.session("new", "--branches=no", "host"), "--branches", "no")

    def test_session_without_branches(self) -> None:
        name = self.new()
        self.refused(self.fork(name), "session new --branches")
        self.assert_alive(name)
        self.assertEqual(list(self.listed()), [name])

    def test_counts(self) -> None:
        name = self.branchable()
        for count in ("0", "65", "-1", "x", "1.5", "", "99999999999999999999"):
            self.refused(self.fork(name, count), "COUNT")
        self.assert_status(self.session("fork"), 125)
        self.assert_status(self.session("fork", name, "1", "2"), 125)
        self.assert_alive(name)

    def test_unknown_name(self) -> None:
        self.refused(self.fork("nobody"), "no session nobody")

    def test_name_that_is_too_long(self) -> None:
        name = self.branchable("--name", "n" * 60)
        self.refused(self.fork(name), "too long a name")
        self.assert_alive(name)

    def test_mount_below_tmp(self) -> None:
        volume = f"{self.folder}:/tmp/data"
        said = self.session("new", "--branches", "-v", volume, "host")
        self.refused(said, "--branches", "mount it elsewhere")
        name = self.branchable("-v", f"{self.folder}:/data")
        (self.folder / "f").write_text("ours")
        (branch,) = self.forked(name)
        self.assertEqual(self.does(branch, "open('/data/f').read()"), "'ours'")

    def test_volume_stays_read_only(self) -> None:
        name = self.branchable("-v", f"{self.folder}:/data:ro")
        (branch,) = self.forked(name)
        self.assertIn("Read-only", self.call(branch, "open('/data/x', 'w')").err)

    def test_no_process_for_a_copy(self) -> None:
        name = self.branchable("--pids-limit", "10")
        self.does(name, "import subprocess\nheld = []\nn = 1")
        hog = """
try:
    while True: held.append(subprocess.Popen(["sleep", "100"]))
except BlockingIOError: pass
"""
        self.does(name, hog)
        self.refused(self.fork(name), "cannot be copied")
        self.assertEqual(self.does(name, "n, held[0].poll()"), "(1, None)")
        self.does(name, "for p in held: p.kill(), p.wait()")
        self.forked(name)

    def test_no_memory_for_a_copy(self) -> None:
        name = self.branchable("--memory", "160m")
        self.does(name, "open('/workspace/big', 'wb').write(bytes(100 << 20)); n = 1")
        said = self.fork(name)
        self.refused(said, "memory")
        self.assertEqual(self.does(name, "n"), "1")
        self.does(name, "import os; os.unlink('/workspace/big')")
        self.forked(name)

    def test_no_descriptor_for_a_copy(self) -> None:
        name = self.branchable()
        self.does(name, "held = []\ntry:\n  while True: held.append(open('/dev/null'))\nexcept OSError: pass")
        for _ in range(4):
            self.refused(self.fork(name), "Too many open files")
            self.assert_alive(name)
            self.does(name, "held.pop().close()")
        self.does(name, "del held[-20:]")
        self.forked(name)

    def test_ctrl_c_waits_for_the_end(self) -> None:
        name = self.branchable()
        self.does(name, "import os, time; os.register_at_fork(before=lambda: time.sleep(0.5))")
        client = self.start([GLOVEBOX, "session", "fork", name], env=dict(os.environ, **self.env()),
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
        self.assertTrue(wait_until(lambda: self.listed()[name]["busy"]))
        time.sleep(0.1)  # it has the session, and waits for the copy
        client.send_signal(signal.SIGINT)
        said = self.assert_status(self.end(client))
        for each in (name, said.out.strip()):
            self.assert_alive(each)
            self.session("rm", each)

    def test_busy_session_is_waited_for(self) -> None:
        name = self.branchable()
        client = self.begin(name, "import time; print('ready', flush=True); time.sleep(0.5); n = 5")
        (branch,) = self.forked(name)
        self.assert_status(self.end(client))
        self.assertEqual(self.does(branch, "n"), "5")


class Killed(Branching):
    """Somebody dies on the way. Each test has a supervisor of its own."""

    def setUp(self) -> None:
        super().setUp()
        self.supervisor = self.start_warm()

    def nursery(self, supervisor: int) -> int:
        """Return the nursery's pid: the Python, by its number inside (inside/init.c)."""

        def found() -> list[int]:
            init = children(supervisor)
            return [p for one in init for p in children(one) if pid_inside(p) == 32000]

        return wait_until(found)[0]

    def leftovers(self, name: str) -> list[str]:
        """Return the sessions that answer; those of whom the table knows do."""
        names = list(self.listed())
        for each in names:
            self.assert_alive(each)
            self.session("rm", each)
        return names

    def test_client_killed_in_the_middle(self) -> None:
        for delay in (step * 0.008 for step in range(16)):
            name = self.branchable()
            command = [GLOVEBOX, "session", "fork", name, "4"]
            client = subprocess.Popen(command, env=dict(os.environ, **self.env()), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(delay)
            client.kill()
            client.wait()
            wait_until(lambda: not any(one["busy"] for one in self.listed().values()))
            self.leftovers(name)
        self.settled()
        self.assertEqual(self.status()["restarts"], 0)
        self.assertTrue(wait_until(lambda: self.status()["running"] == 0))
        init = children(self.supervisor)[0]
        self.assertTrue(wait_until(lambda: len(children(init)) <= 1 + self.settled()["pool"]))

    def test_nursery_killed_in_the_middle(self) -> None:
        for delay in (0.0, 0.01, 0.03, 0.06, 0.1):
            name = self.branchable()
            nursery = self.nursery(self.supervisor)
            client = subprocess.Popen([GLOVEBOX, "session", "fork", name, "8"], env=dict(os.environ, **self.env()), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            time.sleep(delay)
            os.kill(nursery, signal.SIGKILL)
            out, err = client.communicate(timeout=60)
            if client.returncode:
                self.assertEqual(err.count(b"\n"), 1, err)
            self.assertTrue(wait_until(lambda: self.nursery(self.supervisor) != nursery))
            self.settled()
            self.assertTrue(wait_until(lambda: not self.listed()))

    def test_supervisor_killed_in_the_middle(self) -> None:
        for delay in (0.0, 0.02, 0.05):
            name = self.branchable()
            init = children(self.supervisor)
            command = [GLOVEBOX, "session", "fork", name, "8"]
            pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
            client = subprocess.Popen(command, env=dict(os.environ, **self.env()), **pipes)
            time.sleep(delay)
            os.kill(self.supervisor, signal.SIGKILL)
            client.communicate(timeout=60)
            self.assert_ended(*init)
            killed, self.supervisor = self.supervisor, self.start_warm()
            self.assert_no_groups(killed)  # the next start sweeps them

    def test_end_of_the_supervisor_ends_all(self) -> None:
        name = self.branchable()
        (branch,) = self.forked(name)
        (grandchild,) = self.forked(branch)
        inits = [p for pid1 in children(self.supervisor) for p in children(pid1)]
        self.assert_status(self.warm("stop"))
        self.assert_ended(self.supervisor, *inits)
        self.assertFalse(any(is_alive(pid) for pid in inits))
        self.assert_no_groups(self.supervisor)
