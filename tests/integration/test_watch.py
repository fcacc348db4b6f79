"""glovebox selftest --watch: again when something has changed, and compared with the record."""

import contextlib
import json
import os
import shlex
import signal
import socket
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

from support.case import Case
from support.json_doc import faults
from support.messages import message, sentence
from support.run import GLOVEBOX, IS_ROOT, TESTING, Result, execute, places
from support.times import wait_until

KNOWN = "selftest: nothing has changed since "
ONLY = ("--only", "umask")  # one layer, one sandbox or two


class Watch(Case):
    """The record, and what is compared with it."""

    quick = ("test_a_layer_that_is_lost_with_a_kernel",)
    as_user = (
        "test_the_whole_of_it",
        "test_what_is_not_ours_is_refused",
        "test_doctor_shows_the_record",
    )

    def setUp(self) -> None:
        super().setUp()
        self.record = self.folder / "state/glovebox/selftest.json"
        self.temporary = Path(tempfile.mkdtemp(prefix="w-", dir="/tmp"))  # short: a socket lies below
        self.addCleanup(self.temporary.rmdir)
        self.env = {"XDG_STATE_HOME": str(self.folder / "state"), "TMPDIR": str(self.temporary)}

    def watch(self, *args: str, program: str = GLOVEBOX, **env: str) -> Result:
        """Run it; the environment is ours and what is named."""
        given = {"PATH": os.environ["PATH"]} | places() | self.env | env
        return execute([program, "selftest", "--watch", *args], env=given)

    def read(self) -> dict[str, Any]:
        """Return the record, which is as documented."""
        record = json.loads(self.record.read_text())
        self.assertEqual(faults(record, "Watch"), [])
        return record

    def write(self, **basis: str) -> dict[str, Any]:
        """Let the last selftest have been made on something else."""
        record = self.read()
        record["basis"] |= basis
        if "kernel" in basis:
            for held in record["held_with"].values():
                held["kernel"] = basis["kernel"]
        self.record.write_text(json.dumps(record))
        return record

    def test_the_whole_of_it(self) -> None:
        first = self.assert_status(self.watch())
        self.assertRegex(first.out, message("watch_say_why#earlier"))
        self.assertEqual(first.err, "")
        record = self.read()
        self.assertEqual(record["basis"]["kernel"], os.uname().release)
        held = {row["name"] for row in record["selftest"]["layers"] if row["state"] == "held"}
        self.assertEqual(set(record["held_with"]), held)
        self.assertEqual(stat.S_IMODE(self.record.stat().st_mode), 0o644)
        again = self.assert_status(self.watch())
        self.assertTrue(again.out.startswith(KNOWN) and again.out.count("\n") == 1, again.out)
        self.assertEqual(self.assert_status(self.watch("--json")).json, record)
        self.assertEqual(sorted(self.record.parent.iterdir()), [self.record.with_name(".selftest.lock"), self.record])

    def test_each_change_is_named(self) -> None:
        self.assert_status(self.watch(*ONLY))
        for name in self.read()["basis"]:
            with self.subTest(name=name):
                self.write(**{name: "other"})
                said = self.assert_status(self.watch(*ONLY))
                self.assertRegex(said.out, message("watch_say_why#otherwise", name))
        self.assertTrue(self.watch(*ONLY).out.startswith(KNOWN))
        self.assertIn("asked", self.watch("--only", "environment").out)

    def test_a_layer_that_is_lost_with_a_kernel(self) -> None:
        """Falsified: the testing build leaves the step out."""
        now = os.uname().release
        self.assert_status(self.watch(*ONLY, program=TESTING))
        self.write(kernel="6.1.0-40")
        said = self.assert_status(self.watch(*ONLY, program=TESTING, GLOVEBOX_OMIT="umask"), 1)
        complaint = f"glovebox: the layer umask does not hold: held with 6.1.0-40, does not with {now}\n"
        self.assertEqual(said.err, complaint)
        self.assertRegex(said.out, r"(?m)^NO   umask ")
        record = self.read()
        self.assertEqual((record["status"], record["held_with"]["umask"]["kernel"]), (1, "6.1.0-40"))
        # It is tried and said again until it holds.
        said = self.assert_status(self.watch(*ONLY, program=TESTING, GLOVEBOX_OMIT="umask"), 1)
        self.assertEqual(said.err, complaint)
        said = self.assert_status(self.watch(*ONLY, program=TESTING))
        self.assertRegex(said.out, message("watch_say_why#well"))
        self.assertTrue(self.watch(*ONLY, program=TESTING).out.startswith(KNOWN))

    def test_one_that_never_held(self) -> None:
        said = self.assert_status(self.watch(*ONLY, program=TESTING, GLOVEBOX_OMIT="umask"), 1)
        self.assertEqual(said.err, "glovebox: the layer umask does not hold\n")

    def test_what_could_not_be_tried_is_tried_again(self) -> None:
        self.assert_status(self.watch(*ONLY, program=TESTING))
        self.write(kernel="6.1.0-40")
        said = self.assert_status(self.watch(*ONLY, program=TESTING, GLOVEBOX_OMIT="net-ns"), 125)
        self.assertIn("the layer umask could not be tried: ", said.err)
        self.assertEqual(self.read()["held_with"]["umask"]["kernel"], "6.1.0-40")
        self.assert_status(self.watch(*ONLY, program=TESTING))

    @unittest.skipUnless(IS_ROOT, "cannot: only root may unmount")
    def test_a_layer_that_is_not_promised_any_more(self) -> None:
        """It held before: that the kernel lacks it now is not taken silently."""
        only = ("--only", "pids")
        if self.assert_status(self.watch(*only)) and not self.read()["held_with"]:
            self.skipTest("cannot: there is no limit here")
        words = shlex.join([GLOVEBOX, "selftest", "--watch", *only])
        unmounted = ["unshare", "--mount", "sh", "-c", f"umount -R /sys/fs/cgroup && exec {words}"]
        for _ in range(2):
            said = self.assert_status(execute(unmounted, env=self.env), 1)
            self.assertIn("the layer pids is not promised here any more: held on ", said.err)
            self.assertRegex(said.err, message("watch_judge_layer#promised", self.record))
        self.record.unlink()
        self.assert_status(execute(unmounted, env=self.env))

    def test_the_journal_gets_a_priority(self) -> None:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            info = os.fstat(theirs.fileno())
            env = os.environ | self.env | {"GLOVEBOX_OMIT": "umask", "JOURNAL_STREAM": f"{info.st_dev}:{info.st_ino}"}
            words = [TESTING, "selftest", "--watch", *ONLY]
            done = subprocess.run(words, env=env, stderr=theirs, stdout=subprocess.DEVNULL, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(ours.recv(4096), b"<3>glovebox: the layer umask does not hold\n")
        said = self.watch(*ONLY, program=TESTING, GLOVEBOX_OMIT="umask", JOURNAL_STREAM="1:2")
        self.assertTrue(said.err.startswith("glovebox: "), said.err)

    def test_a_broken_record_is_replaced(self) -> None:
        self.assert_status(self.watch(*ONLY))
        whole = self.record.read_bytes()
        for content in (b"", whole[:1000], b"[]", b"{}", b'{"basis":7,"held_with":[]}', b'{"status":0,"held_with":{"umask":3}}'):
            with self.subTest(content=content[:40]):
                self.record.write_bytes(content)
                said = self.assert_status(self.watch(*ONLY))
                self.assertFalse(said.out.startswith(KNOWN))
                self.read()

    def test_what_is_not_ours_is_refused(self) -> None:
        self.assert_status(self.watch(*ONLY))
        other = self.file("other", "{}")
        makers = {"link": self.record.symlink_to, "second name": self.record.hardlink_to}
        for name, make in makers.items():
            with self.subTest(name):
                self.record.unlink()
                make(other)
                said = self.assert_refused(self.watch(*ONLY), message("watch_record_read", "selftest.json"))
                self.assertNotIn("layers hold", said.out)
                self.assertEqual(other.read_text(), "{}")
        self.record.unlink()
        self.record.parent.chmod(0o777)
        self.assert_refused(self.watch(*ONLY), message("watch_record_open_directory#must"))

    @unittest.skipUnless(IS_ROOT, "cannot: only root may give files away")
    def test_another_users_is_refused(self) -> None:
        self.assert_status(self.watch(*ONLY))
        for path in (self.record, self.record.parent):
            with self.subTest(path=path.name):
                os.chown(path, 1234, 1234)
                self.assert_refused(self.watch(*ONLY), "yours alone")
                os.chown(path, 0, 0)

    @unittest.skipUnless(IS_ROOT, "cannot: only root may mount")
    def test_a_full_disk_costs_nothing(self) -> None:
        words = shlex.join([GLOVEBOX, "selftest", "--watch", *ONLY])
        place = shlex.quote(str(self.record.parent))
        script = f"mkdir -p {place} && mount -t tmpfs -o size=64k,mode=755 none {place} && cd {place} && {words} || exit 3;"
        script += f"cp selftest.json .. && sed s/umask/mask/ ../selftest.json > selftest.json && cp selftest.json ../then;"
        script += f"dd if=/dev/zero of=rest bs=4k 2>/dev/null; {words}; s=$?; cmp selftest.json ../then || exit 4; ls -A; exit $s"
        said = self.assert_status(execute(["unshare", "--mount", "sh", "-c", script], env=self.env), 125)
        self.assertIn(f"write {self.record}: No space left on device", said.err)
        self.assertTrue(said.out.endswith("\nrest\nselftest.json\n"), said.out)

    def test_two_at_once_make_one(self) -> None:
        words = [GLOVEBOX, "selftest", "--watch", *ONLY]
        env = os.environ | self.env
        both = [self.start(words, env=env, stdout=subprocess.PIPE) for _ in range(2)]
        said = sorted(process.communicate()[0].decode().startswith(KNOWN) for process in both)
        self.assertEqual([process.returncode for process in both], [0, 0])
        self.assertEqual(said, [False, True])

    def test_a_killed_one_leaves_the_record_and_is_swept(self) -> None:
        self.assert_status(self.watch(*ONLY))
        before = self.write(kernel="6.1.0-40")
        process = self.start([GLOVEBOX, "selftest", "--watch"], env=os.environ | self.env, stdout=subprocess.DEVNULL)
        self.assertTrue(wait_until(lambda: [*self.temporary.glob("glovebox-selftest-*/id.*")]))
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.assertEqual(self.read(), before)
        self.assertEqual(len(os.listdir(self.temporary)), 1)
        self.assert_status(self.watch(*ONLY))
        self.assertEqual(os.listdir(self.temporary), [])

    def test_only_what_was_left_is_swept(self) -> None:
        """Not one that is in use, nor a link, a file, another user's, or one that merely has such a name."""
        names = [self.temporary / f"glovebox-selftest-{name}" for name in ("link", "file", "backup", "theirs")]
        names[0].symlink_to(self.folder)
        names[1].touch()
        names[2].mkdir(mode=0o700)
        kept = names if IS_ROOT else names[:3]
        if IS_ROOT:
            names[3].mkdir()
            names[3].chmod(0o1755)
            os.chown(names[3], 1234, 1234)
        slow = self.start([GLOVEBOX, "selftest"], env=os.environ | self.env, stdout=subprocess.DEVNULL)
        used = wait_until(lambda: [*self.temporary.glob("glovebox-selftest-*/id.*")])[0].parent
        self.assert_status(self.watch(*ONLY))
        self.assertEqual(set(self.temporary.iterdir()), {*kept, *([used] if slow.poll() is None else [])})
        self.assertEqual(slow.wait(), 0)
        self.assertEqual(set(self.temporary.iterdir()), set(kept))
        for path in kept:
            with contextlib.suppress(IsADirectoryError, PermissionError):
                path.unlink()
            if path.is_dir():
                path.rmdir()

    def row(self) -> dict[str, str]:
        """Return what doctor says of it."""
        env = {"PATH": os.environ["PATH"]} | places() | self.env
        rows = execute([GLOVEBOX, "doctor", "--json"], env=env).json["rows"]
        return next(row for row in rows if row["name"] == "selftest")

    def test_doctor_shows_the_record(self) -> None:
        self.assertEqual(self.row()["text"], sentence("doctor_features_check_selftest#never"))
        self.assertFalse(self.record.parent.exists())
        self.assert_status(self.watch(*ONLY))
        self.assertEqual(self.row()["state"], "ok")
        self.assertRegex(self.row()["text"], r"\Aevery promised layer held .*, with this kernel\Z")
        record = self.read()
        self.record.write_text(json.dumps(record | {"status": 1}))
        self.assertEqual(self.row()["state"], "no")
        self.write(kernel="6.1.0-40")
        self.assertEqual(self.row()["state"], "note")
        self.assertRegex(self.row()["text"], r"\Anever with this kernel; the last was .*, with 6\.1\.0-40\Z")
        self.assertEqual(self.row()["remedy"], "glovebox selftest --watch")
        self.record.write_text("{")
        self.assertEqual(self.row()["text"], sentence("doctor_features_check_selftest#last"))
        self.record.parent.chmod(0o777)
        self.assertRegex(self.row()["text"], message("watch_record_open_directory#must"))
