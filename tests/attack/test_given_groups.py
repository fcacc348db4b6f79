"""What `glovebox setup user` gives on cgroup v1, against the user to whom it is given.

Two shapes: in the user's slice, where systemd runs, and at the top of each hierarchy. Both are made
here by the very commands of setup, for a user who is nobody. With the layer left out every file of
the group is the user's, as an earlier glovebox gave it, and each attack succeeds.
"""

import contextlib
import errno
import fcntl
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path

import rootless
from rootless import CGROUPS, CONTROLLERS
from support.case import Case
from support.run import GLOVEBOX, IS_ROOT, Result, execute

UID = 3_000_000 + os.getpid()  # nobody's, and no other run's
PYTHON = "/usr/bin/python3"
MEMORY = 64 << 20
IS_V1 = not (CGROUPS / "cgroup.controllers").exists()

# Opens each file for writing, makes a directory in each directory, and prints what worked.
TRY_EVERYTHING = """
import json, os, sys
done = []
for top in sys.argv[1:]:
    for folder, _, files in os.walk(top):
        for name in files:
            path = os.path.join(folder, name)
            try:
                os.chmod(path, 0o666)
                done.append(path)
            except OSError:
                pass
            try:
                os.close(os.open(path, os.O_WRONLY))
                done.append(path)
            except OSError:
                pass
        path = os.path.join(folder, "mine")
        try:
            os.mkdir(path)
            os.rmdir(path)
            done.append(path)
        except OSError:
            pass
print(json.dumps(sorted(set(done))))
"""

# Moves itself to each group, and uses as much memory as is asked for.
MOVE_AND_USE = """
import sys
for path in sys.argv[2:]:
    open(path + "/tasks", "w").write("0")
memory = bytearray(int(sys.argv[1]))
memory[::4096] = b"x" * len(memory[::4096])
print("used")
"""

# Makes empty groups until it may not; prints how many, and the error's number.
MAKE_GROUPS = """
import os, sys
made, error = 0, 0
try:
    while made < int(sys.argv[1]):
        os.mkdir(f"{sys.argv[2]}/{made}")
        made += 1
except OSError as refused:
    error = refused.errno
print(made, error)
"""


@contextlib.contextmanager
def alone_in_user_slice() -> Iterator[None]:
    """Let no other test remove user.slice while one makes a group in there."""
    directory = os.open(CGROUPS, os.O_RDONLY)
    try:
        fcntl.flock(directory, fcntl.LOCK_EX)
        yield
    finally:
        os.close(directory)


@unittest.skipUnless(IS_ROOT, "cannot: only root can give groups to another user")
@unittest.skipUnless(IS_V1, "cannot: cgroup v2 delegates without a limit of the group's own")
class Given(Case):
    """A user's groups as setup's own commands make them."""

    def setUp(self) -> None:
        super().setUp()
        self.tops = {c: CGROUPS / c / f"glovebox-{UID}" for c in CONTROLLERS if (CGROUPS / c / "tasks").exists()}
        for top in self.tops.values():
            self.addCleanup(rootless._remove, top)

    def planned(self) -> str:
        """What setup would do where systemd does not run."""
        if Path("/run/systemd/system").exists():
            self.skipTest("cannot: where systemd runs the groups lie in a slice")
        return self.assert_status(execute([GLOVEBOX, "setup", "user", str(UID), "--dry-run"])).out

    def give(self) -> None:
        """Perform only what is about these groups."""
        lines = self.planned().splitlines()
        self.perform([line.split(maxsplit=1)[1] for line in lines if line.startswith("    run ")])

    def give_in_slice(self) -> Path:
        """Perform what systemd would at the start of the user's own; return the slice of memory."""
        root = Path(tempfile.mkdtemp(dir=self.folder))
        root.chmod(0o755)
        (root / "etc").mkdir(mode=0o755)
        (root / "etc/passwd").write_text(f"ada:x:{UID}:{UID}::/:/bin/sh\n")
        execute([GLOVEBOX, "setup", "user", str(UID), "--root", str(root), "--layout", "v1"])
        unit = root / f"etc/systemd/system/user@{UID}.service.d/glovebox.conf"
        name = f"user.slice/user-{UID}.slice"
        self.addCleanup(self.remove_slices, [CGROUPS / c / name for c in CONTROLLERS])
        with alone_in_user_slice():
            lines = unit.read_text().splitlines()
            self.perform([line.split("-+", 1)[1] for line in lines if line.startswith("ExecStartPre=")])
        for controller, top in self.tops.items():
            if controller != "cpuset":
                self.tops[controller] = CGROUPS / controller / name / f"user@{UID}.service/glovebox"
        return CGROUPS / "memory" / name

    def remove_slices(self, groups: list[Path]) -> None:
        """Remove them, and user.slice where nothing else is in it and no systemd is its owner."""
        with alone_in_user_slice():
            for group in groups:
                rootless._remove(group)
                if not Path("/run/systemd/system").exists():
                    with contextlib.suppress(OSError):
                        group.parent.rmdir()

    def perform(self, commands: list[str]) -> None:
        """Perform commands, all of whose paths must be below the control groups."""
        done = [words for words in map(shlex.split, commands) if words[0] in ("mkdir", "chown", "cp", "rmdir")]
        self.assertTrue(done, commands)
        for words in done:
            for word in words[1:]:
                self.assertTrue(word.startswith(f"{CGROUPS}/") or "/" not in word, words)
            subprocess.run(words, check=True)

    def give_knobs(self) -> None:
        """Leave the layer out: every file of TOP is the user's, too."""
        for top in self.tops.values():
            subprocess.run(["chown", "-R", f"{UID}:{UID}", str(top)], check=True)

    def place(self, controller: str) -> str:
        """The user's directory."""
        return str(self.tops[controller] / "user")

    def by_user(self, program: str, *args: str | int, group: Path | None = None) -> Result:
        """Run a Python program as the user, in a group of memory's if it is named."""
        ids = ("setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups", "--inh-caps=-all")
        enter = (lambda: (group / "tasks").write_text("0")) if group else None
        command = [*ids, PYTHON, "-c", program, *map(str, args)]
        return execute(command, cwd="/", preexec_fn=enter)

    def limit(self, group: Path, size: int) -> None:
        """Limit the memory of a group, swap included."""
        for name in ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes"):
            if (group / name).exists():
                (group / name).write_text(str(size))


class Knobs(Given):
    """He owns a place, and no limit: the layer is the owner of each file."""

    def reached(self) -> list[str]:
        """What he can write, change or make of all that is his, by its name."""
        said = self.by_user(TRY_EVERYTHING, *map(str, self.tops.values()))
        return json.loads(self.assert_status(said).out)

    def expected(self) -> list[str]:
        """What he must be able to write: otherwise no sandbox could be made."""
        names = ("cgroup.procs", "tasks", "mine")
        return sorted(f"{self.place(c)}/{name}" for c in self.tops for name in names)

    def test_at_the_top(self) -> None:
        self.give()
        self.assertEqual(self.reached(), self.expected())

    def test_in_a_slice(self) -> None:
        self.give_in_slice()
        self.assertEqual(self.reached(), self.expected())

    def test_with_the_owner_left_out(self) -> None:
        self.give()
        self.give_knobs()
        reached = self.reached()
        for name in ("cpu/glovebox-{}/cpu.shares", "cpuset/glovebox-{}/cpuset.cpu_exclusive"):
            self.assertIn(f"{CGROUPS}/{name.format(UID)}", reached)

    def test_old_groups_are_taken_back(self) -> None:
        """What an earlier glovebox gave becomes root's, with what was made in there."""
        for top in self.tops.values():
            (top / "user").mkdir(parents=True)
        self.give_knobs()
        said = self.planned()
        self.assertIn(f"chown -R 0:0 {self.tops['memory']} ", said)
        self.give()
        self.assertEqual(self.reached(), self.expected())

    def test_the_printed_command_takes_them_back(self) -> None:
        self.give()
        self.assertTrue(all(top.exists() for top in self.tops.values()))
        said = self.planned()
        self.perform([line.split(maxsplit=1)[1] for line in said.splitlines() if line.startswith("    undo ")])
        self.assertEqual([top for top in self.tops.values() if top.exists()], [])


class Moving(Given):
    """He may move his own processes there, and so must not get more than he had."""

    def uses(self, size: int, group: Path | None) -> bool:
        """Whether his process can have so much memory after it has moved to what he was given."""
        said = self.by_user(MOVE_AND_USE, size, *map(self.place, self.tops), group=group)
        self.assertIn((said.status, said.out), ((0, "used\n"), (-9, ""), (137, "")), said)
        return said.status == 0

    def test_out_of_a_slice(self) -> None:
        slice_ = self.give_in_slice()
        self.limit(slice_, MEMORY)
        self.assertTrue(self.uses(MEMORY // 4, slice_))
        self.assertFalse(self.uses(MEMORY * 3, slice_))

    def test_out_of_a_slice_if_the_group_lies_beside_it(self) -> None:
        """The layer left out: where it lies."""
        slice_ = self.give_in_slice()
        self.limit(slice_, MEMORY)
        self.tops["memory"] = rootless.give_v1(UID, CGROUPS / "memory" / f"glovebox-{UID}").parent
        self.assertTrue(self.uses(MEMORY * 3, slice_))

    def test_limits_that_root_chose_hold(self) -> None:
        """At the top of a hierarchy; the control is the same group without them."""
        self.give()
        self.assertTrue(self.uses(MEMORY * 3, None))
        self.limit(self.tops["memory"], MEMORY)
        self.assertFalse(self.uses(MEMORY * 3, None))


class Empty(Given):
    """Empty groups of memory's are charged to what root limits (Linux 5.9); there is no other bound."""

    many = 2000

    def made(self) -> tuple[int, int]:
        """How many he can make, and the error's number if it was not as many as asked for."""
        said = self.assert_status(self.by_user(MAKE_GROUPS, self.many, self.place("memory")))
        made, error = map(int, said.out.split())
        return made, error

    def test_a_limit_bounds_them(self) -> None:
        self.give()
        self.limit(self.tops["memory"], 4 << 20)
        made, error = self.made()
        self.assertEqual(error, errno.ENOMEM)
        self.assertLess(made, self.many // 2)

    def test_without_a_limit(self) -> None:
        self.give()
        self.assertEqual(self.made(), (self.many, 0))


class Using(Given):
    """What is given suffices, in both shapes; what an earlier glovebox gave is refused."""

    def setUp(self) -> None:
        super().setUp()
        self.program = self.folder / "bin/glovebox"
        built = Path(GLOVEBOX).resolve().parent
        for name in ("bin", "guest"):
            shutil.copytree(built.parent / name, self.folder / name, symlinks=True)
        self.folder.chmod(0o755)

    def glovebox(self, *args: str) -> Result:
        """Run it as the user."""
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        os.chown(home, UID, UID)
        ids = ("setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups", "--inh-caps=-all")
        env = ("env", "-i", f"PATH={os.environ['PATH']}", f"HOME={home}")
        return execute([*env, *ids, str(self.program), *args], cwd="/")

    def limits(self) -> dict[str, str]:
        """What doctor says of each limit."""
        rows = self.glovebox("doctor", "--json").json["rows"]
        return {row["name"]: row["state"] for row in rows if row["part"] == "limits"}

    def test_every_limit_holds(self) -> None:
        for give in (self.give, self.give_in_slice):
            with self.subTest(give.__name__):
                give()
                self.assertEqual(set(self.limits().values()), {"ok"}, self.limits())
                flags = ("--cpu-time", "9s", "--cpuset-cpus", "0")
                self.assert_prints("6", self.glovebox("run", *flags, "host", "expr", "2", "*", "3"))
                left = [str(f) for top in self.tops.values() for f in top.rglob("sandbox-*")]
                self.assertEqual(left, [])

    def test_groups_of_an_earlier_glovebox_are_refused(self) -> None:
        for top in self.tops.values():
            top.mkdir()
        self.give_knobs()
        said = self.glovebox("run", "host", "true")
        self.assert_refused(said, "of an earlier glovebox", f"setup user {UID}")
        rows = {row["name"]: row for row in self.glovebox("doctor", "--json").json["rows"]}
        self.assertIn("of an earlier glovebox", rows["cgroup memory"]["text"])
        self.assertIn(f"setup user {UID}", rows["cgroup memory"]["remedy"])
        self.assertFalse((self.tops["memory"] / "user").exists())


if __name__ == "__main__":
    sys.exit(unittest.main())
