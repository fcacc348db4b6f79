"""Exit statuses: the program's own, 125, 126, 127, and 128+n for every signal."""

import signal
import subprocess
import sys

from support.case import Case
from support.run import command, execute, parallel, run
from support.times import sample

IGNORED = {signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH}
STOPPING = {signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU}


class ExitStatus(Case):
    """The status of glovebox is the program's."""

    def test_every_exit_status(self) -> None:
        statuses = sample(range(256))
        results = parallel(lambda n: run(sh=f"exit {n}"), statuses)
        self.assertEqual([r.status for r in results], statuses)
        self.assertEqual({r.stderr for r in results}, {b""})

    def test_every_signal(self) -> None:
        fatal = sample([n for n in range(1, 65) if n not in IGNORED | STOPPING])
        results = parallel(lambda n: run(sh=f"kill -{n} $$; echo survived"), fatal)
        self.assertEqual([r.status for r in results], [128 + n for n in fatal])
        self.assertEqual({r.stdout for r in results}, {b""})

    def test_signals_that_do_nothing_by_default(self) -> None:
        for number in IGNORED:
            with self.subTest(number=number):
                self.assert_prints("survived", run(sh=f"kill -{number} $$; echo survived"))

    def test_no_core_dump_is_left(self) -> None:
        result = run("-v", f"{self.subfolder('w')}:/w", "-w", "/w", sh="kill -SEGV $$")
        self.assert_status(result, 139)
        self.assertEqual(list((self.folder / "w").iterdir()), [])

    def test_program_that_looks_like_a_signal(self) -> None:
        self.assert_status(run(sh="exit 137"), 137)
        self.assertEqual(run(sh="exit 124").stderr, b"")


class CannotStart(Case):
    """125, 126 and 127, as docker run has them."""

    def test_not_found(self) -> None:
        for name in ("no-such-program", "/no/such/program", "./nothing", "/etc/passwd/x"):
            with self.subTest(name=name):
                result = run(argv=[name])
                self.assert_status(result, 127)
                self.assertIn(name, result.err)

    def test_found_but_not_executable(self) -> None:
        for name in ("/etc/passwd", "/usr", "/"):
            with self.subTest(name=name):
                result = run(argv=[name])
                self.assert_status(result, 126)
                self.assertIn(name, result.err)

    def test_script_without_interpreter(self) -> None:
        script = self.file("s", "#!/no/such/interpreter\n")
        script.chmod(0o755)
        self.assert_status(run("-v", f"{script}:/s:ro", argv=["/s"]), 127)

    def test_text_file_without_a_first_line(self) -> None:
        script = self.file("s", "echo hi\n")
        script.chmod(0o755)
        self.assert_status(run("-v", f"{script}:/s:ro", argv=["/s"]), 126)

    def test_names_are_looked_up_in_the_path_of_the_sandbox(self) -> None:
        self.assert_status(run("-e", "PATH=/nowhere", argv=["true"]), 127)
        self.assert_status(run("-e", "PATH=/usr/bin", argv=["true"]), 0)
        self.assert_status(run(argv=["true"], env={"PATH": "/nowhere"}), 0)

    def test_empty_name(self) -> None:
        self.assertIn(run(argv=[""]).status, (125, 126, 127))


class Lifetime(Case):
    """The sandbox ends when its program ends."""

    kernel = True

    def test_what_runs_in_the_background_ends_with_the_program(self) -> None:
        self.assert_prints("done", run(sh="sleep 1000 & echo done"))
        self.assert_prints("done", run(sh="setsid sleep 1000 & (sleep 1000 &) & echo done"))

    def test_orphans_are_reaped(self) -> None:
        script = """
for i in 1 2 3 4 5 6 7 8; do (true & true &); done
while grep -sq '^State:.Z' /proc/[0-9]*/status; do sleep 0.05; done
echo clean"""
        self.assert_prints("clean", run("--timeout", "60", sh=script))

    def test_more_children_than_pids_one_after_the_other(self) -> None:
        script = "i=0; while [ $i -lt 100 ]; do /bin/true; i=$((i+1)); done; echo $i"
        self.assert_prints("100", run("--pids-limit", "6", sh=script))

    def test_status_does_not_depend_on_how_the_caller_waits(self) -> None:
        # a caller that ignores SIGCHLD hands that to its children
        ignore = "import signal,os,sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        ignore += "os.execv(sys.argv[1], sys.argv[1:])"
        done = execute([sys.executable, "-c", ignore, *command(sh="exit 7")])
        self.assert_status(done, 7)

    def test_closed_standard_streams_of_the_caller(self) -> None:
        for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            with self.subTest(closed=closed):
                shell = ["/bin/sh", "-c", f'"$@" {closed}', "sh", *command(sh="exit 7")]
                self.assertEqual(subprocess.run(shell, capture_output=True).returncode, 7)
