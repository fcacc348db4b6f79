"""glovebox selftest: it says that each layer holds, and notices each one that is left out."""

import fcntl
import functools
import os
import re
import shutil
import signal
import subprocess
import tarfile
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any

from support.case import Case
from support.json_doc import faults
from support.messages import message
from support.run import GLOVEBOX, IS_ROOT, ROOT, TESTING, Result, execute, glovebox, parallel, places
from support.times import wait_until

CONFINE = ROOT / "runtime/inside/confine.c"
LAYERS = ROOT / "runtime/selftest/layers.c"

SANDBOXES = 40  # or so, of one selftest

V2 = Path("/sys/fs/cgroup/cgroup.controllers").exists()

# What is left out (tests/README.md), and the layers that are then said not to hold.
BREAKS = {
    "net-ns,loopback": ("net-ns",),
    "loopback": ("loopback",),
    "priority": ("priority",),
    "session": ("session",),
    "keyring": ("keyring",),
    "umask": ("umask",),
    "hostname": ("hostname",),
    "cgroup-ns": ("cgroup-ns",),
    "ipc-ns": ("ipc-ns",),
    "uts-ns,hostname": ("uts-ns",),
    "hide-mounts": ("hide-mounts",),
    "ro-root": ("ro-root",),
    "nosuid": ("nosuid",),
    "nodev": ("nodev",),
    "noexec": ("noexec",),
    "hidepid": ("hidepid",),
    "proc-subset": ("proc-subset",),
    "stdio": ("stdio", "terminal"),
    "close-fds": ("close-fds",),
    "signals": ("signals",),
    "rlimits": ("rlimits",),
    "workdir": ("workdir",),
    "landlock": ("landlock",),
    "seccomp": ("seccomp",),
    "no-new-privs,landlock,seccomp": ("no-new-privs",),
    "bounding,caps,init-caps": ("caps", "bounding"),
    "init-close-fds": ("init-close-fds",),
    "init-caps": ("init-caps",),
    "init-seccomp": ("init-seccomp",),
    "init-no-new-privs,init-seccomp": ("init-no-new-privs",),
    "cgroup": ("cgroup", "memory", "pids", "cpu", "cpu-time"),
    "one-id": ("user-ns",),
    "detach": ("root",),
    "few-sys": ("root",),
    "few-devices": ("root",),
    "groups": ("ids",),
    "tmpfs": ("tmpfs",),
    "environment": ("environment",),
    "undumpable": ("init-dumpable",),
    "swap": ("memory",),
    "socket-memory": ("socket-memory",),
    "socket-count": ("socket-count",),
    "output": ("output",),
    "deadline": ("deadline",),
    "interrupt": ("interrupt",),
    "parent-death,control-end": ("kill",),
    "residue": ("residue",),
    "residue-socket": ("residue",),
}

# What is left out here is waited for, up to 20 seconds.
SLOW = {"stdio", "socket-count", "deadline", "interrupt", "parent-death,control-end", "residue", "residue-socket"}

LONG = {"deadline", "interrupt", "control-end"}  # of WARM_BREAKS

# Selftests at a time. One that is warm starts a Python.
WORKERS, WARM_WORKERS = 8, 4

# Only root has, or can see, what these leave.
ROOT_BREAKS = {"one-id", "groups"}

# The same in a cell. Nothing of a dirty caller comes as far as there; and a cell's pid 1 has no
# capability after its execve, and no_new_privs from its nursery, even without the steps for them.
WARM_BREAKS = {
    **{layer: layer for layer in (
        "session", "hostname", "nosuid", "nodev", "noexec", "hidepid", "proc-subset", "rlimits", "workdir",
        "landlock", "seccomp", "loopback", "cgroup-ns", "init-seccomp", "tmpfs", "output", "deadline", "interrupt", "cgroup",
    )},
    "undumpable": "init-dumpable",
    "control-end": "kill",
    "swap": "memory",
}  # fmt: skip

# Without these no sandbox starts: selftest cannot try anything, and says so.
NOTHING_STARTS = (
    "net-ns", "uts-ns", "ids", "root", "bounding", "no-new-privs", "init-no-new-privs", "admission", "mount-ns", "pid-ns",
)  # fmt: skip

# Steps that do not matter alone.
NOT_ALONE = {
    "parent-death": "the end of the control socket ends pid 1 as well",
    "init-dumpable": "the change of ids makes pid 1 undumpable already",
    "terminal": "with -t nothing starts then",
    "egress": "it opens, and confines nothing: attack/test_egress leaves out what confines it",
}

# Layers without which the kernel lets nothing start: no mount, and no /proc, can be made then.
NEVER_MISSING = {"mount-ns", "pid-ns"}


@functools.cache  # several tests ask the same, and it is waited for
def broken(omit: str, layer: str) -> Result:
    """Run selftest of one layer with something left out."""
    env = {"PATH": os.environ["PATH"], "GLOVEBOX_OMIT": omit} | places()
    return execute([TESTING, "selftest", "--only", layer], env=env)


def is_unlocked(directory: Path) -> bool:
    """Tell whether no process holds the lock of a directory."""
    fd = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(fd)
    return True


class Selftest(Case):
    """As shipped."""

    quick = ("test_everything_holds",)
    as_user = ("test_everything_holds",)
    kernel = ("test_everything_holds", "test_the_table_has_every_layer")

    def temporary(self) -> Path:
        """Make a directory with a short path: that of a socket below it is bounded."""
        path = Path(tempfile.mkdtemp(prefix="st-", dir="/tmp"))
        self.addCleanup(shutil.rmtree, path, ignore_errors=True)
        return path

    def test_everything_holds(self) -> None:
        temporary = self.temporary()
        result = self.assert_status(glovebox("selftest", "--json", env={"TMPDIR": str(temporary)}))
        self.assertEqual(result.err, "")
        self.assertEqual(faults(result.json, "Selftest"), [])
        for layer in result.json["layers"]:
            self.assertNotEqual(layer["state"], "broken", layer)
            if layer["state"] == "held":
                self.assertTrue(layer["checks"], layer)
            self.assertNotEqual(layer["state"], "unchecked", layer)
            if IS_ROOT and layer["state"] == "absent":
                self.assertIn(layer["name"], ("landlock", "keyring"))
        self.assertEqual(os.listdir(temporary), [])

    def test_a_killed_one_is_swept_by_the_next(self) -> None:
        temporary = self.temporary()
        env = {"TMPDIR": str(temporary)}
        process = self.start([GLOVEBOX, "selftest"], env=os.environ | env, stdout=subprocess.DEVNULL)
        self.assertTrue(wait_until(lambda: [*temporary.glob("glovebox-selftest-*/id.*")]))
        process.send_signal(signal.SIGKILL)
        process.wait()
        [left] = temporary.iterdir()
        self.assertTrue(wait_until(lambda: is_unlocked(left)))  # its children share its lock, and end by themselves
        self.assert_status(glovebox("selftest", "--only", "umask", env=env))
        self.assertEqual(os.listdir(temporary), [])

    def test_only_what_was_left_is_swept(self) -> None:
        """Not one that is in use, nor a link, a file, another user's, or one that merely has such a name."""
        temporary = self.temporary()
        env = {"TMPDIR": str(temporary)}
        names = [temporary / f"glovebox-selftest-{name}" for name in ("link", "file", "backup", "theirs")]
        names[0].symlink_to(self.folder)
        names[1].touch()
        names[2].mkdir(mode=0o700)
        kept = names if IS_ROOT else names[:3]
        if IS_ROOT:
            names[3].mkdir()
            names[3].chmod(0o1755)
            os.chown(names[3], 1234, 1234)
        slow = self.start([GLOVEBOX, "selftest"], env=os.environ | env, stdout=subprocess.DEVNULL)
        used = wait_until(lambda: [*temporary.glob("glovebox-selftest-*/id.*")])[0].parent
        self.assert_status(glovebox("selftest", "--only", "umask", env=env))
        self.assertEqual(set(temporary.iterdir()) - {used}, set(kept))
        self.assertEqual(slow.wait(), 0)  # without its directory it would find faults
        self.assertEqual(set(temporary.iterdir()), set(kept))

    def test_a_caller_that_ignores_signals_is_no_fault(self) -> None:
        """nohup ignores SIGHUP, a shell's background SIGINT, and glovebox keeps what its caller ignores."""
        ignoring = 'trap "" HUP INT TERM; exec "$0" selftest --only interrupt'
        self.assert_status(execute(["sh", "-c", ignoring, GLOVEBOX]))

    def test_a_caller_without_core_dumps_is_no_fault(self) -> None:
        """The sandbox gets no more than the caller may have, and sudo lowers that to 0."""
        if Path("/proc/sys/kernel/core_pattern").read_text()[0] in "|@":
            self.skipTest("cannot: core_pattern names a program here, and no sandbox starts at 0")
        self.assert_status(execute(["prlimit", "--core=0:0", GLOVEBOX, "selftest", "--only", "rlimits"]))

    def test_the_table_has_every_layer(self) -> None:
        result = self.assert_status(glovebox("selftest", "--only", "seccomp", "-v"))
        self.assertRegex(result.out, r"\Aok   seccomp .*\n(     held   .*: .*\n){3,}\Z")

    def test_each_part_of_the_filter_is_tried(self) -> None:
        said = broken("seccomp", "seccomp").out
        for what in ("every call that is refused", "every call that depends on its arguments", "the filter of the program"):
            self.assertRegex(said, f"BROKEN {what}")
        said = self.assert_status(glovebox("selftest", "--only", "seccomp", "-v")).out
        for what, least in (("is refused", 250), ("is allowed", 150), ("depends on its arguments", 50)):
            found = re.search(f"held   every call that {what}: calls: (\\d+)", said)
            self.assertTrue(found and int(found[1]) >= least, said)

    def test_a_mount_that_is_left_is_named(self) -> None:
        if not IS_ROOT:
            self.skipTest("cannot: only root mounts for all")
        env = {"PATH": os.environ["PATH"], "GLOVEBOX_OMIT": "residue-mount"} | places()
        result = execute(["unshare", "--mount", TESTING, "selftest", "--only", "residue"], env=env)
        self.assert_status(result, 1)
        self.assertRegex(result.out, "BROKEN mounts that are left: [1-9]")

    def test_it_takes_less_than_twenty_seconds(self) -> None:
        """
        Or, on a machine that is slow or serves others, so many more as thrice the cold runs take that
        it consists of: it waits for limits of its own choice, and the rest are these.
        """
        start = time.monotonic()
        self.assert_status(glovebox("selftest"))
        took = time.monotonic() - start
        if took < 20:
            return
        start = time.monotonic()
        for _ in range(SANDBOXES):
            self.assert_status(glovebox("run", "--warm", "never", "--memory", "0", "--cpus", "0", "--pids-limit", "0", "host", "true"))
        self.assertLess(took, 20 + 3 * (time.monotonic() - start))

    def holds_in(self, image: str, **env: str) -> None:
        rows = self.assert_status(glovebox("selftest", "--json", "--image", image, env=env)).json
        self.assertEqual(rows["image"], image)
        self.assertEqual({row["state"] for row in rows["layers"]} - {"held", "absent"}, set())

    def test_an_image_with_nothing_in_it(self) -> None:
        folder = self.temporary()
        with tarfile.open(folder / "empty.tar", "w") as tar:
            etc = tarfile.TarInfo("etc")
            etc.type, etc.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(etc)
        images = {"GLOVEBOX_IMAGES": str(folder / "images")}
        self.assert_status(glovebox("image", "import", folder / "empty.tar", "empty", env=images))
        self.holds_in("empty", **images)

    def test_an_image_of_the_store(self) -> None:
        images = [":".join(line.split()[:2]) for line in glovebox("image", "ls").out.splitlines()[1:] if not line.startswith("host ")]
        if not images:
            self.skipTest("cannot: no image is in the store here")
        self.holds_in(images[0])


class BrokenCase(Case):
    """What is left out is named. A selftest mostly waits: several run at a time."""

    @staticmethod
    @functools.cache
    def shipped() -> dict[str, dict[str, Any]]:
        """Return what selftest says of each layer as shipped, by its name."""
        return {row["name"]: row for row in glovebox("selftest", "--json").json["layers"]}

    def cannot_be_left_out(self) -> set[str]:
        """Return what changes nothing on this machine."""
        none = set() if IS_ROOT else set(ROOT_BREAKS)
        none |= {"socket-memory"} if V2 else set()  # v2 counts sockets with everything else
        text = glovebox("selftest", "--only", "memory", "-v").out
        if self.shipped()["warm"]["state"] == "absent":
            none |= {"residue-socket"}  # which is a supervisor's
        return none | (set() if re.search(r"no swap on top of it.*: memory\.", text) else {"swap"})


class Broken(BrokenCase):
    """In a cold run."""

    # On an emulated CPU a whole selftest takes a minute: what is there its own are the limits.
    kernel = as_user = ("test_limits_that_are_left_out_are_named",)

    def assert_named(self, breaks: dict[str, tuple[str, ...]]) -> None:
        """Leave out each of these, and assert that the layers behind it are named."""
        states = {name: row["state"] for name, row in self.shipped().items()}
        cases = [(omit, layer) for omit, names in breaks.items() for layer in names if states[layer] == "held"]
        if V2:  # pid 1 is born in its group, which gets no limits then, but counts
            cases = [case for case in cases if case not in {("cgroup", "cgroup"), ("cgroup", "cpu-time")}]
        left = self.cannot_be_left_out()
        cases = [case for case in cases if case[0] not in left]
        for (omit, layer), result in zip(cases, parallel(lambda case: broken(*case), cases, WORKERS), strict=True):
            with self.subTest(omit=omit, layer=layer):
                self.assert_status(result, 1)
                self.assertRegex(result.out, rf"\ANO   {layer} .*\n     BROKEN ")
                self.assertRegex(result.err, message("selftest_status", layer))

    def test_a_layer_that_is_left_out_is_named(self) -> None:
        self.assert_named({omit: names for omit, names in BREAKS.items() if omit not in SLOW})

    def test_an_end_that_is_left_out_is_named(self) -> None:
        self.assert_named({omit: BREAKS[omit] for omit in sorted(SLOW)})

    def test_limits_that_are_left_out_are_named(self) -> None:
        for layer in ("memory", "pids"):
            result = self.assert_status(broken("cgroup", layer), 1)
            self.assertRegex(result.err, message("selftest_status", layer))

    def test_every_end_is_tried(self) -> None:
        said = broken("interrupt", "interrupt").out
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            self.assertIn(f"BROKEN its child ends by {name}: it lives on", said)
        said = self.assert_status(glovebox("selftest", "--only", "kill", "-v")).out
        self.assertIn("held   its child ends by SIGKILL: ", said)
        self.assertIn("held   its child ends by the end of pid 1: ", said)


class BrokenWarm(BrokenCase):
    """In a warm cell."""

    def test_a_warm_cell_that_lacks_a_layer_is_named(self) -> None:
        row = self.shipped()["warm"]
        if row["state"] == "absent":
            self.skipTest(f"cannot: {row['reason']}")
        # What is waited for longest begins first.
        omits = sorted(WARM_BREAKS.keys() - self.cannot_be_left_out(), key=lambda omit: (omit not in LONG, omit))
        for omit, result in zip(omits, parallel(lambda omit: broken(omit, "warm"), omits, WARM_WORKERS), strict=True):
            with self.subTest(omit=omit):
                self.assert_status(result, 1)
                self.assertRegex(result.out, rf"(?m)^     BROKEN {WARM_BREAKS[omit]}: ")


class Complete(unittest.TestCase):
    """The tables above leave nothing out."""

    def test_every_step_is_broken_or_has_a_reason(self) -> None:
        text = CONFINE.read_text()
        lists = [re.search(rf"{name}\[\] = {{(.*?)\n}};", text, re.DOTALL)[1] for name in ("init_steps", "program_steps", "reaper_steps")]  # type: ignore[index]
        steps = set(re.findall(r'^\t\{"([a-z0-9-]+)",', "".join(lists), re.MULTILINE))
        shown = {step for omit in BREAKS for step in omit.split(",")}
        self.assertEqual(steps - shown - set(NOTHING_STARTS) - NOT_ALONE.keys(), set())

    def test_every_layer_is_broken_or_nothing_starts(self) -> None:
        names = set(re.findall(r'^\t\{"([a-z0-9-]+)",', LAYERS.read_text(), re.MULTILINE))
        shown = {layer for layers in BREAKS.values() for layer in layers} | {"warm"}
        self.assertEqual(names - shown, NEVER_MISSING)
        self.assertLessEqual(NEVER_MISSING, set(NOTHING_STARTS))
