"""What doctor says is true in both directions, on hosts of every kind.

What it calls ok works; what it says NO to is refused with the reason that doctor gives.
"""

import json
import os
import re
import shutil
import tarfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import rootless
from support.messages import message, named, sentence
from support.run import IS_SANITIZED, NO_LEAK_CHECK, ROOT, Result, execute
from support.small_image import NAME, make_store
from test_user import FIRST_UID, Stranger

BARE = {"--memory": "0", "--cpus": "0", "--pids-limit": "0"}
WAIT = ("host", "python3", "-c", "import time; time.sleep(0.3)")  # sockets are counted from time to time


def bare(**limits: str) -> list[list[str]]:
    """Return a run without limits but these."""
    named = BARE | {f"--{name.replace('_', '-')}": value for name, value in limits.items()}
    return [["run", *(f"{name}={value}" for name, value in named.items()), "host", "true"]]


LIMITS = {
    "/proc": [["run", *WAIT]],
    "cgroup memory": bare(memory="64m"),
    "cgroup pids": bare(pids_limit="8"),
    "cgroup cpu": bare(cpus="0.5"),
    "cgroup cpuacct": bare(cpu_time="10s"),
    "cgroup cpuset": bare(cpuset_cpus="0"),
}
HOST = ("user namespaces", "ids", "mounts", "fresh /proc", "devices", "ulimits")
FEATURES = {
    "run": [["run", "host", "true"]],
    "warm, sessions": [["warm", "start", "--image", "host"], ["run", "--warm=require", *WAIT]],
    "egress": [["run", "--egress=api.example", *WAIT]],
}
UNCOUNTED = ("run", "cgroup memory")  # a limit of memory, and a program that may end before it is counted
GROUPS = [name for name in LIMITS if name != "/proc"]


Words = str | re.Pattern[str]  # a thing that is named, or a message


@dataclass
class Kind:
    """A kind of host: how it is made, and the rows that say NO there, with words of the reason."""

    shell: str = "true"  # as root, in a mount namespace of its own
    no: dict[str, Words] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)
    enter: str = ""  # what starts glovebox there


def refused(words: Words, *names: str) -> dict[str, Words]:
    """Return rows that are refused in the same words."""
    return dict.fromkeys(names, words)


COVERED = message("fresh_proc_refused", "/proc/sys")
RUN = "mount -t tmpfs -o mode=755 none /run"
NO_GROUPS = "mountpoint -q $m && mount -o remount,bind,ro $m; done; true"

ENTER = "/usr/bin/python3 {place}/limited_namespaces.py"

# For everybody. What is ours stays as it is: {ours}.
KINDS = {
    "this machine": Kind(),
    "/tmp without execution": Kind("mount --rbind /tmp /tmp; {ours}; mount -o remount,bind,noexec /tmp"),
    "/tmp read-only": Kind("mount --rbind /tmp /tmp; {ours}; mount -o remount,bind,ro /tmp"),
    "/ read-only": Kind(f"{{ours}}; {RUN}; mount -o remount,bind,ro /"),
    "no runtime directory": Kind(
        no=refused("unset XDG_RUNTIME_DIR", "warm, sessions"), env={"XDG_RUNTIME_DIR": "/nonexistent"}
    ),
    "relative": Kind(no=refused(message("private_dir_of_user#absolute", "XDG_RUNTIME_DIR"), "warm, sessions"), env={"XDG_RUNTIME_DIR": "run"}),
    "/proc mounted over": Kind("mount -t tmpfs none /proc/sys", refused(COVERED, "fresh /proc", *FEATURES)),
    "no /proc": Kind("mount -t tmpfs none /proc", refused("mount -t proc proc /proc", "fresh /proc", *FEATURES)),
    "/proc read-only": Kind(
        "mount -o remount,bind,ro /proc", refused("remount,bind,rw /proc", "fresh /proc", *FEATURES)
    ),
    "groups read-only": Kind(
        f"for m in /sys/fs/cgroup /sys/fs/cgroup/*; do {NO_GROUPS}",
        refused("mounted read-only", *GROUPS, *FEATURES),
    ),
    "no groups": Kind("umount -R /sys/fs/cgroup", refused("not mounted here", *GROUPS, *FEATURES)),
    "no devices": Kind(
        "mount -t tmpfs -o mode=755 none /dev",
        refused("mount -t devtmpfs none /dev", "devices", *FEATURES),
    ),
    "a file for a device": Kind(
        "mount --bind /etc/hostname /dev/full",
        refused(message("device_check#that", "/dev/full"), "devices", *FEATURES),
    ),
    "no shared memory": Kind("umount -R /dev/shm || :"),
    "user.max_user_namespaces=0": Kind(
        no=refused("sysctl -w user.max_user_namespaces", "user namespaces", *FEATURES),
        enter=f"{ENTER} user",
    ),
}


class Truth(Stranger):
    """What doctor says, compared with what happens."""

    is_root = False
    join: Any = None
    env: dict[str, str] = {}

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        place = cls.program.parent.parent
        shutil.copy(Path(__file__).with_name("limited_namespaces.py"), place)
        shutil.copytree(ROOT / "rootfs", place / "share/glovebox")

    def there(self, kind: Kind, *args: str) -> Result:
        """Run a program on such a host."""
        place = self.program.parent.parent
        ours = " && ".join(f"mount --bind {path} {path}" for path in (place, self.folder))
        shell = kind.shell.format(ours=ours, folder=self.folder)
        ids = f"setpriv --reuid={self.uid} --regid={self.uid} --clear-groups --inh-caps=-all".split()
        env = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": str(self.home)} | self.env | kind.env
        enter = ["unshare", "--mount", "--propagation", "private", "sh", "-ec", f'{shell}\nexec "$@"', "-"]
        words = ["env", "-i", NO_LEAK_CHECK, *(f"{name}={value}" for name, value in env.items())]
        words += [*(() if self.is_root else ids), *kind.enter.format(place=place).split()]
        return execute([*enter, *words, *args], cwd="/", preexec_fn=self.join)

    def ask(self, kind: Kind, *commands: list[str]) -> Result:
        """Run glovebox there; return how the first of its commands that fails ends, or the last."""
        for command in commands:
            result = self.there(kind, str(self.program), *command)
            if result.status:
                break
        return result

    def report(self, kind: Kind) -> dict[str, Any]:
        """Return what doctor says there; its rows by name."""
        said = self.ask(kind, ["doctor", "--json"])
        self.assertIn(said.status, (0, 1), said.err)
        report = json.loads(said.out)
        self.assertEqual(said.status, 0 if report["usable"] else 1)
        report["rows"] = {row["name"]: row for row in report["rows"]}
        return report

    def check(self, kind: Kind) -> None:
        """Compare what doctor says with what happens."""
        if IS_SANITIZED and kind is KINDS["no /proc"]:
            self.skipTest("cannot: AddressSanitizer reads its options there")
        if execute(["unshare", "--user", "true"]).status or self.there(kind, "/usr/bin/true").status:
            self.skipTest(f"cannot: {kind}")
        report = self.report(kind)
        rows, works = report["rows"], report["usable_without_limits"]
        known = [*HOST, *(LIMITS if works else ()), *FEATURES]
        if works and rows["cgroup memory"]["state"] == "no":
            known.remove("/proc")  # there is no limit to count for
        self.assertEqual({n for n in known if rows[n]["state"] == "no"}, set(kind.no), rows)
        self.assert_does(kind, bare(), None if works else next(iter(kind.no.values())))
        for name in known[len(HOST) :]:
            if name in UNCOUNTED and "/proc" in kind.no:
                continue  # refused from 100 ms on, when its sockets are counted: /proc's row waits for that
            with self.subTest(row=name):
                self.assert_does(kind, (LIMITS | FEATURES)[name], kind.no.get(name))
        for name, words in kind.no.items():
            if not rows[name]["text"].startswith("not "):  # that points to other rows
                self.assertRegex(f"{rows[name]['text']} {rows[name]['remedy']}", named(words))

    def check_ulimits(self) -> None:
        """Compare what both say where this process may have little."""
        for enter, words in (("prlimit --nofile=8", "ulimit -n 1024"), ("prlimit --nproc=1", "ulimit -u")):
            with self.subTest(enter):
                row = self.report(Kind(enter=enter))["rows"]["ulimits"]
                self.assertEqual(row["state"], "no")
                self.assertIn(words, row["remedy"])
                self.assert_does(Kind(enter=enter), bare(), words)

    def check_network(self) -> None:
        """Compare what both say where the program for it is missing."""
        words = "glovebox-egress is not installed"
        kind = Kind(f"mount --bind /dev/null {self.program.parent}/glovebox-egress")
        row = self.report(kind)["rows"]["egress"]
        self.assertEqual(row["state"], "no")
        self.assertIn(words, row["text"])
        self.assert_does(kind, FEATURES["egress"], words)
        self.assert_does(kind, FEATURES["run"], None)

    def check_writable_root(self) -> None:
        """Compare what both say of a root that can be changed, with an image of the user's."""
        store = make_store(self.program.parent.parent / f"store{self.uid}", 0 if self.is_root else self.uid)
        kind = Kind(env={"GLOVEBOX_IMAGES": str(store)})
        row = self.report(kind)["rows"]["writable root"]
        works = row["state"] == "ok"
        said = self.ask(kind, ["run", "--writable", NAME, "python3", "-c", "open('/usr/x', 'w'); print('changed')"])
        self.assert_status(said, 0 if works else 125)
        self.assertIn("changed" if works else "modprobe overlay", said.out + said.err)
        self.assertEqual(bool(row["remedy"]), not works)

    def assert_does(self, kind: Kind, commands: list[list[str]], words: Words | None) -> None:
        """Assert that commands work, or are refused in these words."""
        result = self.ask(kind, *commands)
        if commands[0][0] == "warm":
            self.ask(kind, ["warm", "stop"])
        self.assert_status(result, 125 if words else 0)
        self.assertRegex(result.err, named(words or ""))


class ToRoot(Truth):
    """What it says to root."""

    uid = FIRST_UID + 5
    is_root = True

    def setUp(self) -> None:
        super().setUp()
        (self.folder / "runtime").mkdir(mode=0o700)
        self.env = {"XDG_RUNTIME_DIR": str(self.folder / "runtime")}  # root may have a supervisor

    def test_hosts(self) -> None:
        for name, kind in KINDS.items():
            with self.subTest(name):
                self.check(kind)


    def test_ulimits(self) -> None:
        self.check_ulimits()

    def test_network(self) -> None:
        self.check_network()

    def test_writable_root(self) -> None:
        self.check_writable_root()

    def test_a_container_with_few_ids(self) -> None:
        words = message("idmap_check_ids")
        for count in (1, 65536):
            with self.subTest(count):
                self.check(Kind(no=refused(words, "ids", *FEATURES), enter=f"{ENTER} {count}"))

    def test_in_a_sandbox_of_ours(self) -> None:
        """It goes no further: user namespaces and filters are not for foreign code."""
        mount = ["-v", f"{self.program.parent.parent}:/g:ro", "-e", NO_LEAK_CHECK]
        inside = ["host", "/g/bin/glovebox"]
        said = self.ask(Kind(), ["run", *mount, *inside, *bare()[0]])
        self.assertRegex(self.assert_status(said, 125).err, message("namespaces_cause_is_filter"))
        said = self.ask(Kind(), ["run", *mount, *inside, "doctor", "--json"])
        rows = {row["name"]: row for row in self.assert_status(said, 1).json["rows"]}
        for name, said_by in (("user namespaces", "namespaces_cause_is_filter"), ("seccomp", "doctor_host_check_seccomp#system")):
            self.assertEqual(rows[name]["state"], "no")
            self.assertRegex(rows[name]["text"], message(said_by))
        self.assertNotIn("boot with", rows["landlock"]["text"])

    def test_images_where_nothing_may_be_executed(self) -> None:
        archive, store = self.folder / "root.tar", self.folder / "store"
        with tarfile.open(archive, "w") as tar:
            tar.add("/usr/bin/true", "usr/bin/true")
        self.env["GLOVEBOX_IMAGES"] = str(store)
        self.assert_status(self.ask(Kind(), ["image", "import", str(archive), "mine:1"]))
        self.assertEqual(self.report(Kind())["rows"]["images"]["state"], "ok")
        kind = Kind(f"mount --bind {store} {store}; mount -o remount,bind,noexec {store}")
        row = self.report(kind)["rows"]["images"]
        self.assertEqual(row["state"], "no")
        for said in (row["text"], self.ask(kind, ["run", "mine:1", "true"]).err):
            self.assertRegex(said, message("image_check_executable", "mine:1"))
            self.assertIn("GLOVEBOX_IMAGES", said)

    def test_building_where_nothing_may_be_executed(self) -> None:
        little, place = self.file("meminfo", "MemAvailable: 1 kB\n"), self.folder / "tmp"
        place.mkdir()
        shell = f"mount --bind {little} /proc/meminfo; mount -t tmpfs -o noexec none {place}"
        kind = Kind(shell, env={"TMPDIR": str(place)})
        said = self.ask(kind, ["image", "build", "slim"])
        self.assert_status(said, 125)
        words = message("scratch_check_executable", place) if shutil.which("mmdebstrap") else "mmdebstrap"
        self.assertRegex(said.err, named(words))

    def test_building_below_a_proc_that_is_mounted_over(self) -> None:
        kind = Kind("mount -t tmpfs none /proc/sys", env={"TMPDIR": str(self.folder)})
        said = self.ask(kind, ["image", "build", "slim"])
        self.assert_status(said, 125)
        self.assertRegex(said.err, named(COVERED if shutil.which("mmdebstrap") else "mmdebstrap"))

    def test_windows(self) -> None:
        two, one = (self.file(n, f"{v}\n") for n, v in (("2", "5.15.1-microsoft-WSL2"), ("1", "4.4.0-Microsoft")))
        release, run = "/proc/sys/kernel/osrelease", "mount -t tmpfs none /run"
        rows = self.report(Kind(f"mount --bind {two} {release}; {run}"))["rows"]
        self.assertEqual(rows["Windows"]["state"], "note")
        self.assertRegex(rows["Windows"]["remedy"], message("doctor_host_check_windows#true", "/etc/wsl.conf"))
        rows = self.report(Kind(f"mount --bind {two} {release}; {run}; mkdir -p /run/systemd/system"))["rows"]
        self.assertEqual(rows["Windows"]["state"], "ok")
        rows = self.report(Kind(f"mount --bind {one} {release}"))["rows"]
        self.assertEqual(rows["kernel"]["state"], "no")
        self.assertIn("wsl --set-version", rows["kernel"]["remedy"])

    def test_a_run_that_cannot_be_written(self) -> None:
        self.check(Kind("mount -t tmpfs -o ro none /run", refused(RUN, "warm, sessions")))


class ToUsers(Truth):
    """What it says to a user who was given groups."""

    uid = FIRST_UID + 6

    def setUp(self) -> None:
        super().setUp()
        groups = rootless.delegated(self.uid)
        self.join = groups.__enter__()
        self.addCleanup(groups.__exit__, None, None, None)

    def test_hosts(self) -> None:
        for name, kind in KINDS.items():
            with self.subTest(name):
                self.check(kind)

    def test_ulimits(self) -> None:
        self.check_ulimits()

    def test_network(self) -> None:
        self.check_network()

    def test_writable_root(self) -> None:
        self.check_writable_root()

    def test_a_proc_that_hides_processes(self) -> None:
        proc = "mount -t proc -o hidepid={} proc /proc"
        for mode in ("1", "2", "ptraceable"):
            self.check(Kind(proc.format(mode), refused("gid=GROUP", "/proc", "run", "egress")))
        self.check(Kind(proc.format(f"2,gid={self.uid}")))

    def test_a_runtime_directory_of_others(self) -> None:
        for name, mode in (("closed", 0o700), ("open", 0o755)):
            with self.subTest(name):
                (self.folder / name).mkdir(mode=mode)
                env = {"XDG_RUNTIME_DIR": str(self.folder / name)}
                self.check(Kind(no=refused("unset XDG_RUNTIME_DIR", "warm, sessions"), env=env))

    def test_a_home_that_cannot_be_written(self) -> None:
        shell = f"mount --bind {self.home} {self.home}; mount -o remount,bind,ro {self.home}"
        self.check(Kind(shell, refused("export XDG_RUNTIME_DIR=", "warm, sessions")))

    def test_no_home(self) -> None:
        for home in ("", "/nonexistent"):
            with self.subTest(home):
                self.check(Kind(no=refused("XDG_RUNTIME_DIR", "warm, sessions"), env={"HOME": home}))

    def test_building_where_nothing_may_be_executed(self) -> None:
        fake = self.folder / "fake"
        fake.mkdir()
        shell = f"mount -t tmpfs -o noexec,mode=1777 none {fake}"
        row = self.report(Kind(shell, env={"TMPDIR": str(fake)}))["rows"]["image build"]
        if "mmdebstrap" not in row["text"]:
            self.assertEqual((row["state"], row["remedy"]), ("no", sentence("doctor_features_check_building#export")), row)

    def test_building(self) -> None:
        nobody = self.folder / "nobody"
        nobody.touch()
        shell = f"mount --bind {nobody} /etc/subuid; mount --bind {nobody} /etc/subgid"
        row = self.report(Kind(shell))["rows"]["image build"]
        said = self.ask(Kind(shell), ["image", "build", "slim"])
        self.assert_status(said, 125)
        words = "mmdebstrap" if not shutil.which("mmdebstrap") else "newuidmap"
        self.assertEqual(row["state"], "no")
        self.assertIn(words, row["text"])
        self.assertIn(words if not os.path.exists("/usr/bin/newuidmap") else "subuid", said.err)


class ToStrangers(Truth):
    """What it says to a user who was given nothing."""

    uid = FIRST_UID + 7

    def test_every_limit_is_missing(self) -> None:
        kind = Kind(no=refused(f"setup user {self.uid}", *GROUPS, *FEATURES))
        self.check(kind)
