"""Binds in warm cells: -v, --code, --workspace and --output look as in a cold start.

A cell never saw the host's mounts: they are cloned outside and handed over, by root itself, for
everybody else by a process that lives a moment (runtime/root/tree.c). So all tests run as who
we are, and when that is root once more as an ordinary user.

Mounts of a test are made in a mount namespace that only its client is in.
"""

import os
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

from support.machine import Before
from support.messages import message, sentence
from support.ordinary_user import Anybody, OrdinaryUser
from support.processes import descriptors
from support.run import OWNER, PYTHON, Result, parallel
from support.times import DEADLINE, wait_until
from support.warm import FROM_A_CELL

LOOK = """
import os
for folder, folders, files in sorted(os.walk('/d')):
    try:
        open(folder + '/new', 'w').close()
        said = 'written'
    except OSError as error:
        said = error.strerror
    print(folder, sorted(files), said)
"""


class Binds(Anybody):
    """As who we are."""

    kernel = (
        "test_writable_and_whose_files_those_are",
        "test_mounts_below_a_read_only_source_are_read_only",
        "test_unbindable_mount_is_as_in_a_cold_start",
    )
    owner = OWNER[0]  # of what a program writes, on the host

    def env(self) -> dict[str, str]:
        """Return the variables of that user; images are the test's own."""
        return super().env() | {"GLOVEBOX_IMAGES": str(self.folder / "images"), "XDG_STATE_HOME": str(self.folder / "state")}

    def among(self, mounts: str, *flags: str | Path, py: str) -> Result:
        """Run a Python text where a shell script has mounted something before."""
        run = [self.program, "run", *map(str, flags), "host", "python3", "-c", py]
        mounted = ["sh", "-ec", f'{mounts}\nexec "$@"', "sh"]
        if self.is_root:
            return self.client("unshare", "--mount", *mounted, *run)
        again = ["unshare", f"--map-user={self.owner}", f"--map-group={self.owner}"]
        return self.client("unshare", "--mount", "--map-root-user", *mounted, *again, *run)

    def both(self, run: Callable[[str], Result]) -> Result:
        """Run something cold and warm, assert that one looks as the other, and return the warm."""
        cold, warm = run("--warm=never"), run("--warm=require")
        same = (cold.status, cold.out, cold.err), (warm.status, warm.out, warm.err)
        self.assertEqual(*same)
        return self.mapped(warm)

    def look(self, *flags: str | Path, py: str = LOOK) -> Result:
        """Run a Python text cold and warm."""
        return self.both(lambda how: self.run_host(how, *flags, argv=["python3", "-c", py]))

    def test_read_only(self) -> None:
        self.start_warm()
        (self.subfolder("d") / "f").touch()
        said = self.look("-v", f"{self.folder}/d:/d:ro")
        self.assert_prints("/d ['f'] Read-only file system", said)
        self.assertEqual(os.listdir(self.folder / "d"), ["f"])

    def test_writable_and_whose_files_those_are(self) -> None:
        self.start_warm()
        data = self.subfolder("d")
        self.assert_prints("/d [] written", self.mapped(self.run_warm("-v", f"{data}:/d", py=LOOK)))
        self.assertEqual([f.name for f in data.iterdir()], ["new"])
        self.assertEqual((data / "new").stat().st_uid, self.owner)
        ours = "import os; print(os.stat('/d/new').st_uid == os.getuid())"
        self.assert_prints("True", self.look("-v", f"{data}:/d", py=ours))

    def test_user_does_not_read_the_callers_private_files(self) -> None:
        self.start_warm()
        data = self.subfolder("d")
        (data / "f").touch(mode=0o600)  # root's, or else the ordinary user's whose sandbox it is
        os.chown(data / "f", *(2 * (0 if self.is_root else self.owner,)))
        look = "import os; print(os.access('/d/f', os.R_OK), os.access('/d', os.R_OK))"
        said = self.look("-u", "1000:1000", "-v", f"{data}:/d:ro", py=look)
        self.assert_prints("False True" if self.is_root else "True True", said)

    def test_single_file_and_code(self) -> None:
        self.start_warm()
        script = self.file("s.py", "import sys; print('ran', sys.argv)")
        script.chmod(0o644)
        for flags in (["-v", f"{script}:/code/script.py:ro"], ["--code", script]):
            argv = ["python3", "/code/script.py"] if flags[0] == "-v" else []
            said = self.both(lambda how: self.run_host(how, *flags, argv=argv))
            self.assert_prints("ran ['/code/script.py']", said)

    def test_code_with_arguments(self) -> None:
        self.start_warm()
        script = self.file("s.py", "import sys; print(sys.argv)")
        script.chmod(0o644)
        said = self.both(lambda how: self.run_host(how, "--code", script, argv=["x", "-c", "1"]))
        self.assert_prints("['/code/script.py', 'x', '-c', '1']", said)

    def test_code_with_a_nul_byte(self) -> None:
        self.start_warm()
        script = self.file("nul.py", "print(1)\n\0print(2)\n")
        script.chmod(0o644)
        for how in ("--warm=require", "--warm=never"):
            self.assert_refused(self.run_host(how, "--code", script, argv=[]), "--code", "NUL")

    def test_workspace_and_output(self) -> None:
        self.start_warm()
        (self.subfolder("in") / "f").write_text("given")
        copy = "open('/output/copy', 'w').write(open('/data/f').read())"
        for number, flag in enumerate(("--output", "-v")):
            out = self.subfolder(f"out{number}")
            where = out if flag == "--output" else f"{out}:/output"
            flags = ["--workspace", self.folder / "in", flag, where, "--json"]
            self.mapped(self.run_warm(*flags, py=copy))
            self.assertEqual((out / "copy").read_text(), "given")
            self.assertEqual((out / "copy").stat().st_uid, self.owner)

    def test_explain_says_warm(self) -> None:
        self.start_warm()
        self.assertEqual(self.explained("-v", f"{self.folder}:/d:ro"), FROM_A_CELL)

    def test_more_mounts_than_a_message_carries_start_cold(self) -> None:
        self.start_warm()
        data = self.subfolder("d")
        flags = [f"-v={data}:/many/{n}:ro" for n in range(200)]
        self.assertEqual(self.explained(*flags), f"cold: {sentence('lease_check#message')}")
        count = "import os; print(len(os.listdir('/many')))"
        self.assert_prints("200", self.run_host(*flags, argv=["python3", "-c", count]))

    def test_inside_each_other(self) -> None:
        self.start_warm()
        for name in ("outer", "outer/sub", "inner"):
            (self.subfolder(name) / f"in_{Path(name).name}").touch()
        flags = ["-v", f"{self.folder}/inner:/d/sub:ro", "-v", f"{self.folder}/outer:/d:ro"]
        self.assertIn("/d/sub ['in_inner']", self.look(*flags).out)

    def test_several_at_once(self) -> None:
        self.start_warm(pool=4)
        for number in range(12):
            (self.subfolder(f"d{number}") / "f").write_text(str(number))

        def one(number: int) -> str:
            flags = ["-v", f"{self.folder}/d{number}:/d:ro"]
            return self.run_warm(*flags, py="print(open('/d/f').read())").out.strip()

        self.assertEqual(parallel(one, range(12)), [str(n) for n in range(12)])

    def test_a_volume_by_name(self) -> None:
        data = self.folder / "state/glovebox/volumes/vol/_data"
        self.start_warm()
        add = "f = open('/d/f', 'a+'); f.write('a'); f.seek(0); print(f.read())"
        for number, how in enumerate(("require", "never", "require"), 1):
            said = self.run_host(f"--warm={how}", "-v", "vol:/d", argv=["python3", "-c", add])
            self.assert_prints(number * "a", self.mapped(said))
        self.assertEqual((data / "f").stat().st_uid, 0 if self.is_root else self.owner)
        wait = "import os, time; os.mkdir('/d/ready')\nwhile not os.path.exists('/d/go'): time.sleep(0.01)"

        def use(first: bool) -> Result:
            if first:
                return self.run_warm("--timeout", str(DEADLINE), "-v", "vol:/d", py=wait)
            wait_until((data / "ready").exists)
            removed = self.glovebox("volume", "rm", "vol")
            (data / "go").touch()
            return removed

        used, removed = parallel(use, (True, False), 2)
        self.assert_status(used)
        self.assertIn("volume is in use", self.assert_status(removed, 125).err)
        self.assert_status(self.glovebox("volume", "rm", "vol"))
        self.assertFalse(data.exists())

    def test_session(self) -> None:
        self.start_warm()
        data = self.subfolder("d")
        (data / "f").write_text("given")
        made = self.mapped(self.glovebox("session", "new", "-v", f"{data}:/d", "host"))
        name = self.assert_status(made).out.strip()
        code = "open('/d/new', 'w').write(open('/d/f').read()); print('ok')"
        self.assert_prints("ok", self.glovebox("session", "exec", name, code))
        self.assertEqual((data / "new").read_text(), "given")
        self.assertEqual((data / "new").stat().st_uid, self.owner)
        self.assert_status(self.glovebox("session", "rm", name))

    def test_nothing_stays(self) -> None:
        supervisor = self.start_warm()
        data = self.subfolder("d")
        machine = Before("mounts")
        self.settled()
        before = descriptors(supervisor)
        fds = "import os; print(os.listdir('/proc/self/fd'))"
        for _ in range(3):
            self.assert_prints("['0', '1', '2', '3']", self.look("-v", f"{data}:/d:ro", py=fds))
            missing = f"--mount=type=bind,src={data}/missing,dst=/d"
            self.assert_refused(self.look(missing), f"{data}/missing")
        self.settled()
        self.assertTrue(wait_until(lambda: descriptors(supervisor) <= before), "it keeps descriptors")
        self.assertEqual(machine.stayed(), {})
        os.rmdir(data)  # nobody has it mounted any more

    # -- sources that need care

    def test_mounts_below_a_read_only_source_are_read_only(self) -> None:
        self.start_warm()
        sub = self.subfolder("d") / "sub"
        sub.mkdir()
        mounts = f"mount -t tmpfs -o mode=777 none {sub}; touch {sub}/below"
        flags = ["-v", f"{self.folder}/d:/d:ro"]
        said = self.both(lambda how: self.among(mounts, how, *flags, py=LOOK))
        wanted = ["/d [] Read-only file system", "/d/sub ['below'] Read-only file system"]
        self.assertEqual(said.out.splitlines(), wanted)

    def test_read_only_mount_below_a_writable_source_stays(self) -> None:
        self.start_warm()
        sub = self.subfolder("d") / "sub"
        sub.mkdir()
        mounts = f"mount -t tmpfs -o mode=777 none {sub}; touch {sub}/below\n"
        mounts += f"mount -o remount,ro,bind {sub}"
        flags = ["-v", f"{self.folder}/d:/d"]
        said = self.mapped(self.among(mounts, "--warm=require", *flags, py=LOOK))
        wanted = ["/d [] written", "/d/sub ['below'] Read-only file system"]
        self.assertEqual(said.out.splitlines(), wanted, said.err)

    def test_unbindable_mount_is_as_in_a_cold_start(self) -> None:
        self.start_warm()
        sub = self.subfolder("d") / "sub"
        sub.mkdir()
        mounts = f"mount -t tmpfs none {sub}; touch {sub}/below; mount --make-unbindable {sub}"
        flags = ["-v", f"{self.folder}/d:/d:ro"]
        said = self.both(lambda how: self.among(mounts, how, *flags, py=LOOK))
        self.assert_status(said)
        self.assertEqual("below" in said.out, not self.is_root)

    def test_kernel_file_systems_below_are_refused(self) -> None:
        self.start_warm()
        sub = self.subfolder("d") / "sub"
        sub.mkdir()
        flags = ["-v", f"{self.folder}/d:/d:ro"]
        mounts = f"mount --rbind /proc {sub}"
        said = self.both(lambda how: self.among(mounts, how, *flags, py=LOOK))
        self.assert_refused(said, str(sub), "proc")
        for source in ("/", "/proc", "/sys/kernel", "/dev"):
            self.assert_refused(self.look("-v", f"{source}:/d:ro"), source)

    def test_source_that_cannot_be_reached(self) -> None:
        if self.is_root:
            self.skipTest("cannot: root reaches everything")
        self.start_warm()
        closed = self.subfolder("closed")
        (closed / "in").mkdir()
        closed.chmod(0)
        self.addCleanup(closed.chmod, 0o700)
        said = self.look("-v", f"{closed}/in:/d:ro")
        self.assert_refused(said, message("mount_source_open#open", f"{closed}/in"), "Permission denied")

    def test_source_that_cannot_be_read(self) -> None:
        self.start_warm()
        closed = self.subfolder("closed")
        closed.chmod(0)
        self.addCleanup(closed.chmod, 0o700)
        said = self.look("-v", f"{closed}:/d:ro", py="import os; os.listdir('/d')")
        self.assertIn("Permission denied: '/d'", said.err)

    # -- images

    def test_file_of_the_host_that_was_replaced_ends_no_run(self) -> None:
        self.start_warm()
        other = self.file("other", "new")
        other.chmod(0o644)
        mounts = f"mount --bind {other} /etc/debian_version"  # another one than the nursery has
        for flags in ([], ["-v", f"{self.folder}:/d:ro"]):
            said = self.among(mounts, "--warm=require", *flags, py="print('ran')")
            self.assert_prints("ran", said)

    def test_image_of_ones_own(self) -> None:
        archive = self.folder / "root.tar"
        _pack_python(archive)
        archive.chmod(0o644)
        self.assert_status(self.glovebox("image", "import", archive, "mine"))
        self.start_warm("--preload", "json", "--trust-image", image="mine")
        (self.subfolder("d") / "f").touch()
        look = "import os, sys; print(os.path.exists('/packed'), os.listdir(sys.argv[1]))"
        for flags, place in (
            ([], "/d"),
            (["-v", f"{self.folder}/d:/d:ro"], "/d"),
            (["-v", f"{self.folder}/d:/opt/x:ro"], "/opt/x"),  # what the image has not
        ):
            argv = [*flags, "mine", "python3", "-c", look, place]
            said = self.both(lambda how: self.glovebox("run", how, *argv))
            self.assert_prints(f"True {['f'] if flags else []}", said)


class BindsOfAnOrdinaryUser(OrdinaryUser, Binds):
    """The same, as a user with control groups of its own."""


def _pack_python(archive: Path) -> None:
    """Write an archive of a root that has this machine's Python and nothing else."""
    left_out = ("test", "dist-packages", "__pycache__", "idlelib", "tkinter", "ensurepip", "config-")
    program = Path(os.path.realpath(PYTHON))
    library = Path("/usr/lib") / program.name
    modules = [str(m) for m in library.glob("lib-dynload/*.so")]
    linked = subprocess.run(["ldd", str(program), *modules], capture_output=True, text=True).stdout
    libraries = {w for w in linked.split() if w.startswith("/lib") and ".so" in w and w[-1] != ":"}

    def choose(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
        return None if Path(entry.name).name.startswith(left_out) else entry

    with tarfile.open(archive, "w", dereference=True) as tar:
        tar.add(program, "usr/bin/python3")
        tar.add(library, str(library)[1:], filter=choose)
        for path in libraries:
            tar.add(path, path[1:])
        for name in ("tmp", "d", "data", "code", "output", "proc", "dev", "sys", "home"):
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(entry)
        tar.addfile(tarfile.TarInfo("packed"))
