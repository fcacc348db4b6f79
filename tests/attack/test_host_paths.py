"""The host's side of mounts, files and locks, against another user of the host.

Who owns a directory above what is named may exchange names while we look: racer.py does
nothing else. Bounds are numbers of runs and of exchanges. What is mounted for a test is
mounted in a mount namespace that only the test's sandbox starts from.
"""

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import unittest
from collections.abc import Iterator
from pathlib import Path

from support.attack import AttackCase, Finished
from support.run import GLOVEBOX, PYTHON
from support.times import is_slow

RACER = str(Path(__file__).with_name("racer.py"))
IS_ROOT = os.geteuid() == 0
STRANGER = 61234
EXCHANGES = 20_000_000  # more than any test has time for: its racer ends with its input
RUNS = 60


class HostCase(AttackCase):
    """Runs of an ordinary command on a directory that belongs to somebody else, if we are root."""

    program = GLOVEBOX

    def setUp(self) -> None:
        super().setUp()
        self.theirs = self.dir / "theirs"
        self.theirs.mkdir(mode=0o755)
        self.give(self.theirs)

    def give(self, path: Path) -> Path:
        """Make something the stranger's, who without root is ourselves."""
        if IS_ROOT:
            os.chown(path, STRANGER, STRANGER, follow_symlinks=False)
        return path

    @contextlib.contextmanager
    def racing(self, one: str, other: str) -> Iterator[None]:
        """Have two names in their directory exchanged, by the stranger, all the time."""
        uid = str(STRANGER if IS_ROOT else os.geteuid())
        command = [sys.executable, RACER, uid, str(EXCHANGES), str(self.theirs), one, other]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen(command, **pipes) as racer:
            try:
                self.assertEqual(racer.stdout.readline(), b"ready\n")
                yield
            finally:
                racer.stdin.close()
                racer.stdin = None

    def sh(self, *flags: str | Path, script: str, before: str = "", timeout: int = 60) -> Finished:
        """Run a shell script inside; what is mounted by the script `before` only we see."""
        command = [self.program, "run", *map(str, flags), "host", "/bin/sh", "-c", script]
        if before:
            command = ["sh", "-ec", f'{before}\nexec "$@"', "sh", *command]
            if IS_ROOT:
                command = ["unshare", "--mount", *command]
            else:
                own = (os.geteuid(), os.getegid())
                again = ["unshare", f"--map-user={own[0]}", f"--map-group={own[1]}"]
                command[4:4] = again
                command = ["unshare", "--mount", "--map-root-user", *command]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, check=False
        )
        said = (done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))
        return Finished(done.returncode, *said)


class Volumes(HostCase):
    """What is judged is what is mounted."""

    kernel = (
        "test_flipped_link_never_shows_the_hosts_proc",
        "test_kin_of_proc_below_are_refused",
        "test_harmless_mounts_below_are_there",
        "test_what_the_host_mounts_later_does_not_appear",
    )
    as_user = True

    def test_flipped_link_never_shows_the_hosts_proc(self) -> None:
        (self.theirs / "plain").mkdir()
        (self.theirs / "plain/mark").write_text("plain")
        (self.theirs / "link").symlink_to("/proc")
        seen = set()
        with self.racing("plain", "link"):
            for _ in range(RUNS):
                done = self.sh("-v", f"{self.theirs}/plain:/x:ro", script="cd /x && echo *")
                seen.add(done.stdout.strip() if done.status == 0 else "refused")
        self.assertLessEqual(seen, {"mark", "refused"})
        self.assertEqual(len(seen), 2, "there was no race")

    def test_flipped_directory_never_shows_a_mount_that_was_not_looked_at(self) -> None:
        for name in ("plain", "other"):
            (self.theirs / name / "sub").mkdir(parents=True)
        kernels = f"mount --rbind /proc '{self.theirs}/other/sub'\n"
        harmless = f"mount -t tmpfs none '{self.theirs}/plain/sub'\n"
        for before in (kernels, harmless + kernels):
            seen = set()
            with self.subTest(before=before), self.racing("plain", "other"):
                for _ in range(RUNS // 4 if is_slow() else RUNS):
                    script = "[ -e /x/sub/uptime ] && echo proc || echo none"
                    flag = f"{self.theirs}/plain:/x:ro"
                    done = self.sh("-v", flag, script=script, before=before)
                    seen.add(done.stdout.strip() if done.status == 0 else "refused")
                self.assertLessEqual(seen, {"none", "refused"})

    def mounted_below(
        self, name: str, kind: str = "proc", among: str = "", source: str = "."
    ) -> Finished:
        """Run with a volume that has a file system mounted below it."""
        source = self.theirs / source
        point = source / name
        point.mkdir(parents=True, exist_ok=True)
        if not IS_ROOT and kind == "proc":
            among += f"mount --rbind /proc '{point}'"  # nobody else may mount a new one
        else:
            among += f"mount -t {kind} none '{point}'"
        flag = f"--mount=type=bind,readonly,dst=/x,src={source}"
        return self.sh(flag, script=f"ls '/x/{name}'", before=among)

    def test_proc_below_is_refused_whatever_its_name(self) -> None:
        for name in ("proc", "a b", "tab\there", "back\\slash", "line\nfeed", "#x", "a\\040b"):
            for point, source in ((f"{name}/sub", "."), ("sub", name), ("sub", f"{name}/d")):
                with self.subTest(point=point, source=source):
                    done = self.mounted_below(point, source=source)
                    self.assertEqual((done.status, done.stdout), (125, ""), done)
                    self.assertIn("host's proc", done.stderr)

    def test_kin_of_proc_below_are_refused(self) -> None:
        if not IS_ROOT:
            self.skipTest("cannot: only root may mount these")
        for kind in ("sysfs", "devpts", "tracefs", "debugfs", "securityfs", "mqueue", "bpf"):
            with self.subTest(kind=kind):
                if kind not in Path("/proc/filesystems").read_text().split():
                    continue
                done = self.mounted_below(kind, kind)
                self.assertEqual((done.status, done.stdout), (125, ""), done)
                self.assertIn(f"host's {kind}", done.stderr)

    def test_file_of_proc_that_is_mounted_elsewhere_is_refused(self) -> None:
        file = self.theirs / "version"
        file.touch()
        among = f"mount --bind /proc/version '{file}'"
        done = self.sh("-v", f"{file}:/x:ro", script="cat /x", before=among)
        self.assertEqual((done.status, done.stdout), (125, ""), done)
        self.assertIn("host's proc", done.stderr)

    def test_harmless_mounts_below_are_there(self) -> None:
        done = self.mounted_below("a b/sub", "tmpfs", among="")
        self.assertEqual((done.status, done.stdout), (0, ""), done)
        among = f"mount -t tmpfs none '{self.theirs}/a b'; mkdir '{self.theirs}/a b/sub'\n"
        shutil.rmtree(self.theirs / "a b")
        done = self.mounted_below("a b/sub", "tmpfs", among=among)
        self.assertEqual((done.status, done.stdout), (0, ""), done)

    def test_what_the_host_mounts_later_does_not_appear(self) -> None:
        if not IS_ROOT:
            self.skipTest("cannot: only root's mounts could be passed on")
        sub = self.theirs / "sub"
        sub.mkdir()
        script = f"""
mount -t tmpfs none '{self.theirs}'; mount --make-shared '{self.theirs}'; mkdir '{sub}'
(sleep 1; mount -t proc proc '{sub}') &
"""
        done = self.sh(
            "-v", f"{self.theirs}:/x:ro", before=script, script="sleep 2; ls /x/sub | wc -l"
        )
        self.assertEqual((done.status, done.stdout.strip()), (0, "0"), done)


@unittest.skipUnless(IS_ROOT, "cannot: only root gives anything away")
class MissingSources(HostCase):
    """What root makes is not given to somebody else, and nothing of root's is given away."""

    program = str(Path(GLOVEBOX).with_name("docker"))  # which makes what -v lacks

    def assert_kept(self, *flags: str) -> None:
        """Run where a new directory is exchanged for a file of root's as soon as it appears."""
        secret = self.theirs / "secret"
        for _ in range(RUNS):
            new = self.theirs / "new"
            secret.write_text("root's own")
            secret.chmod(0o600)
            with self.racing("new", "secret"):
                self.sh(*flags, script="true")
            for path in (new, secret):
                if path.is_file():
                    self.assertEqual(path.stat().st_uid, 0, "root's file was given away")
            for path in (new, secret):
                if path.is_dir() and not path.is_symlink():
                    path.rmdir()
                else:
                    path.unlink(missing_ok=True)

    def test_volume(self) -> None:
        self.assert_kept("-v", f"{self.theirs}/new:/x:ro")

    def test_output(self) -> None:
        self.assert_kept("--output", f"{self.theirs}/new")

    def test_link_in_the_place_of_a_result_is_not_written_through(self) -> None:
        victim = self.dir / "victim"
        victim.write_text("as it was")
        (self.theirs / "link").symlink_to(victim)
        for flag in ("--result-file", "--cidfile"):
            with self.subTest(flag=flag):
                done = self.sh(flag, self.theirs / "link", script="true")
                self.assertEqual(done.status, 125, done)
                self.assertEqual(victim.read_text(), "as it was")

    def test_nothing_is_made_where_another_user_can_write(self) -> None:
        shared = self.dir / "shared"
        shared.mkdir()
        shared.chmod(0o777)
        for folder in (self.theirs, shared):
            for flags in (["-v", f"{folder}/new:/x:ro"], ["--output", f"{folder}/a/new"]):
                with self.subTest(flags=flags):
                    done = self.sh(*flags, script="true")
                    self.assertEqual(done.status, 125, done)
                    self.assertIn("mkdir", done.stderr)
                    self.assertIn(str(folder), done.stderr)
                    self.assertEqual(os.listdir(folder), [])

    def test_collected_directory_that_is_exchanged(self) -> None:
        """The output directory is somebody else's: its names are exchanged while we write."""
        secret = self.theirs / "secret"
        for _ in range(RUNS):
            secret.mkdir(mode=0o700)
            with self.racing("made", "secret"):
                self.sh("--output", str(self.theirs), script="mkdir /output/made")
            owners = sorted(p.stat().st_uid for p in (secret, self.theirs / "made"))
            for path in (secret, self.theirs / "made"):
                shutil.rmtree(path, ignore_errors=True)
            self.assertEqual(owners, [0, STRANGER], "root's directory was given away")


@unittest.skipUnless(IS_ROOT, "cannot: only an ordinary user against root is another user")
class Locks(HostCase):
    """Nobody keeps root from starting by holding a lock of root's."""

    kernel = True
    RUN = (GLOVEBOX, "run", "--warm=never", "host", "true")

    @contextlib.contextmanager
    def stranger(self, code: str) -> Iterator[None]:
        """Run Python as the stranger; `code` is followed by a wait for the end."""
        ids = f"{STRANGER}, {STRANGER}, {STRANGER}"
        become = f"import os, sys; os.setgroups([]); os.setresuid({ids})"
        text = f"{become}\n{code}\nprint('ready', flush=True); sys.stdin.read()"
        command = [PYTHON, "-c", text]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen(command, **pipes) as process:
            self.assertEqual(process.stdout.readline(), b"ready\n")
            yield
            process.stdin.close()
            process.stdin = None

    def test_control_groups_cannot_be_locked_by_others(self) -> None:
        self.sh(script="true")  # makes the parents
        code = """
import fcntl
held = []
for top, _, _ in os.walk("/sys/fs/cgroup"):
    if "glovebox" in top:
        try:
            held.append(os.open(top, os.O_RDONLY))
            fcntl.flock(held[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            pass
"""
        with self.stranger(code):
            done = self.sh(script="echo ran")
        self.assertEqual((done.status, done.stdout), (0, "ran\n"), done)

    @contextlib.contextmanager
    def own_parents(self) -> Iterator[tuple[dict[str, str], list[str]]]:
        """Parents of control groups for this test alone: the environment that names them, their paths."""
        name = f"glovebox-test-{os.getpid()}"
        env = dict(os.environ, GLOVEBOX_CGROUP=name)
        subprocess.run(self.RUN, env=env, check=True)  # makes the parents
        tops = [top for top, _, _ in os.walk("/sys/fs/cgroup") if top.endswith(f"/{name}")]
        try:
            yield env, tops
        finally:
            for top in tops:
                os.rmdir(top)

    def test_a_lock_of_the_parents_that_is_held_delays_nobody(self) -> None:
        with self.own_parents() as (env, tops), contextlib.ExitStack() as held:
            for top in tops:
                fd = os.open(top, os.O_RDONLY)
                held.callback(os.close, fd)
                fcntl.flock(fd, fcntl.LOCK_EX)
            subprocess.run(self.RUN, env=env, check=True, timeout=4)

    def test_a_group_that_is_swept_before_it_is_locked_is_made_again(self) -> None:
        sweep = """
import fcntl, os, sys
while os.getppid() == int(sys.argv[1]):
    for top in sys.argv[2:]:
        for name in os.listdir(top):
            if not name.startswith("sandbox-"):
                continue
            try:
                fd = os.open(f"{top}/{name}", os.O_RDONLY)
            except OSError:
                continue
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.rmdir(f"{top}/{name}")
            except OSError:
                pass
            os.close(fd)
"""
        with self.own_parents() as (env, tops):
            sweeper = subprocess.Popen([PYTHON, "-c", sweep, str(os.getpid()), *tops])
            try:
                for _ in range(20):
                    subprocess.run(self.RUN, env=env, check=True)
            finally:
                sweeper.kill()
                sweeper.wait()

    def test_id_blocks_cannot_be_taken_by_others(self) -> None:
        code = """
import resource, socket
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
held = []
start = os.getpid()
for number in range(start, start + 3000):
    held.append(socket.socket(socket.AF_UNIX))
    try:
        held[-1].bind(f"\\0glovebox/ids/{number % ((1 << 18) - 1)}")
    except OSError:
        pass
"""
        runtime = self.dir / "run"
        runtime.mkdir(mode=0o700)
        env = dict(os.environ, XDG_RUNTIME_DIR=str(runtime))
        with self.stranger(code):
            start = [GLOVEBOX, "warm", "start", "--image", "host"]
            done = subprocess.run(start, env=env, capture_output=True, check=False, timeout=100)
            subprocess.run([GLOVEBOX, "warm", "stop"], env=env, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


class Leases(HostCase):
    """A lease on a file holds up who opens it, for 45 s, unless he says that he will not wait."""

    def test_files_that_we_read_or_write(self) -> None:
        file = self.dir / "file"
        file.write_text("{}")
        own = os.open(file, os.O_RDWR)
        self.addCleanup(os.close, own)
        ignored = signal.signal(signal.SIGIO, signal.SIG_IGN)
        self.addCleanup(signal.signal, signal.SIGIO, ignored)
        for flags in (
            ["--code", file],
            ["--env-file", file],
            ["--security-opt", f"seccomp={file}"],
            ["--result-file", file],
        ):
            with self.subTest(flags=flags):
                fcntl.fcntl(own, fcntl.F_SETLEASE, fcntl.F_WRLCK)
                done = self.sh(*flags, script="true", timeout=40)
                self.assertEqual(done.status, 125, done)
                self.assertIn(str(file), done.stderr)
                fcntl.fcntl(own, fcntl.F_SETLEASE, fcntl.F_UNLCK)


class Names(HostCase):
    """The lock of --name of an ordinary user without a runtime directory."""

    def test_directory_that_another_user_made_in_tmp(self) -> None:
        if not IS_ROOT:
            self.skipTest("cannot: only root can be two users")
        uid = 58_000 + os.getpid() % 4000
        trap = Path(f"/tmp/glovebox-{uid}")
        trap.mkdir(mode=0o777)
        self.addCleanup(trap.rmdir)
        os.chown(trap, STRANGER, STRANGER)
        home = self.dir / "home"
        home.mkdir()
        os.chown(home, uid, uid)
        drop = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--inh-caps=-all"]
        unlimited = ["--memory=-1", "--pids-limit=-1"]
        command = [*drop, GLOVEBOX, "run", "--name", "n", *unlimited, "host", "/bin/echo", "ran"]
        env = {"PATH": os.environ["PATH"], "HOME": str(home)}
        done = subprocess.run(command, env=env, capture_output=True, check=False, timeout=60)
        self.assertNotIn(b"belongs to another user", done.stderr)
