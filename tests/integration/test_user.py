"""An ordinary user's way in: what is said to one who has nothing yet."""

import fcntl
import json
import os
import re
import shutil
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

import rootless
from support.case import Case
from support.messages import message, sentence
from support.run import GLOVEBOX, IS_ROOT, Result, execute
from support.small_image import ID, NAME, make_store

FIRST_UID = 2_000_000 + os.getpid() * 8  # nobody's: without a name, a login or groups
NONE_RUNS = f"glovebox: {sentence('ask_finds_none')}\n"


@unittest.skipUnless(IS_ROOT, "cannot: only root may become another user")
class Stranger(Case):
    """Commands of a user whom su(1) left without XDG_RUNTIME_DIR, and root without a group."""

    uid = FIRST_UID  # each class has one of its own, because they run side by side
    program: Path  # a copy: the path of the build may be closed to others

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        place = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, place)
        place.chmod(0o755)
        built = Path(GLOVEBOX).resolve().parent
        shutil.copytree(built, place / "bin", symlinks=True)
        shutil.copytree(built.parent / "guest", place / "guest")
        cls.program = place / "bin/glovebox"

    def setUp(self) -> None:
        super().setUp()
        for folder in (Path(tempfile.gettempdir()), self.folder):
            if not folder.stat().st_mode & 0o077:  # the runner's, not /tmp
                folder.chmod(0o711)
        self.home = self.folder / "home"
        self.home.mkdir(mode=0o755)
        os.chown(self.home, self.uid, self.uid)
        self.state = self.home / ".local/state/glovebox"

    def by_user(self, *args: str, preexec_fn: Any = None, **env: str) -> Result:
        """Run glovebox as that user."""
        ids = ("setpriv", f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups", "--inh-caps=-all")
        plain = {"PATH": os.environ["PATH"], "HOME": str(self.home)}
        command = (*ids, str(self.program), *args)
        said = (f"{name}={value}" for name, value in (plain | env).items())
        given = {"cwd": "/", "preexec_fn": preexec_fn}
        return execute(["env", "-i", *said, *command], **given)


class RuntimeDirectory(Stranger):
    """Where a supervisor is found without XDG_RUNTIME_DIR."""

    def test_looking_makes_nothing(self) -> None:
        self.assertEqual(self.assert_refused(self.by_user("warm", "status")).err, NONE_RUNS)
        self.assertEqual(list(self.home.iterdir()), [])

    def test_one_below_the_home_is_made_and_is_private(self) -> None:
        self.by_user("warm", "start", "--image", "host")  # it may lack limits
        self.assertEqual(stat.S_IMODE(self.state.stat().st_mode), 0o700)
        self.assertEqual(self.state.stat().st_uid, self.uid)

    def test_one_that_others_can_read_is_made_private(self) -> None:
        self.make_state(0o755)
        self.by_user("warm", "start", "--image", "host")
        self.assertEqual(stat.S_IMODE(self.state.stat().st_mode), 0o700)

    def test_one_that_others_can_write_is_refused(self) -> None:
        self.make_state(0o777)
        said = self.by_user("warm", "start", "--image", "host")
        self.assert_refused(said, str(self.state), message("private_dir_is_ours#unsafe"))

    def test_a_link_is_refused(self) -> None:
        self.make_state(0o700)
        self.state.rmdir()
        self.state.symlink_to(self.home)
        self.assert_refused(self.by_user("warm", "start", "--image", "host"), str(self.state))

    def test_without_a_home_both_ways_are_named(self) -> None:
        said = self.by_user("warm", "start", "--image", "host", HOME="")
        self.assert_refused(said, "XDG_RUNTIME_DIR", "HOME")

    def make_state(self, mode: int) -> None:
        """Make the directory as an earlier glovebox, or somebody careless, would have."""
        path = self.home
        for name in (".local", "state", "glovebox"):
            path = Path(path, name)
            path.mkdir()
            os.chown(path, self.uid, self.uid)
        path.chmod(mode)


class Limits(Stranger):
    """Without control groups: what is missing is named at once, with what gives it."""

    uid = FIRST_UID + 1

    def setUp(self) -> None:
        super().setUp()
        self.setup = f'"sudo {self.program} setup user {self.uid}" gives'  # it is not installed

    def test_all_controllers_are_named_at_once(self) -> None:
        said = self.by_user("run", "--cpu-time", "1s", "--cpuset-cpus", "0", "host", "true")
        self.assert_refused(said, "for memory, pids, cpu, cpuacct, cpuset there is none", self.setup)

    def test_ways_without_limits_are_named_and_work(self) -> None:
        none = ("--memory", "0", "--cpus", "0", "--pids-limit", "0")
        said = self.by_user("run", "host", "true")
        self.assert_refused(said, message("cgroup_controllers_without#without", ' '.join(none)))
        self.assert_prints("6", self.by_user("run", *none, "host", "expr", "2", "*", "3"))

    def test_agent_says_so_before_it_asks_a_model(self) -> None:
        place = ("--output", str(self.home / "output"), "--workspace", str(self.home))
        said = self.by_user("agent", "--image", "host", *place, "--url", "http://127.0.0.1:9", "say hello")
        self.assertIn(self.setup, said.err)
        self.assertNotIn("iteration", said.err)


class Doctor(Stranger):
    """It tells the truth in both directions."""

    uid = FIRST_UID + 2

    def rows(self, *args: str) -> dict[str, dict[str, Any]]:
        """Return the rows of its JSON by name."""
        return {row["name"]: row for row in self.report(*args)["rows"]}

    def report(self) -> dict[str, Any]:
        """Return its JSON."""
        result = self.by_user("doctor", "--json")
        self.assertEqual(result.status, 0 if result.json["usable"] else 1)
        return result.json

    def test_without_groups(self) -> None:
        rows = self.rows()
        for name in ("memory", "pids", "cpu", "cpuset", "freezer"):
            with self.subTest(name):
                self.assertEqual(rows[f"cgroup {name}"]["state"], "no")
                remedy = f"sudo {self.program} setup user {self.uid}"
                self.assertEqual(rows[f"cgroup {name}"]["remedy"], remedy)
        self.assertIn("--memory 0 --cpus 0 --pids-limit 0", rows["run"]["text"])
        self.assertEqual(rows["warm, sessions"]["state"], "no")
        self.assertEqual(rows["kernel"]["remedy"], None)
        report = self.report()
        self.assertEqual((report["uid"], report["usable"]), (self.uid, False))
        self.assertTrue(report["usable_without_limits"])

    def test_each_remedy_is_printed_once(self) -> None:
        said = self.assert_status(self.by_user("doctor"), 1)
        self.assertEqual(said.out.count(f"setup user {self.uid}"), 1)
        self.assertRegex(said.out, message("doctor_summary#only"))

    def test_with_some_groups(self) -> None:
        with rootless.delegated(self.uid) as join:
            if join:
                self.skipTest("cannot: on cgroup v2 a group has all controllers")
            for name in ("cpuacct", "freezer"):
                rootless._remove(rootless.CGROUPS / name / f"glovebox-{self.uid}")
            report = self.report()
            said = self.assert_status(self.by_user("doctor"))
        states = {row["name"]: row["state"] for row in report["rows"]}
        self.assertEqual(states["cgroup memory"], "ok")
        self.assertEqual((states["cgroup cpuacct"], states["cgroup freezer"]), ("no", "no"))
        self.assertEqual((report["usable"], report["every_limit"]), (True, False))
        self.assertNotIn("warm, sessions", [name for name, state in states.items() if state == "no"])
        self.assertNotIn("every limit enforced", said.out)

    def test_with_every_group(self) -> None:
        with rootless.delegated(self.uid) as join:
            result = self.by_user("doctor", "--json", preexec_fn=join)
        states = {row["name"]: row["state"] for row in result.json["rows"]}
        self.assertNotIn("no", [state for name, state in states.items() if name != "image build"])

    def test_a_runtime_directory_of_others(self) -> None:
        (self.home / "glovebox").mkdir(mode=0o755)
        os.chown(self.home / "glovebox", self.uid, self.uid)
        with rootless.delegated(self.uid) as join:
            env = {"XDG_RUNTIME_DIR": str(self.home)}
            result = self.by_user("doctor", "--json", preexec_fn=join, **env)
        rows = {row["name"]: row for row in result.json["rows"]}
        self.assertEqual(rows["warm, sessions"]["remedy"], f"chmod 700 {self.home}/glovebox")
        self.assertEqual((result.json["every_limit"], result.json["every_feature"]), (True, False))

    def test_help(self) -> None:
        said = self.assert_status(self.by_user("doctor", "--help"))
        self.assertIn("--json", said.out)


class Setup(Stranger):
    """`glovebox setup user`, with files below a directory of the test's; commands are not run."""

    uid = FIRST_UID + 3

    def setUp(self) -> None:
        super().setUp()
        self.root = self.folder / "root"
        self.root.mkdir(mode=0o755)
        layout = rootless.CGROUPS / "cgroup.controllers"
        self.is_v1 = not layout.exists()
        self.path = self.root / f"etc/systemd/system/user@{self.uid}.service.d/glovebox.conf"
        self.write_users()

    def write_users(self) -> None:
        """Make the accounts of the root."""
        accounts = (("ada", self.uid), ("daemon", 1))
        self.write("etc/passwd", "".join(f"{name}:x:{uid}:{uid}::/:/bin/sh\n" for name, uid in accounts))

    def set_up(self, *flags: str) -> Result:
        """Set the user up below the root."""
        return self.set_up_as("ada", "--layout", "v1" if self.is_v1 else "v2", *flags)

    def set_up_as(self, user: str, *flags: str) -> Result:
        """The same of another user, and of a layout that is said or not."""
        return execute([GLOVEBOX, "setup", "user", user, "--root", str(self.root), *flags])

    def write(self, path: str, text: str) -> Path:
        """Write a file below the root."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def test_a_file_is_printed_and_written(self) -> None:
        said = self.assert_status(self.set_up())
        text = self.path.read_text()
        self.assertTrue(text.startswith("# Made by glovebox setup user ada.\n"))
        for line in (f"    write   /{self.path.relative_to(self.root)}", *text.splitlines()):
            self.assertIn(line, said.out)
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o644)
        self.assert_status(self.set_up())  # again
        self.assertEqual(self.path.read_text(), text)

    def test_what_is_printed_takes_back_the_file(self) -> None:
        """The commands that concern this machine are not performed here (tests/unit/test_setup_plan.c)."""
        other = self.path.with_name("other.conf")
        for has_other in (False, True):  # a directory with another file stays
            with self.subTest(has_other):
                said = self.assert_status(self.set_up())
                if has_other:
                    other.touch()
                back = [line.split()[1:] for line in said.out.splitlines() if line.startswith("    undo ")]
                (remove,) = (words for words in back if words[0] == "rm")
                execute([*remove[:2], *(f"{self.root}{path}" for path in remove[2:])])
                self.assertFalse(self.path.exists())
                self.assertEqual(self.path.parent.exists(), has_other)

    def test_a_file_of_somebody_else_is_left_alone(self) -> None:
        self.path.parent.mkdir(parents=True)
        self.path.write_text("theirs")
        self.assert_refused(self.set_up(), str(self.path.name), message("setup_file_read_at#making"))
        self.assertEqual(self.path.read_text(), "theirs")

    def test_links_are_not_followed(self) -> None:
        elsewhere = self.folder / "elsewhere"
        for link, target in ((self.path, elsewhere / "file"), (self.root / "etc", elsewhere)):
            with self.subTest(link):
                elsewhere.mkdir(exist_ok=True)
                if link.name == "etc":
                    shutil.rmtree(link)
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(target)
                said = self.set_up()
                self.assertEqual(said.status, 125)
                self.assertRegex(said.err, message("setup_file_enter#open"))
                self.assertEqual(list(elsewhere.iterdir()), [])
                link.unlink()

    def test_a_directory_that_others_can_write_is_refused(self) -> None:
        (self.root / "etc").chmod(0o777)
        self.assertRegex(self.set_up().err, message("setup_file_judge#must"))

    def test_a_root_that_is_a_link_or_open_to_others_is_refused(self) -> None:
        link = self.folder / "link"
        link.symlink_to(self.root)
        for path in (link, f"{link}/"):
            said = execute([GLOVEBOX, "setup", "user", "1", "--root", str(path), "--layout", "v2"])
            self.assert_refused(said, str(link), "link")
        self.root.chmod(0o777)
        self.assert_refused(self.set_up(), str(self.root), message("setup_file_judge#must"))
        self.root.chmod(0o755)
        os.chown(self.root, self.uid, 0)
        self.assert_refused(self.set_up(), str(self.root), message("setup_file_judge#must"))
        self.assertEqual([path.name for path in self.root.rglob("*")], ["etc", "passwd"])

    def test_a_name_that_is_none_gets_into_no_command(self) -> None:
        for name in ("\x1b[2Ja", "$(id)", "a b", "a;b", "--help"):
            with self.subTest(name):
                self.write("etc/passwd", f"{name}:x:1234:1234::/:/bin/sh\n")
                said = self.set_up_as("1234", "--layout", "v2", "--dry-run")
                self.assert_refused(said, message("setup_look_for_user#3"))
                self.assertNotIn("\x1b", said.err)

    def test_users_and_ids_are_those_of_the_root(self) -> None:
        self.write("etc/passwd", "root:x:0:0::/:/bin/sh\nada:x:4711:4712::/:/bin/sh\n")
        self.write("etc/subuid", "bob:100000:65536\n")
        self.write("etc/subgid", "bob:300000:65536\n")
        said = self.assert_status(self.set_up_as("ada", "--layout", "v1"))
        self.assertIn("For ada (uid 4711)", said.out)
        groups = "/memory/user.slice/user-4711.slice/user@4711.service/glovebox/user"
        self.assertRegex(said.out, f"chown 4711:4712 .*{groups} .*{groups}/tasks ")
        self.assertIn("later   usermod --add-subuids 365536-431071", said.out)
        self.assertRegex(said.out, "undo    usermod --del-subuids 365536-431071 .* ada\n")
        self.assertIn("For ada (uid 4711)", self.set_up_as("4711", "--layout", "v1").out)
        self.write("etc/subuid", "ada:100000:65536\n")
        self.write("etc/subgid", "4711:100000:65536\n")
        self.assertNotIn("usermod", self.set_up_as("ada", "--layout", "v1").out)
        refused = self.set_up_as("nobody", "--layout", "v1")
        self.assert_refused(refused, message("setup_look_for_user#--root", '"nobody"', "/etc/passwd", "--root"))

    def test_files_of_the_root_are_not_reached_through_links(self) -> None:
        self.write("etc/x", "")
        for name in ("passwd", "subuid", "subgid"):
            link = self.root / "etc" / name
            link.unlink(missing_ok=True)
            link.symlink_to(f"/etc/{name}")
            self.assert_refused(self.set_up_as("1", "--layout", "v1"), name, message("setup_file_enter#open"))
            link.unlink()
            os.mkfifo(link)
            self.assert_refused(self.set_up_as("1", "--layout", "v1"), name, message("setup_file_text#file"))
            link.unlink()
            link.touch(0o666)
            link.chmod(0o666)
            self.assert_refused(self.set_up_as("1", "--layout", "v1"), name, message("setup_file_judge#must"))
            link.unlink()
            self.write_users()

    def test_programs_and_lingering_are_those_of_the_root(self) -> None:
        said = self.set_up_as("ada", "--layout", "v2").out
        self.assertIn("later   loginctl enable-linger", said)
        self.assertRegex(said, message("setup_plan_allow_building"))
        self.write(f"var/lib/systemd/linger/ada", "")
        self.write("usr/bin/newuidmap", "").chmod(0o755)
        (self.root / "bin").symlink_to("/usr/bin")
        said = self.set_up_as("ada", "--layout", "v2").out
        self.assertNotIn("linger", said)
        self.assertNotIn("newuidmap", said)

    def test_the_layout_of_a_root_must_be_said(self) -> None:
        self.assert_refused(self.set_up_as("ada"), "--layout v2", "--layout v1")
        self.assert_refused(execute([GLOVEBOX, "setup", "user", "1", "--layout", "v1"]), message("setup_check#goes", "--root"))
        for layout, makes_groups in (("v1", True), ("v2", False)):
            self.assert_status(self.set_up_as("ada", "--layout", layout))
            self.assertEqual("mkdir" in self.path.read_text(), makes_groups)
        self.assert_refused(self.set_up_as("1", "--layout", "v3"), message("setting_value_choice", "--layout", '"v3"', "v1|v2"))

    def test_a_root_that_is_not_there_or_not_said(self) -> None:
        shutil.rmtree(self.root)
        self.assert_refused(self.set_up(), f"open {self.root}: No such file")
        # "$ROOT" of a script that did not set it must not be this machine's.
        said = execute([GLOVEBOX, "setup", "user", "1", "--root", "", "--layout", "v2", "--dry-run"])
        self.assert_refused(said, message("setting_value_text", "--root"))

    def test_one_at_a_time(self) -> None:
        lock = self.write("run/glovebox-setup.lock", "")
        self.assert_refused(self.set_up(), lock.name, message("setup_file_lock#must"))
        lock.chmod(0o600)
        command = [GLOVEBOX, "setup", "user", "1", "--root", str(self.root), "--layout", "v1"]
        with lock.open() as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            waiting = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertRegex(waiting.stderr.readline(), message("setup_file_lock#another"))
            for name in ("subuid", "subgid"):  # what the other one has given meanwhile
                self.write(f"etc/{name}", "bob:100000:65536\n")
        self.assertIn("usermod --add-subuids 165536-", waiting.communicate()[0])

    def test_a_dry_run_needs_no_root_and_does_nothing(self) -> None:
        said = self.by_user("setup", "user", "daemon", "--dry-run")
        self.assertIn(self.path.name, self.assert_status(said).out)
        self.assertFalse(self.path.exists())
        said = self.by_user("setup", "user", "daemon")
        self.assertEqual(said.status, 125)
        self.assertRegex(said.err, message("setup_user#only"))

    def test_who_has_no_account_is_refused_before_the_first_step(self) -> None:
        """systemd lets accounts alone linger, by which their groups are made."""
        for user in ("4711", "no-such-user"):
            with self.subTest(user):
                said = self.set_up_as(user, "--layout", "v2")
                self.assert_refused(said, message("setup_look_for_user#exist", f'"{user}"', "--root"), "useradd")
                self.assertEqual(said.out, "")
        self.assertEqual([path.name for path in (self.root / "etc").iterdir()], ["passwd"])

    def test_a_number_without_an_account_gets_groups_alone(self) -> None:
        """usermod(8) would give it no ids."""
        if not self.is_v1 or Path("/run/systemd/system").exists():
            self.skipTest("cannot: only on cgroup v1 without systemd")
        said = execute([GLOVEBOX, "setup", "user", str(self.uid), "--dry-run"])
        self.assertIn(f"chown {self.uid}:{self.uid} ", self.assert_status(said).out)
        self.assertNotIn("usermod", said.out)

    def test_who_needs_none(self) -> None:
        for user, why in (("root", "needs no setup"), ("no-such-user", message("setup_look_for_user#exist", "no-such-user"))):
            self.assert_refused(execute([GLOVEBOX, "setup", "user", user, "--dry-run"]), why)
        self.assert_refused(execute([GLOVEBOX, "setup"]), message("command_setup"))

    def test_the_file_of_an_earlier_glovebox_goes(self) -> None:
        old = self.write(f"etc/tmpfiles.d/glovebox-user-{self.uid}.conf", f"# Made by glovebox setup user {self.uid}\n")
        self.assertIn(f"remove  /{old.relative_to(self.root)}", self.assert_status(self.set_up()).out)
        self.assertFalse(old.exists())
        self.assertTrue(self.path.exists())


class Images(Stranger):
    """Images that root has shared can be used by others, and listings say whose they are."""

    uid = FIRST_UID + 4

    def setUp(self) -> None:
        super().setUp()
        listed = execute([GLOVEBOX, "image", "ls", "--json"], env={"GLOVEBOX_IMAGES": ""}).json
        self.roots = [image["reference"] for image in listed if image.get("owner") == "root" and image["shared"]]
        if not self.roots:
            self.skipTest("cannot: root has shared no image here (glovebox image share)")

    def test_listings_say_whose_an_image_is(self) -> None:
        said = self.assert_status(self.by_user("image", "ls")).out.splitlines()
        name, tag = self.roots[0].rsplit(":", 1)
        self.assertTrue(said[0].endswith("OWNER"))
        row = next(line for line in said if line.split()[:2] == [name, tag])
        self.assertEqual(row.split()[-1], "root")

    def test_only_its_owner_removes_it(self) -> None:
        said = self.by_user("image", "rm", self.roots[0])
        self.assert_refused(said, f'"{self.roots[0]}" is root\'s: ', message("rm_not_ours"))
        self.assert_refused(said, "/var/lib/glovebox/images", str(self.home / ".local/share"))
        self.assertEqual(self.by_user("image", "inspect", self.roots[0]).status, 0)
        self.assert_refused(self.by_user("image", "rm", "nosuch"), "no image")


class SharedImages(Stranger):
    """An image of root's is closed to others until root shares it."""

    uid = FIRST_UID + 7
    run_it = ("run", "--memory", "0", "--cpus", "0", "--pids-limit", "0", NAME, "python3", "-c", "print(6 * 7)")

    def setUp(self) -> None:
        super().setUp()
        self.store = make_store(self.folder, 0)

    def ask(self, *args: str) -> Result:
        """Run glovebox as the other user, on root's store."""
        return self.by_user(*args, GLOVEBOX_IMAGES=str(self.store))

    def share(self, *args: str) -> Result:
        """Run `image share` as root."""
        said = execute([GLOVEBOX, "image", "share", *args], env={"GLOVEBOX_IMAGES": str(self.store)})
        return self.assert_status(said)

    def test_a_closed_one_is_refused_with_the_remedy(self) -> None:
        closed = re.compile(message("image_closed"))
        for command in (self.run_it, ("image", "save", NAME), ("image", "verify", NAME)):
            said = self.assert_refused(self.ask(*command), closed)
            self.assertIn(f"{NAME}:latest is root's", said.err)
            self.assertNotIn("damaged", said.err)
        said = self.assert_status(self.ask("image", "inspect", NAME), 1)  # as docker of one that is not there
        self.assertRegex(said.err, closed)

    def test_a_closed_one_is_not_listed(self) -> None:
        for command in (("image", "ls", "--json"), ("images",), ("image", "verify")):
            said = self.assert_status(self.ask(*command))
            self.assertNotIn(NAME, said.out)
            self.assertEqual(said.err, "")
        self.assertNotIn("damaged", self.ask("doctor").out)

    def test_a_shared_one_runs(self) -> None:
        self.assertEqual(self.share(NAME).out, f"shared {NAME}:latest\n")
        self.assert_prints("42", self.ask(*self.run_it))
        listed = self.assert_status(self.ask("image", "ls", "--json")).json
        shared = {image["reference"]: (image["owner"], image["shared"]) for image in listed}
        self.assertEqual(shared, {"host:latest": (None, True), f"{NAME}:latest": ("root", True)})
        self.assertEqual(self.share("--off", NAME).out, f"closed {NAME}:latest\n")
        self.assert_refused(self.ask(*self.run_it), f"{NAME}:latest is root's")

    def test_only_its_owner_shares_it(self) -> None:
        self.assert_status(self.ask("image", "share", NAME), 125)
        self.assertEqual(stat.S_IMODE((self.store / f"trees/{ID}").stat().st_mode), 0o700)
