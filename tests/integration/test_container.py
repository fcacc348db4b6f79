"""In a container of others' glovebox says which flags lack, and with them it works; in one of ours it says why not."""

import contextlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from support.case import Case
from support.messages import message
from support.processes import GROUPS
from support.run import GLOVEBOX, NO_LEAK_CHECK, Result, execute, run, unique
from support.times import wait_until
from test_user import FIRST_UID, Stranger

BARE = ("--memory=0", "--cpus=0", "--pids-limit=0")
LIMITS = {
    "memory.limit_in_bytes": "300M",
    "memory.max": "300M",
    "pids.max": "77",
    "cpu.cfs_quota_us": "150000",
    "cpu.max": "150000 100000",
}

DELEGATED = ("cgroup.procs", "tasks", "cgroup.subtree_control", "cgroup.threads")


def is_removed(group: str) -> bool:
    """Remove a control group; what was killed may need a moment to leave it."""
    with contextlib.suppress(OSError):
        os.rmdir(group)
    return not os.path.isdir(group)


class Docker(Stranger):
    """Containers as Docker's, made by container.py; each of its flags leaves one restriction out."""

    kernel = ("test_with_every_flag", "test_the_limits_of_the_container_hold")
    uid = FIRST_UID + 1

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        place = cls.program.parent.parent
        cls.script = shutil.copy(Path(__file__).with_name("container.py"), place)

    @contextlib.contextmanager
    def group(self, owner: int = 0) -> Iterator[str]:
        """Make the group that a container is in, with limits; on v2 it is of no use for a second one."""
        name, is_v2 = unique("glovebox-test"), (GROUPS / "cgroup.controllers").exists()
        if is_v2:
            (GROUPS / "cgroup.subtree_control").write_text("+memory +pids +cpu")
        parents = [GROUPS] if is_v2 else [g for g in GROUPS.iterdir() if (g / "tasks").exists()]
        try:
            for top in (parent / name for parent in parents):
                top.mkdir()
                for file, value in LIMITS.items():
                    if (top / file).exists():
                        (top / file).write_text(value)
                for path in (top, *(top / name for name in DELEGATED)) if owner else ():
                    if path.exists():
                        os.chown(path, owner, owner)
                for file in () if is_v2 else ("cpuset.cpus", "cpuset.mems"):
                    if (top / file).exists():
                        (top / file).write_text((top.parent / file).read_text())
            yield name
        finally:
            for folder in (folder for parent in parents for folder, _, _ in os.walk(parent / name, topdown=False)):
                wait_until(lambda folder=folder: is_removed(folder))

    def contained(self, flags: str, *args: str, owner: int = 0) -> Result:
        """Run glovebox in such a container; its group is that user's."""
        env = ["env", "-i", "PATH=/usr/bin:/bin:/usr/sbin:/sbin", f"HOME={self.home}"]
        with self.group(owner) as group:
            enter = ["/usr/bin/python3", str(self.script), "--group", group, *flags.split()]
            result = execute([*env, *enter, str(self.program), *args])
        if result.err.startswith("cannot: "):
            self.skipTest(result.err)
        return result

    def rows(self, flags: str) -> dict[str, Any]:
        """Return doctor's rows there, by name."""
        return {row["name"]: row for row in json.loads(self.contained(flags, "doctor", "--json").out)["rows"]}

    def assert_lacks(self, flags: str, docker: str, *kinds: str) -> None:
        """Assert that doctor names these flags of Docker's, and facts of these kinds."""
        row = self.rows(flags)["in a container"]
        for kind in ("a pid namespace", *kinds):
            self.assertIn(kind, row["text"])
        self.assertEqual((row["remedy"] or "").partition(";")[0], docker)

    def test_docker_as_it_is(self) -> None:
        row = self.rows("")["in a container"]
        self.assertEqual(
            row["remedy"],
            "docker run --security-opt seccomp=unconfined --security-opt systempaths=unconfined "
            "--security-opt writable-cgroups=true --cap-add SYS_ADMIN; "
            "podman run --security-opt seccomp=unconfined --security-opt unmask=ALL "
            "--security-opt unmask=/sys/fs/cgroup --cap-add SYS_ADMIN; "
            "Kubernetes: seccompProfile: Unconfined, procMount: Unmasked, containerd's cgroup_writable, "
            "capabilities: add: [SYS_ADMIN]",
        )
        said = self.contained("", "run", *BARE, "host", "true")
        words = "--security-opt seccomp=unconfined --security-opt systempaths=unconfined --user 1000"
        self.assert_refused(said, message("namespaces_cause_is_powerless", "CAP_SYS_ADMIN"), message("container_advise#container", words))
        said = self.contained(f"--uid {self.uid}", "run", *BARE, "host", "true")
        self.assert_refused(said, message("namespaces_cause_is_filter"), words.removesuffix(" --user 1000"))

    def test_each_flag_that_lacks_is_named(self) -> None:
        option = "docker run --security-opt "
        user = f"--groups rw --uid {self.uid}"
        self.assert_lacks(f"--unmasked {user}", f"{option}seccomp=unconfined", "a system call filter")
        self.assert_lacks(f"--unfiltered {user}", f"{option}systempaths=unconfined", "mounts over /proc")
        self.assert_lacks("--unmasked --unfiltered --groups rw", "docker run --cap-add SYS_ADMIN", "no CAP_SYS_ADMIN")
        self.assert_lacks(
            "--unmasked --unfiltered --caps", f"{option}writable-cgroups=true", "control groups read-only"
        )
        for flags, words in (
            (f"--unmasked {user}", "seccomp=unconfined"),
            (f"--unfiltered {user}", "systempaths=unconfined"),
            ("--unmasked --unfiltered --groups rw", "--user 1000"),
        ):
            self.assert_refused(self.contained(flags, "run", *BARE, "host", "true"), words)
        said = self.contained("--unmasked --unfiltered --caps", "run", "host", "true")
        self.assert_refused(said, message("cgroup_not_given#those"), "writable-cgroups=true")

    def test_without_limits_of_its_own(self) -> None:
        """What holds is what the container has."""
        for flags in (f"--unmasked --unfiltered --uid {self.uid}", "--unmasked --unfiltered --caps"):
            self.assert_prints("ok", self.contained(flags, "run", *BARE, "host", "echo", "ok"))

    def test_with_every_flag(self) -> None:
        flags = "--unmasked --unfiltered --caps --groups rw"
        self.assert_prints("ok", self.contained(flags, "run", "host", "echo", "ok"))
        said = self.assert_status(self.contained(flags, "doctor", "--json")).json
        self.assertTrue(said["usable"])
        row = next(row for row in said["rows"] if row["name"] == "in a container")
        self.assertEqual((row["state"], row["remedy"]), ("ok", None))

    def test_a_user_with_a_group_of_its_own(self) -> None:
        """Runtimes give a container's group to its user where it may be written to; no capability is needed."""
        flags = f"--unmasked --unfiltered --groups rw --uid {self.uid}"
        self.assert_prints("ok", self.contained(flags, "run", "host", "echo", "ok", owner=self.uid))

    def test_the_limits_of_the_container_are_told(self) -> None:
        text = "memory 300 MiB, 77 processes, 1.50 CPUs for all that runs here"
        for flags in ("", "--groups rw --caps"):
            row = self.rows(flags)["outer limits"]
            self.assertEqual(row["text"].partition(":")[0], text)
            self.assertEqual(row["state"], "note")  # the default --memory is larger

    def test_the_limits_of_the_container_hold(self) -> None:
        flags = "--unmasked --unfiltered --caps --groups rw"
        code = "x = bytearray(1 << 30)"
        said = self.contained(flags, "run", "--memory=2g", "--json", "host", "python3", "-c", code)
        self.assertEqual(json.loads(said.out)["verdict"], "memory", said.err)


class Told(Case):
    """What it says where nothing lacks, or nothing can be given."""

    def test_a_file_makes_no_container(self) -> None:
        """Only Docker's and Podman's files are there."""
        doctor = [GLOVEBOX, "doctor", "--json"]
        fake = 'mount -t tmpfs none /run; touch /run/.containerenv; exec "$@"'
        enter = ["unshare", "--mount", "--propagation", "private", "sh", "-ec", fake, "-"]
        if execute([*enter, "true"]).status:
            self.skipTest("cannot: no mount namespace for this user")
        texts = {
            next(row["text"] for row in execute(words).json["rows"] if row["name"] == "in a container")
            for words in (doctor, [*enter, *doctor])
        }
        self.assertEqual(len(texts), 1, texts)

    def test_one_of_ours_holds_no_other(self) -> None:
        program = Path(GLOVEBOX).resolve().parent.parent
        inside = ["/g/bin/glovebox", "run", *BARE, "host", "true"]
        for flags, why in (
            ((), message("namespaces_cause_is_in_sandbox#system")),
            (("--security-opt=seccomp=unconfined",), message("namespaces_cause_is_in_sandbox#user namespace")),
            (("--security-opt=seccomp=unconfined", "-u", "0"), ""),
        ):
            with self.subTest(flags):
                said = run(f"--volume={program}:/g:ro", f"--env={NO_LEAK_CHECK}", *flags, argv=inside)
                self.assert_refused(self.mapped(said), why, message("namespaces_cause_is_in_sandbox#sandbox"))


class Unshare(Stranger):
    """A container that an ordinary user makes without any runtime: one id, a new /proc, no network."""

    uid = FIRST_UID + 2

    def unshared(self, flag: str, *args: str) -> Result:
        """Run a program there."""
        ids = ["setpriv", f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups", "--inh-caps=-all"]
        enter = ["unshare", "--user", flag, "--mount", "--pid", "--fork", "--mount-proc", "--net"]
        env = ["env", "-i", "PATH=/usr/bin:/bin:/usr/sbin:/sbin", f"HOME={self.home}"]
        return execute([*env, *ids, *enter, *args], cwd="/")

    def setUp(self) -> None:
        """Without user namespaces there is none."""
        super().setUp()
        if self.unshared("--map-root-user", "true").status:
            self.skipTest("cannot: no user namespace for this user")

    def test_root_there_has_too_few_ids(self) -> None:
        said = self.unshared("--map-root-user", str(self.program), "run", *BARE, "host", "true")
        self.assert_refused(said, message("idmap_check_ids"))
        said = self.unshared("--map-root-user", str(self.program), "doctor", "--json")
        rows = {row["name"]: row for row in self.assert_status(said, 1).json["rows"]}
        self.assertEqual(rows["ids"]["state"], "no")
        self.assertTrue(rows["in a container"]["text"].startswith("yes: a user namespace, a pid namespace"))

    def test_a_user_there_is_a_user(self) -> None:
        said = self.unshared("--map-current-user", str(self.program), "run", *BARE, "host", "echo", "ok")
        self.assert_prints("ok", said)
