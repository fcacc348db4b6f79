"""Where the kernel makes no namespaces, every command says why and what to do."""

import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from support.case import Case
from support.messages import message, named
from support.run import GLOVEBOX, IS_ROOT, Result, execute

ENTER = ["unshare", "--mount", "--propagation", "private"]
ENTER_AS_USER = ["unshare", "--user", "--map-current-user", "--keep-caps", "--mount"]

# All of this machine, at another place.
CHROOT = 'mount --rbind / "$0" && mount --make-rprivate "$0" && exec chroot "$0" "$@"'
LIMITED = Path(__file__).with_name("limited_namespaces.py")

REASON = message("namespaces_cause_is_chroot")
REMEDY = "pivot_root(8)"


class Refused(Case):
    as_user = True

    def in_a_chroot(self, *args: str) -> Result:
        """Run the binary in a chroot, which nobody else sees."""
        place = self.folder / "root"
        place.mkdir(exist_ok=True)
        enter = ENTER if IS_ROOT else ENTER_AS_USER
        return execute([*enter, "sh", "-c", CHROOT, str(place), GLOVEBOX, *args])

    def limited(self, kind: str, *args: str) -> Result:
        """Run the binary where a limit is 0."""
        return execute([sys.executable, str(LIMITED), kind, GLOVEBOX, *args])

    def setUp(self) -> None:
        """Without user namespaces nothing can be limited."""
        super().setUp()
        if subprocess.run([*ENTER_AS_USER, "true"], capture_output=True).returncode:
            self.skipTest("cannot: no user namespace for this user")

    def test_a_chroot_is_named_by_run(self) -> None:
        self.assert_refused(self.in_a_chroot("run", "host", "true"), REASON, REMEDY)

    @unittest.skipUnless(IS_ROOT, "cannot: only root maps ids of mounts")
    def test_a_chroot_is_named_by_a_volume(self) -> None:
        source = str(self.folder / "data")
        os.mkdir(source)
        result = self.in_a_chroot("run", "-v", f"{source}:/data", "host", "true")
        self.assert_refused(result, message("idmap_spawn_holder#map ids in: "), REASON, REMEDY)

    def test_a_chroot_is_named_by_doctor(self) -> None:
        result = self.assert_status(self.in_a_chroot("doctor"), 1)
        self.assertRegex(result.out, message("namespaces_cause_is_chroot", "NO   user namespaces   refused: "))

    def test_a_limit_is_named_by_run(self) -> None:
        for kind in ("user", "mnt", "pid", "ipc", "uts", "net", "cgroup"):
            with self.subTest(kind=kind):
                result = self.limited(kind, "run", "host", "true")
                self.assert_refused(result, message("namespaces_cause_describe_limit#root", f"user.max_{kind}_namespaces", 0), "sysctl -w")

    def test_a_limit_is_named_by_doctor(self) -> None:
        for kind in ("user", "net"):
            with self.subTest(kind=kind):
                result = self.assert_status(self.limited(kind, "doctor"), 1)
                self.assertIn(f"refused: user.max_{kind}_namespaces is 0", result.out)


class Old(Case):
    """What an older kernel lacks is named before anything is begun, not where it is first missed."""

    as_user = True
    MOUNT_SETATTR = "442"
    WORDS = ("mount_setattr(2)", message("namespaces_cause_is_filter"))

    def without(self, *args: str | Path) -> Result:
        """Run the binary where there is no mount_setattr(2)."""
        helper = Path(__file__).with_name("without_call.py")
        return execute([sys.executable, str(helper), self.MOUNT_SETATTR, *map(str, args)])

    def test_every_command_names_it(self) -> None:
        data = self.subfolder("data")
        for words in (
            ["run", "host", "true"],
            ["run", "--memory", "0", "--cpus", "0", "--pids-limit", "0", "-v", f"{data}:/x", "host", "true"],
            ["warm", "start", "--image", "host"],
        ):
            with self.subTest(words=words):
                self.assert_refused(self.without(GLOVEBOX, *words), *self.WORDS)

    def test_doctor_names_it(self) -> None:
        rows = {row["name"]: row for row in self.without(GLOVEBOX, "doctor", "--json").json["rows"]}
        for name in ("kernel", "run", "warm, sessions"):
            self.assertEqual(rows[name]["state"], "no", rows[name])
        for words in self.WORDS:
            self.assertRegex(rows["kernel"]["text"], named(words))
        if IS_ROOT:
            self.assertEqual(rows["id-mapped mounts"]["state"], "note")

    def test_building_names_it(self) -> None:
        image = Path(GLOVEBOX).with_name("glovebox-image")
        if not image.exists():
            self.skipTest("the one file has it inside")
        said = self.assert_status(self.without(image, "build", "slim"), 125)
        programs = [name for name in ("mmdebstrap", "newuidmap") if not shutil.which(name)]
        reasons = [self.WORDS[0], *programs, *([] if IS_ROOT else ["/etc/subuid"])]
        self.assertTrue(any(reason in said.err for reason in reasons), said.err)
