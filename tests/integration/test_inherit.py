"""What the caller has and the program must not get."""

import os
import resource
import signal
import socket
import subprocess
import unittest
from collections.abc import Callable
from typing import Any

from support.case import Case
from support.run import IS_ROOT, PYTHON, Result, command, run


def run_after(prepare: Callable[[], object], *flags: str, **kind: Any) -> Result:
    """Run a sandbox from a process that prepared itself in some way."""
    done = subprocess.run(
        command(*flags, **kind), stdin=subprocess.DEVNULL, capture_output=True, preexec_fn=prepare
    )
    return Result(done.returncode, done.stdout, done.stderr)


class Inherited(Case):
    """Descriptors, signals, limits, environment and the rest stay outside."""

    as_user = (
        "test_limits",
        "test_a_low_hard_limit_of_the_caller_is_no_obstacle",
        "test_core_dumps_stay_off",
        "test_oom_score",
        "test_scheduling_policy",
        "test_keyring",
        "test_securebits_and_dumpable",
    )

    def test_descriptors(self) -> None:
        secret = self.file("secret", "s3cret")
        fds = [os.open(secret, os.O_RDONLY), os.open("/", os.O_RDONLY), *os.pipe()]
        sockets = socket.socketpair()
        fds += [s.fileno() for s in sockets]
        high = 5000 if resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 5000 else 500
        os.dup2(fds[1], high)
        fds.append(high)
        try:
            listing = "import os; print(sorted(os.listdir('/proc/self/fd'), key=int))"
            done = subprocess.run(command(py=listing), capture_output=True, pass_fds=fds)
            self.assertEqual(done.stdout.decode().strip(), "['0', '1', '2', '3']", done.stderr)
            # nor does any other process inside, pid 1 above all, show them
            script = "for p in /proc/[0-9]*; do ls -l $p/fd 2>/dev/null; done; true"
            done = subprocess.run(command(sh=script), capture_output=True, pass_fds=fds)
            self.assertNotIn(str(secret).encode(), done.stdout)
        finally:
            for fd in fds[:4] + [high]:
                os.close(fd)
            for s in sockets:
                s.close()

    def test_umask(self) -> None:
        for mask in (0o077, 0o000):
            result = run_after(lambda mask=mask: os.umask(mask) and None, sh="umask")
            self.assert_prints("0022", result)

    def test_blocked_signals(self) -> None:
        block = lambda: signal.pthread_sigmask(
            signal.SIG_BLOCK, signal.valid_signals()
        )  # noqa: E731
        self.assert_prints(
            "0" * 16, run_after(block, sh="grep ^SigBlk /proc/self/status | cut -f2")
        )

    def test_ignored_signals(self) -> None:
        def ignore() -> None:
            for number in (
                signal.SIGPIPE,
                signal.SIGTERM,
                signal.SIGINT,
                signal.SIGUSR1,
                signal.SIGCHLD,
            ):
                signal.signal(number, signal.SIG_IGN)

        result = run_after(ignore, sh="grep ^SigIgn /proc/self/status | cut -f2")
        self.assert_prints("0" * 16, result)

    def test_blocked_signals_do_not_keep_glovebox_alive(self) -> None:
        block = lambda: signal.pthread_sigmask(
            signal.SIG_BLOCK, [signal.SIGCHLD, signal.SIGALRM]
        )  # noqa: E731
        self.assert_status(run_after(block, "--timeout", "1", sh="sleep 1000"), 124)

    def test_limits(self) -> None:
        soft = {
            resource.RLIMIT_NOFILE: 99,
            resource.RLIMIT_FSIZE: 1 << 40,
            resource.RLIMIT_STACK: 4 << 20,
        }

        def lower() -> None:
            for limit, value in soft.items():
                resource.setrlimit(limit, (value, resource.getrlimit(limit)[1]))

        script = """
import resource as r
print(*[r.getrlimit(l) for l in (r.RLIMIT_NOFILE, r.RLIMIT_FSIZE, r.RLIMIT_STACK)])
"""
        plain = self.assert_status(run(py=script))
        self.assert_prints(plain.out.strip(), run_after(lower, py=script))

    def test_a_low_hard_limit_of_the_caller_is_no_obstacle(self) -> None:
        lower = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))  # noqa: E731
        result = self.assert_status(run_after(lower, sh="ulimit -Hn"))
        self.assertIn(result.out.strip(), ("200", run(sh="ulimit -Hn").out.strip()))

    def test_core_dumps_stay_off(self) -> None:
        raise_it = lambda: resource.setrlimit(  # noqa: E731
            resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2
        )
        self.assert_prints("0\n0", run_after(raise_it, sh="ulimit -Sc; ulimit -Hc"))

    @unittest.skipUnless(IS_ROOT, "cannot: only root can take back a nice value")
    def test_nice(self) -> None:
        nice = lambda: os.nice(7) and None  # noqa: E731
        self.assert_prints("0", run_after(nice, py="import os; print(os.nice(0))"))

    def test_oom_score(self) -> None:
        def adjust() -> None:
            with open("/proc/self/oom_score_adj", "w") as file:
                file.write("333")

        plain = self.assert_status(run(sh="cat /proc/self/oom_score_adj"))
        self.assertGreater(int(plain.out), 0)
        self.assert_prints(plain.out.strip(), run_after(adjust, sh="cat /proc/self/oom_score_adj"))

    def test_scheduling_policy(self) -> None:
        batch = lambda: os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))  # noqa: E731
        self.assert_prints("0", run_after(batch, py="import os; print(os.sched_getscheduler(0))"))

    def test_the_lowest_policy_stays_where_nobody_may_raise_it(self) -> None:
        idle = lambda: os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))  # noqa: E731
        result = self.assert_status(run_after(idle, py="import os; print(os.sched_getscheduler(0))"))
        self.assertIn(int(result.out), (os.SCHED_OTHER, os.SCHED_IDLE))

    def test_environment_of_no_process_shows_the_callers(self) -> None:
        script = (
            "cat /proc/1/environ /proc/self/environ /proc/1/cmdline 2>/dev/null | tr '\\0' '\\n'"
        )
        result = run(sh=script, env={"API_KEY": "s3cret-value"})
        self.assertNotIn("s3cret-value", result.out)

    def test_working_directory(self) -> None:
        result = run(sh="pwd; readlink /proc/self/cwd /proc/1/cwd; true", cwd=self.folder)
        self.assertNotIn(str(self.folder), result.out)
        self.assertNotIn("unreachable", result.out)

    def test_a_working_directory_that_is_gone(self) -> None:
        gone = self.subfolder("gone")
        result = subprocess.run(
            ["/bin/sh", "-c", f'cd {gone} && rmdir {gone} && "$@"', "sh", *command(sh="echo ok")],
            capture_output=True,
        )
        self.assertEqual(result.stdout, b"ok\n", result.stderr)

    def test_session_and_process_group(self) -> None:
        script = "import os; print(os.getsid(0) > 0, os.getpgrp() > 0, os.getpgrp() == os.getpid())"
        self.assert_prints("True True True", run(py=script))

    def test_kill_zero_does_not_reach_the_callers_group(self) -> None:
        inside = command(sh="trap '' TERM; kill -TERM 0; kill -TERM -1; true")
        args = ["/bin/sh", "-c", '"$@"; echo alive', "sh", *inside]
        done = subprocess.run(args, capture_output=True, start_new_session=True)
        self.assertEqual(done.stdout, b"alive\n", done.stderr)

    def test_keyring(self) -> None:
        # the caller's session keyring must not be the program's
        script = """
import ctypes, os, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall(250, 1, b"caller")
key = libc.syscall(248, b"user", b"glovebox-test", b"s3cret", 6, -3)
if key < 0:
    print("no keys here", flush=True)
else:
    os.execv(sys.argv[1], sys.argv[1:])
"""
        if os.uname().machine != "x86_64":
            self.skipTest("cannot: written with the system call numbers of x86_64")
        args = [
            PYTHON,
            "-c",
            script,
            *command(sh="cat /proc/keys /proc/self/keys 2>/dev/null; echo end"),
        ]
        done = subprocess.run(args, capture_output=True)
        self.assertNotIn(b"glovebox-test", done.stdout)

    def test_securebits_and_dumpable(self) -> None:
        result = run(
            py="import ctypes; p = ctypes.CDLL(None).prctl; print(p(3), p(1, 0), p(39, 0, 0, 0, 0))"
        )
        self.assert_status(result)
        self.assertTrue(result.out.strip().endswith("1"))  # no_new_privs

    def test_personality(self) -> None:
        result = run(py="print(open('/proc/self/personality').read())")
        if result.status == 0:
            self.assertIn(result.out.strip(), ("00000000", "00040000"))
