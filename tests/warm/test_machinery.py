"""Attacks on what makes a warm start: the nursery's leftovers in a cell, other cells, the supervisor.

Scripts are in attacks/; HELD and ESCAPED mean what they mean in tests/attack. Where an attack can
be shown to work in principle, a second test does.
"""

import array
import importlib.util
import json
import os
import resource
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

from given_host import sentinel_process
from support.attack import SCRIPTS, Finished
from support.messages import message
from support.processes import descriptors, is_alive
from support.run import GLOVEBOX
from support.supervisor import Supervisor
from support.times import DEADLINE, wait_until
from support.warm_attack import POOL, WarmCase

HERE = Path(__file__).resolve().parent
ATTACKS = HERE / "attacks"
HOLDERS = HERE / "preloads/held/holders.py"
KEEPER = HERE / "preloads/shared/keeper.py"

SIBLINGS = ("pid", "mnt", "net", "ipc", "uts", "cgroup")  # namespaces that each cell has for itself


def holders() -> ModuleType:
    """Return the preload that holds generators, as it is in this process."""
    spec = importlib.util.spec_from_file_location("holders", HOLDERS)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def copy_program(case: type[unittest.TestCase]) -> Path:
    """Return a folder with a copy of the program, bin/glovebox, and of its guest, which a test may change."""
    top = Path(tempfile.mkdtemp(prefix="copy-"))
    case.addClassCleanup(shutil.rmtree, top, ignore_errors=True)
    top.chmod(0o755)
    program = Path(GLOVEBOX).resolve()
    shutil.copytree(program.parent.parent / "guest", top / "guest")
    (top / "bin").mkdir()
    shutil.copy(program, top / "bin/glovebox")
    return top


def halves(word: str | Path) -> str:
    """Return a word as an attack on memory takes it: two halves, in hexadecimal."""
    text = os.fsencode(word)
    middle = len(text) // 2
    return f"{text[:middle].hex()}:{text[middle:].hex()}"


class MachineryCase(WarmCase):
    """Attacks with the scripts of attacks/."""

    scripts_inside = ATTACKS

    def setUp(self) -> None:
        """In the end nothing that carries our mark lives."""
        super().setUp()
        self.addCleanup(self.assert_gone)

    def finish(self, process: subprocess.Popen[str]) -> Finished:
        """Wait for a run; others with the same mark may live on."""
        stdout, stderr = process.communicate(timeout=DEADLINE)
        return Finished(process.returncode, stdout or "", stderr or "")

    def held(self, script: str, *args: str, flags: tuple[str, ...] = ()) -> Finished:
        """Run an attack, which must be stopped."""
        finished = self.run_inside(*flags, inside=self.command(script, *args))
        self.assertEqual(finished.status, 1, f"not stopped: {finished}")
        self.assertIn("HELD\n", finished.stdout, finished)
        return finished

    def escaped(self, script: str, *args: str) -> Finished:
        """Run an attack on what it planted itself, which must succeed."""
        finished = self.run_inside(inside=self.command(script, *args))
        self.assertEqual(finished.status, 0, f"it finds nothing: {finished}")
        self.assertIn("ESCAPED", finished.stdout, finished)
        return finished

    def on_host(self, script: str, *args: str, **popen: Any) -> Finished:
        """Run a script plainly, as a control."""
        command = [sys.executable, "-B", str(ATTACKS / f"{script}.py"), *args]
        env = dict(os.environ, GLOVEBOX_ATTACK="host")
        done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=DEADLINE, **popen)
        return Finished(done.returncode, done.stdout, done.stderr)

    def start_ready(self, script: str, *args: str, flags: tuple[str, ...] = ()) -> subprocess.Popen[str]:
        """Start a run that says READY; it ends, at the latest, with the test."""
        process = self.start("-i", *flags, inside=self.command(script, *args), stdin=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        said = process.stdout.readline()
        self.assertTrue(said.startswith("READY"), f"{said!r} {process.stderr.read() if not said else ''}")
        return process

    def assert_serves(self, times: int = 1) -> None:
        """Fail unless runs are served warm, within seconds."""
        for _ in range(times):
            process = self.start("--timeout", "10s", inside=["python3", "-c", "print('served')"])
            try:
                said, errors = process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                self.fail(f"nobody is served: {self.supervisor.status()}")
            self.assertEqual((process.returncode, said), (0, "served\n"), errors)


class OwnSupervisorCase(MachineryCase):
    """Each test has a supervisor of its own."""

    popen: dict[str, Any] = {}

    @classmethod
    def setUpClass(cls) -> None:
        """Nothing to share: a WarmCase would start a supervisor here."""
        super(WarmCase, cls).setUpClass()

    def setUp(self) -> None:
        """Start it."""
        self.supervisor = Supervisor(**self.popen)
        self.addCleanup(self.supervisor.stop)
        super().setUp()


class InsideTest(MachineryCase):
    """What a cell has of its nursery."""

    as_user = True

    def test_no_descriptor_is_left(self) -> None:
        self.held("descriptors")
        self.held("descriptors", flags=("-t",))

    def test_a_planted_descriptor_is_found(self) -> None:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            found = self.on_host("descriptors", pass_fds=(theirs.fileno(),)).stdout
        self.assertIn("socket:", found)

    def test_no_shared_memory_is_left(self) -> None:
        self.held("shared")

    def test_planted_shared_memory_is_found(self) -> None:
        self.assertIn("/dev/zero", self.escaped("shared", "plant").stdout)

    def test_no_right_is_left(self) -> None:
        self.held("locked")

    def test_rights_are_seen_outside(self) -> None:
        found = self.on_host("locked").stdout
        for word in ("NoNewPrivs", "Seccomp_filters", *(["CapEff"] if os.geteuid() == 0 else [])):
            self.assertIn(word, found)

    def test_scratch_directories_are_empty_and_not_shared(self) -> None:
        for _ in range(POOL + 2):
            self.held("scratch")

    def test_what_is_left_in_scratch_directories_is_found(self) -> None:
        found = self.escaped("scratch", "again").stdout
        for folder in ("/tmp", "/dev/shm", "/home"):
            self.assertIn(folder, found)

    def test_functions_of_the_machinery_gain_nothing(self) -> None:
        self.held("machinery")

    def test_functions_of_the_machinery_are_found_where_they_are_loaded(self) -> None:
        library = Path(GLOVEBOX).resolve().parent.parent / "guest/cell.so"
        found = self.on_host("machinery", str(library)).stdout
        self.assertIn("found cell_enter cell_forget cell_make python_run", found)

    def test_run_again_sees_nothing_of_the_run_before(self) -> None:
        word = secrets.token_hex(12)
        for _ in range(20):
            self.held("markers", word[:12], word[12:])

    def test_what_a_run_leaves_is_found_in_the_same_cell(self) -> None:
        word = secrets.token_hex(12)
        found = self.escaped("markers", word[:12], word[12:], "again").stdout
        for place in ("memory", "builtins", "modules", "environment", "file", "socket", "process"):
            self.assertIn(place, found)


class KeeperTest(MachineryCase):
    """A preload that keeps what a fork shares."""

    @classmethod
    def make_supervisor(cls) -> Supervisor:
        """Return one whose nursery does not look."""
        top = copy_program(cls)
        shutil.copy(KEEPER, top / "guest")
        nursery = top / "guest/nursery.py"
        text = nursery.read_text()
        looks = "def shared_memory() -> str:\n"
        assert text.count(looks) == 1
        nursery.write_text(text.replace(looks, f"{looks}    return ''\n"))
        return Supervisor("--preload", "keeper", program=str(top / "bin/glovebox"))

    def test_open_files_reach_no_cell(self) -> None:
        self.held("descriptors")

    def test_cells_meet_in_shared_memory_if_it_is_not_refused(self) -> None:
        word = secrets.token_hex(12)
        self.held("shared", word)
        found = self.escaped("shared", word).stdout
        for name in ("/dev/zero", "/memfd:keeper", "/dev/shm/keeper", "/pym-", "/dev/shm/sem."):
            self.assertIn(name, found)

    def test_what_keeps_shared_memory_is_left_out_by_name(self) -> None:
        top = copy_program(type(self))
        shutil.copy(KEEPER, top / "guest")
        supervisor = Supervisor("--preload", "json,keeper", program=str(top / "bin/glovebox"))
        try:
            self.assertRegex(supervisor.status()["left_out"], message("preload#keeps", "keeper: "))
        finally:
            supervisor.stop()


class SecretTest(MachineryCase):
    """What the host knows is not in a cell's memory."""

    as_user = True

    @classmethod
    def make_supervisor(cls) -> Supervisor:
        """Return one whose caller has a secret."""
        cls.secret = f"secret-{secrets.token_hex(12)}"
        return Supervisor(env=dict(os.environ, WARM_SECRET=cls.secret))

    def words(self) -> list[str]:
        """Return what must not be found: paths of the host, secrets of the callers."""
        store = os.environ.get("GLOVEBOX_IMAGES") or "/var/lib/glovebox"
        guest = Path(GLOVEBOX).resolve().parent.parent / "guest"
        paths = (ATTACKS, SCRIPTS, self.dir, self.supervisor.runtime, guest, GLOVEBOX, store)
        return [halves(word) for word in (*paths, self.secret, self.token[::-1])]

    def test_nothing_of_the_host_is_found(self) -> None:
        env = dict(os.environ, CLIENT_SECRET=self.token[::-1])
        data = self.dir / "data"
        data.mkdir()
        flags = ("-v", f"{data}:/data:ro")
        finished = self.run_inside(*flags, inside=self.command("memory", *self.words()), env=env)
        self.assertEqual((finished.status, finished.stdout), (1, "HELD\n"), finished)

    def test_what_is_planted_is_found(self) -> None:
        finished = self.escaped("memory", "plant", *self.words())
        for word in (*(f"word {n}" for n in range(len(self.words()))), "the plan"):
            self.assertIn(word, finished.stdout)


class OthersTest(MachineryCase):
    """Other processes, and cells that live at the same time."""

    as_user = True

    def test_no_process_is_reached(self) -> None:
        ticker = self.start_ready("ticker")
        pids = [self.supervisor.pid, *self.supervisor.nursery(), *self.supervisor.cells()]
        self.held("processes", "1", *map(str, pids))
        said, _ = ticker.communicate("a\n")
        self.assertEqual(said, "still here a\nDONE\n")

    def test_a_process_outside_is_reached_without_a_sandbox(self) -> None:
        with sentinel_process() as (pid, evidence):
            found = self.on_host("processes", str(pid)).stdout
            self.assertIn("HIT", evidence())
        for word in ("process_vm_readv", "kill", "pidfd_getfd", "maps"):
            self.assertIn(word, found)

    def test_namespaces_are_a_cells_own(self) -> None:
        running = [self.start_namespaces() for _ in range(2)]
        first, second = (links for _, links in running)
        nursery = self.supervisor.nursery()[1]
        for name in SIBLINGS:
            outside = os.readlink(f"/proc/{nursery}/ns/{name}"), os.readlink(f"/proc/self/ns/{name}")
            self.assertEqual(len({first[name], second[name], *outside}), 4, name)
        self.assertNotEqual(first["user"], os.readlink("/proc/self/ns/user"))
        for process, _ in running:
            process.communicate()

    def start_namespaces(self) -> tuple[subprocess.Popen[str], dict[str, str]]:
        """Start a cell that lives on and says what its namespaces are."""
        process = self.start("-i", inside=self.command("namespaces"), stdin=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        said = json.loads(process.stdout.readline())
        self.assertTrue(said["child"], "a child's namespaces are not its parent's: no comparison")
        return process, said["links"]

    def test_bombs_take_down_their_own_cell_only(self) -> None:
        ticker = self.start_ready("ticker")
        limits = ("--memory", "64m", "--pids-limit", "40", "--timeout", "2s")
        bombs = [self.start_ready("bomb", name, flags=limits) for name in ("fork", "memory")]
        for number in range(3):
            ticker.stdin.write(f"{number}\n")
            ticker.stdin.flush()
            self.assertEqual(ticker.stdout.readline(), f"still here {number}\n")
            self.assert_serves()
        for bomb in bombs:
            bomb.communicate()
            self.assertIn(bomb.returncode, (124, 137))
        self.assertEqual(ticker.communicate()[0], "DONE\n")


def open_files(soft: int) -> Callable[[], None]:
    """Return what gives a process this limit of descriptors."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


needs_uids = unittest.skipUnless(os.geteuid() == 0, "cannot: an ordinary user's cells have one uid")


class StarvationTest(OwnSupervisorCase):
    """One cell takes all of what the kernel counts per uid; its nursery and others have none.

    As root each cell has a uid of its own. An ordinary user has one, which its cells share.
    """

    popen = {"preexec_fn": open_files(1024)}  # the usual limit, which is lower than a cell's

    def starve(self, thing: str) -> None:
        """Take all of a thing in one cell; others still have some."""
        self.start_ready("starve", thing)
        self.assert_serves(POOL + 2)
        self.held("starve", thing, "victim")

    @needs_uids
    def test_descriptors_in_flight(self) -> None:
        self.starve("in_flight")

    def test_answers_that_are_lost_shift_no_other(self) -> None:
        """Each run after the attack has the deadline that it was given, and no other."""
        hostile = self.start_ready("starve", "in_flight")
        self.assert_serves()
        hostile.communicate()
        late = ["python3", "-c", "import time; time.sleep(2); print('done')"]
        running = [self.start("--timeout", limit, inside=late) for limit in ("1s", "1s", "20s")]
        ended = [(process.communicate(timeout=DEADLINE)[0], process.returncode) for process in running]
        self.assertEqual(ended, [("", 124), ("", 124), ("done\n", 0)])

    def test_pending_signals(self) -> None:
        self.starve("timers")

    @needs_uids
    def test_pipe_buffers(self) -> None:
        self.starve("pipes")


CELLS = 4 * POOL  # at once: more than there are ready


class RandomTest(MachineryCase):
    """Generators that a preload has used already give each cell numbers of its own."""

    @classmethod
    def make_supervisor(cls) -> Supervisor:
        """Return one from a copy of the program, whose guest has a module to preload."""
        top = copy_program(cls)
        shutil.copytree(HERE / "preloads/numpy", top / "guest/numpy")
        shutil.copy(HERE / "attacks/fresh.py", top / "guest/used_before.py")
        shutil.copy(HOLDERS, top / "guest")
        names = "numpy.random,used_before,holders"
        found = Supervisor("--preload", names, program=str(top / "bin/glovebox"))
        cls.addClassCleanup(found.stop)
        return found

    @classmethod
    def setUpClass(cls) -> None:
        """Draw in cells that were parked, and in some that somebody waited for."""
        super().setUpClass()
        case = cls("draw")
        case.setUp()
        with ThreadPoolExecutor(CELLS) as pool:
            cls.drawn = list(pool.map(lambda _: case.draw(), range(CELLS)))
        case.doCleanups()

    def draw(self) -> dict[str, Any]:
        """Return what one cell draws."""
        finished = self.run_inside(inside=self.command("fresh"))
        self.assertEqual(finished.status, 0, finished)
        lines = [json.loads(line) for line in finished.stdout.splitlines()]
        return {"lines": lines} | next(line for line in lines if line["who"] == "__main__")

    def differs(self, name: str) -> bool:
        """Say whether no two cells drew the same."""
        found = [drawn[name] for drawn in self.drawn if name in drawn]
        if not found:
            self.skipTest(f"cannot: this machine has no {name}")
        return len(set(map(str, found))) == len(found)

    def test_what_the_preload_printed_is_not_printed_again(self) -> None:
        self.assertEqual([len(drawn["lines"]) for drawn in self.drawn], [1] * CELLS)

    def drawn_from(self, name: str) -> set[str]:
        """Return what cells drew from one generator of the preloaded module."""
        return {str(drawn["held"][name]) for drawn in self.drawn}

    def test_generators_that_a_preload_holds_are_renewed(self) -> None:
        for name in holders().ANEW:
            with self.subTest(name):
                self.assertEqual(len(self.drawn_from(name)), CELLS)

    def test_generators_with_a_seed_of_their_own_stay(self) -> None:
        preload = holders()
        expected = preload.draw()
        for name in preload.FIXED:
            with self.subTest(name):
                self.assertEqual(self.drawn_from(name), {str(expected[name])})

    def test_the_same_numbers_are_noticed(self) -> None:
        self.assertFalse(self.differs("control"))


def _random_test(name: str) -> Callable[[RandomTest], None]:
    def test(case: RandomTest) -> None:
        case.assertTrue(case.differs(name), f"cells draw the same: {[d[name] for d in case.drawn]}")

    test.__doc__ = f"{name} differs from cell to cell"
    return test


for _name in (
    *("urandom", "random", "instance", "secrets", "uuid4", "uuid1_node", "tempfile", "authkey"),
    *("semaphores", "message_id", "ssl", "sqlite", "numpy", "numpy_rng"),
):
    setattr(RandomTest, f"test_{_name}", _random_test(_name))


class EndTest(MachineryCase):
    """However a program ends, a warm run ends as a cold one; and its cell is gone."""

    ways = (
        *("close_streams", "leave_child", "null_call", "_exit", "exit_big", "exit_text", "abort"),
        *("sigkill", "sigterm", "sigsegv", "exec", "exec_python", "raise", "interrupt"),
    )

    def test_ends_are_those_of_a_cold_run(self) -> None:
        def end(job: tuple[str, str]) -> tuple[int, str]:
            flags = (f"--warm={job[1]}",)
            done = self.run_inside(*flags, inside=self.command("ending", job[0]))
            return done.status, done.stdout

        jobs = [(way, mode) for way in self.ways for mode in ("never", "require")]
        with ThreadPoolExecutor(2) as pool:
            found = dict(zip(jobs, pool.map(end, jobs)))
        for way in self.ways:
            with self.subTest(way=way):
                self.assertEqual(found[way, "require"], found[way, "never"])
        self.assertEqual(found["_exit", "never"], (7, ""))
        self.assertEqual(found["sigkill", "never"][0], 137)

    def test_program_without_end_is_killed(self) -> None:
        process = self.start("--timeout", "1s", inside=self.command("bomb", "fork"))
        start = time.monotonic()
        self.assertEqual(self.finish(process).status, 124)
        self.assertLess(time.monotonic() - start, 30)

    def test_output_without_end_is_cut(self) -> None:
        text = "while True: print('x' * 1_000_000)"
        flags = ("--timeout", "2s", "--output-limit", "1m")
        with open(self.dir / "stdout", "wb") as file:
            process = self.start(*flags, inside=["python3", "-c", text], stdout=file)
            process.communicate(timeout=DEADLINE)
        self.assertEqual(process.returncode, 124)
        self.assertEqual((self.dir / "stdout").stat().st_size, 1 << 20)

    def test_client_killed_takes_its_cell_along(self) -> None:
        before = set(self.supervisor.cells())
        ticker = self.start_ready("ticker")
        program = self.inside()[0]
        groups = self.groups(program)
        self.assertTrue(groups, "the cell has no group of its own")
        ticker.kill()
        ticker.communicate()
        self.assert_gone()
        self.run_inside("--warm=never", inside=["python3", "-c", ""])  # a start removes what was left
        left = wait_until(lambda: not any(group.exists() for group in groups))
        self.assertTrue(left, [str(group) for group in groups])
        self.assertTrue(before, "there was a pool")

    def groups(self, pid: int) -> list[Path]:
        """Return the control groups of a process that are a cell's."""
        found = []
        for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
            path = line.split(":", 2)[2]
            if "cell-" in path:
                found += [top for top in Path("/sys/fs/cgroup").glob(f"*{path}")]
                found += [top for top in [Path(f"/sys/fs/cgroup{path}")] if top.exists()]
        return found


class DeathTest(OwnSupervisorCase):
    """The machinery itself is killed."""

    def assert_unharmed(self, supervisor: Supervisor) -> None:
        """It is harmed on purpose here."""

    def test_nursery_is_killed(self) -> None:
        """Its cells end with it, runs too; the supervisor makes another."""
        ticker = self.start_ready("ticker")
        cells = self.supervisor.cells()
        os.kill(self.supervisor.nursery()[1], signal.SIGKILL)
        self.assertTrue(wait_until(lambda: not any(map(is_alive, cells))), "a cell outlives its nursery")
        ticker.communicate(timeout=DEADLINE)
        self.assertNotEqual(ticker.returncode, 0)
        self.assertTrue(wait_until(self.supervisor.is_full), self.supervisor.status())
        self.assert_serves()

    def test_supervisor_is_killed(self) -> None:
        """Nothing is left, and another one can be started."""
        left = [*self.supervisor.nursery(), *self.supervisor.cells()]
        os.kill(self.supervisor.pid, signal.SIGKILL)
        self.assertTrue(wait_until(lambda: not any(map(is_alive, left))), "a process outlives it")
        self.supervisor.start()
        self.assert_serves()

    def test_idle_supervisor_does_not_end_a_run(self) -> None:
        self.supervisor.stop()
        self.supervisor = Supervisor("--idle-exit", "1s")
        self.addCleanup(self.supervisor.stop)
        finished = self.run_inside(inside=["python3", "-c", "import time; time.sleep(3); print(1)"])
        self.assertEqual((finished.status, finished.stdout), (0, "1\n"), finished)

    def test_stopped_supervisor_can_be_started_at_once(self) -> None:
        env = dict(os.environ, XDG_RUNTIME_DIR=str(self.supervisor.runtime))
        for _ in range(3):
            subprocess.run([GLOVEBOX, "warm", "stop"], env=env, check=True, capture_output=True)
            self.supervisor.start()

    def test_preload_that_fails_leaves_nothing(self) -> None:
        self.supervisor.stop()
        with self.assertRaisesRegex(AssertionError, "preload antigravity_missing"):
            Supervisor("--preload", "antigravity_missing")
        self.supervisor.runtime.mkdir()
        self.supervisor.flags += ("--preload", "antigravity_missing")
        with self.assertRaisesRegex(AssertionError, "preload antigravity_missing"):
            self.supervisor.start()
        self.assertEqual(self.supervisor.status(), {}, "it goes on, although it has failed")


class ClientTest(MachineryCase):
    """Clients of the supervisor's socket: they are trusted, but may not break it."""

    def setUp(self) -> None:
        """Remember what the supervisor has open."""
        super().setUp()
        wait_until(self.supervisor.is_full)
        self.before = self.descriptors()

    def descriptors(self) -> int:
        """Return how many descriptors the supervisor has."""
        return descriptors(self.supervisor.pid)

    def connect(self) -> socket.socket:
        """Return a connection, which is closed in the end."""
        client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(client.close)
        client.settimeout(DEADLINE)
        client.connect(str(self.supervisor.socket))
        return client

    def send(self, text: bytes, fds: int = 0) -> bytes:
        """Send a message on a connection of its own; return the answer."""
        client = self.connect()
        numbers = array.array("i", [0] * fds)
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, numbers)] if fds else []
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        try:
            client.sendmsg([text], rights)
            return client.recv(4096)
        except (ConnectionError, BrokenPipeError):
            return b""
        finally:
            client.close()

    def assert_as_before(self) -> None:
        """Fail unless it serves, and holds no more descriptors than before."""
        self.assert_serves(2)
        wait_until(self.supervisor.is_full)
        wait_until(lambda: self.descriptors() <= self.before, 5)
        self.assertLessEqual(self.descriptors(), self.before, "it keeps descriptors")

    def test_messages_that_are_no_requests(self) -> None:
        key = b'{"op":"cell","key":"' + b"k" * 60_000 + b'"}'
        texts = (
            *(b"{", b"null", b"[]", b'"cell"', b"{}", b'{"op":1}', b'{"op":null}', b'{"op":"no"}'),
            *(b"\0", b"\xff" * 100, b"[" * 60_000, b'{"op":' * 10_000, secrets.token_bytes(4096)),
            *(b'{"op":"cell"}', b'{"op":"cell","key":7}', b'{"op":"cell","key":""}', key),
            b'{"op":"cell","key":"a","key":"\\u0000"}',
        )
        for text in texts:
            answer = self.send(text)
            said = json.loads(answer)["error"]["kind"] if answer else "silent"
            self.assertIn(said, ("silent", "invalid", "unsupported"), (text[:40], answer))
        self.assert_as_before()

    def test_empty_messages(self) -> None:
        for fds in (0, 1, 16, 250):
            self.assertEqual(self.send(b"", fds), b"")
        self.assert_as_before()

    def test_messages_that_are_too_large(self) -> None:
        for size in ((128 << 10) - 1, 128 << 10):
            self.assertIn(b'"invalid"', self.send(b"x" * size))
        for size in ((128 << 10) + 1, 200 << 10):
            self.assertEqual(self.send(b"x" * size), b"")
        self.assert_as_before()

    def test_descriptors_that_nobody_asked_for(self) -> None:
        for fds in (1, 16, 17, 253):
            answer = self.send(b'{"op":"status"}', fds)
            self.assertTrue(not answer or b'"invalid"' in answer, answer)
            self.send(b"nonsense", fds)
        self.assert_as_before()

    def test_second_message_of_one_that_waits(self) -> None:
        """While it waits for a cell, it sends descriptors."""
        first = self.connect()
        key = self.key()
        waiting = [self.connect() for _ in range(8)]
        for client in (first, *waiting):
            client.sendall(json.dumps({"op": "cell", "key": key, "as_caller": False}).encode())
            rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 16))
            try:
                client.sendmsg([b"more"], [rights])
            except BrokenPipeError:
                pass  # it had its cell already
        for client in (first, *waiting):
            client.close()
        self.assert_as_before()

    def key(self) -> str:
        """Return the key of a run, as its own client sends it: listen where it asks."""
        folder = self.dir / "run/glovebox"
        folder.mkdir(parents=True, mode=0o700)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
            server.bind(str(folder / "warm.sock"))
            server.listen()
            server.settimeout(DEADLINE)
            env = dict(os.environ, XDG_RUNTIME_DIR=str(folder.parent))
            command = [GLOVEBOX, "run", "--warm=require", "host", "python3", "-c", ""]
            with subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL) as client:
                with server.accept()[0] as asked:
                    request = json.loads(asked.recv(1 << 18))
                client.wait(DEADLINE)
        return request["key"]

    def test_cells_that_are_taken_and_dropped(self) -> None:
        """Without reading the answer: the cell ends, and there is another."""
        request = json.dumps({"op": "cell", "key": self.key(), "as_caller": False}).encode()
        for _ in range(3 * POOL):
            client = self.connect()
            client.sendall(request)
            client.close()
        self.assert_as_before()

    def test_connections_that_say_nothing(self) -> None:
        clients = [self.connect() for _ in range(200)]
        self.assert_serves(2)
        for client in clients:
            client.close()
        self.assert_as_before()

    def test_more_connections_than_it_may_have_descriptors(self) -> None:
        """They cost time as long as they last, nothing afterwards."""
        self.supervisor = Supervisor(preexec_fn=open_files(100))  # of this test alone
        self.addCleanup(self.supervisor.stop)
        clients = [self.connect() for _ in range(150)]
        for client in clients:
            client.close()
        self.assert_serves(2)
        self.assert_unharmed(self.supervisor)

    def test_another_user_cannot_connect(self) -> None:
        """By permissions; and where these fail, because the supervisor asks who it is."""
        if os.geteuid() != 0 or not shutil.which("setpriv"):
            self.skipTest("cannot: only root can be another user")
        self.assertIn("PermissionError", self.as_another())
        opened = (self.supervisor.socket, self.supervisor.socket.parent, self.supervisor.runtime)
        for path, mode in zip(opened, (0o777, 0o755, 0o755)):
            path.chmod(mode)
        for path in self.supervisor.runtime.parents:
            if not path.stat().st_mode & 0o001:
                self.addCleanup(path.chmod, path.stat().st_mode & 0o7777)
                path.chmod(0o755)
        self.assertEqual(self.as_another().strip(), "b''")
        self.assert_serves_after_closing(opened)

    def assert_serves_after_closing(self, opened: tuple[Path, ...]) -> None:
        """Undo what was opened, and see that the owner is served."""
        for path in opened:
            path.chmod(0o700)
        self.assert_as_before()

    def as_another(self) -> str:
        """Connect as uid 4321 and ask for the status; return what comes."""
        text = (
            "import socket, sys; s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)\n"
            "s.settimeout(20); s.connect(sys.argv[1])\n"
            "try: s.send(b'{\"op\":\"status\"}'); print(s.recv(4096))\n"
            "except ConnectionError: print(b'')"
        )
        ids = ("--reuid", "4321", "--regid", "4321", "--clear-groups")
        command = ["setpriv", *ids, "/usr/bin/python3", "-c", text, str(self.supervisor.socket)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE, cwd="/")
        return done.stdout + done.stderr
