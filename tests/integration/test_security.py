"""--security-opt: the shipped profile, one from a file, and none on request."""

import json

from support.case import Case
from support.run import FIXTURES, run

SECCOMP = "grep ^Seccomp: /proc/self/status | cut -f2"
NO_MKDIR = FIXTURES / "seccomp-no-mkdir.json"


class Seccomp(Case):
    """seccomp=FILE is Docker's profile format."""

    kernel = True

    def test_shipped_profile_unless_told_otherwise(self) -> None:
        for flags in ([], ["--security-opt", "seccomp=builtin"]):
            with self.subTest(flags=flags):
                self.assert_prints("2", run(*flags, sh=SECCOMP))

    def test_unconfined_is_the_users_word(self) -> None:
        self.assert_prints("0", run("--security-opt", "seccomp=unconfined", sh=SECCOMP))

    def test_profile_from_a_file(self) -> None:
        script = """
import os, socket
for attempt in (lambda: os.mkdir("/tmp/d"), lambda: socket.socket(socket.AF_INET),
                lambda: socket.socket(socket.AF_UNIX), lambda: os.sched_yield()):
    try:
        attempt(); print("allowed", flush=True)
    except OSError as error:
        print(error.errno, flush=True)
"""
        for form in (f"seccomp={NO_MKDIR}", f"seccomp:{NO_MKDIR}"):
            with self.subTest(form=form):
                result = run("--security-opt", form, py=script)
                self.assert_status(result, 159)  # SIGSYS
                self.assertEqual(result.out.split(), ["95", "1", "allowed"])

    def test_a_profile_changes_nothing_else(self) -> None:
        script = "cat /proc/self/status; touch /usr/x 2>/dev/null && echo writable"
        for option in (f"seccomp={NO_MKDIR}", "seccomp=unconfined"):
            with self.subTest(option=option):
                result = run("--security-opt", option, sh=script)
                self.assertIn("NoNewPrivs:\t1\n", result.out)
                self.assertIn("CapEff:\t0000000000000000\n", result.out)
                self.assertNotIn("writable", result.out)

    def test_a_kill_by_the_filter_is_the_verdict_syscall(self) -> None:
        script = "import os; os.sched_yield()"
        result = run("--json", "--security-opt", f"seccomp={NO_MKDIR}", py=script)
        self.assertEqual(result.json["verdict"], "syscall")
        self.assertEqual(result.json["signal"], 31)

    def test_bad_profiles_are_refused(self) -> None:
        good = json.loads(NO_MKDIR.read_text())
        rows = [
            b"",
            b"{",
            b"[]",
            b"\xff\xfe",
            b"[" * 100_000,
            b"{}",
            json.dumps(good | {"defaultAction": "SCMP_ACT_NONSENSE"}).encode(),
            json.dumps(good | {"syscalls": "x"}).encode(),
            json.dumps(good | {"syscalls": [{"names": ["mkdir"], "action": "NOPE"}]}).encode(),
            json.dumps(good | {"syscalls": [{"names": [1], "action": "SCMP_ACT_ALLOW"}]}).encode(),
        ]
        for number, content in enumerate(rows):
            path = self.file(f"profile{number}", content)
            with self.subTest(content=content[:60]):
                option = f"seccomp={path}"
                self.assert_refused(run("--security-opt", option, argv=["/bin/true"]), "seccomp")

    def test_unknown_system_calls_may_be_allowed_but_not_denied(self) -> None:
        rules = [{"names": ["no_such_call"], "action": "SCMP_ACT_ALLOW"}]
        profile = {"defaultAction": "SCMP_ACT_ALLOW", "syscalls": rules}
        path = self.file("allows", json.dumps(profile))
        self.assert_status(run("--security-opt", f"seccomp={path}", argv=["/bin/true"]))
        rules[0]["action"] = "SCMP_ACT_ERRNO"
        path = self.file("denies", json.dumps(profile))
        result = run("--security-opt", f"seccomp={path}", argv=["/bin/true"])
        self.assert_refused(result, "no_such_call")

    def test_a_directory_is_refused(self) -> None:
        option = f"seccomp={self.folder}"
        self.assert_refused(run("--security-opt", option, argv=["/bin/true"]), str(self.folder))
