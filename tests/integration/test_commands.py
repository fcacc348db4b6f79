"""help, --version and doctor."""

import re
from pathlib import Path

from support.case import Case
from support.run import GLOVEBOX, IS_ROOT, Result, execute, glovebox, run

FLAGS = """
--rm --network --read-only --tmpfs --memory --memory-swap --cpus --cpu-period --cpu-quota
--cpuset-cpus --pids-limit --security-opt --volume --mount --env --env-file --workdir --user
--entrypoint --interactive --tty --init --stop-timeout --stop-signal --cap-drop --ulimit
--shm-size --name --hostname --cidfile --label --pull --platform --quiet --timeout --cpu-time
--output-limit --workspace --output --code --json --result-file --explain
""".split()


class Help(Case):
    """Help comes from the parser's tables."""

    def test_version(self) -> None:
        for args in (["--version"], ["version"]):
            with self.subTest(args=args):
                result = self.assert_status(glovebox(*args))
                self.assertRegex(result.out, r"\d+\.\d+\.\d+")

    def test_help(self) -> None:
        texts = {glovebox(*args).out for args in (["help"], ["--help"])}
        self.assertEqual(len(texts), 1)
        for name in ("run", "image", "doctor", "help"):
            self.assertIn(name, max(texts))

    def test_help_of_run_names_every_flag(self) -> None:
        for args in (["help", "run"], ["run", "--help"]):
            result = self.assert_status(glovebox(*args))
            for flag in FLAGS:
                with self.subTest(args=args, flag=flag):
                    self.assertRegex(result.out, re.escape(flag) + r"\b")

    def test_every_flag_that_help_names_exists(self) -> None:
        text = glovebox("help", "run").out
        for flag in sorted(set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))):
            with self.subTest(flag=flag):
                result = run(f"{flag}=\x01", argv=["/bin/true"], cwd=self.folder)
                self.assertNotIn("unknown flag", result.err)

    def test_lines_fit_a_terminal(self) -> None:
        for line in glovebox("help", "run").out.splitlines():
            self.assertLessEqual(len(line), 120, line)

    def test_help_of_other_commands(self) -> None:
        for name in ("image", "doctor"):
            with self.subTest(name=name):
                self.assertTrue(self.assert_status(glovebox("help", name)).out)

    def test_unknown_commands_are_named(self) -> None:
        for args in (["nonsense"], ["help", "nonsense"], ["--nonsense"]):
            with self.subTest(args=args):
                result = glovebox(*args)
                self.assertNotIn(result.status, (0, 139, 134))
                self.assertIn("nonsense", result.err)

    def test_no_command(self) -> None:
        result = glovebox()
        self.assertIn("run", result.out + result.err)

    def test_without_any_argument_vector(self) -> None:
        code = f"import os; os.execve({GLOVEBOX!r}, [''], {{}})"
        self.assertGreaterEqual(execute(["python3", "-c", code]).status, 0)

    def test_doctor(self) -> None:
        result = glovebox("doctor")
        self.assertIn(result.status, (0, 1), result.err)
        for word in ("user namespace", "cgroup", "landlock", "seccomp"):
            with self.subTest(word=word):
                self.assertIn(word, result.out.lower())
        self.assertLess(len(result.out.splitlines()), 40, "one screen")
        if IS_ROOT:
            self.assert_status(result)

    def doctor_says(self, mount: str, *words: str | Path) -> Result:
        """Ask it where something else is mounted in /proc, on behalf of a shell's words."""
        if not IS_ROOT:
            self.skipTest("cannot: only root may mount")
        # by its descriptor: another user may not be able to go where it is
        shell = f'exec 9< "$0"; {mount}; exec "$@" /proc/self/fd/9 doctor'
        return execute(["unshare", "--mount", "sh", "-ec", shell, GLOVEBOX, *words])

    def test_doctor_knows_of_programs_that_take_cores(self) -> None:
        pattern = self.file("pattern", "|/bin/true %p")
        mount = f"mount --bind {pattern} /proc/sys/kernel/core_pattern"
        result = self.assert_status(self.doctor_says(mount, "prlimit", "--core=0"), 1)
        self.assertRegex(result.out, "(?m)^NO +core dumps .*: ulimit -Hc must be 1 or more$")
        result = self.doctor_says(mount, "prlimit", "--core=1")
        self.assertRegex(result.out, "(?m)^ok +core dumps .* not those of sandboxes$")
        result = self.doctor_says("true", "prlimit", "--core=0")
        if open("/proc/sys/kernel/core_pattern", encoding="ascii").read(1) not in "|@":
            self.assertRegex(result.out, "(?m)^ok +core dumps ")

    def test_doctor_knows_of_a_proc_that_hides_processes(self) -> None:
        user = ("setpriv", "--reuid=1234", "--regid=1234", "--groups")
        for level in ("hidepid=1", "hidepid=2"):
            mount = f"mount -t proc -o {level},gid=4321 proc /proc"
            with self.subTest(level=level):
                result = self.assert_status(self.doctor_says(mount, *user, "1234"), 1)
                self.assertRegex(result.out, r"(?m)^NO +/proc .*\(hidepid\): .* gid=GROUP ")
                result = self.doctor_says(mount, *user, "4321")
                self.assertRegex(result.out, "(?m)^ok +/proc ")
                result = self.doctor_says(mount)
                self.assertRegex(result.out, "(?m)^ok +/proc ")

    def test_output_that_nobody_reads(self) -> None:
        shell = ["/bin/sh", "-c", '"$0" help run | true', GLOVEBOX]
        self.assert_status(execute(shell))


class Defaults(Case):
    """What help says of a limit is what a run without flags gets."""

    def setUp(self) -> None:
        super().setUp()
        lines = glovebox("help", "run").out.splitlines()
        found = (re.match(r"  .{4}--([a-z-]+) .* \[(.*)\]$", line) for line in lines)
        self.said = {match[1]: match[2] for match in found if match}

    def test_limits_are_those_of_explain(self) -> None:
        text = self.assert_status(run("--explain", argv=["/bin/true"])).out
        shown = dict(re.findall(r"(?m)^(memory|swap|pids|cpus|output) +(\S+)$", text))
        expected = {"memory": self.said["memory"], "pids": self.said["pids-limit"],
                    "cpus": self.said["cpus"], "output": self.said["output-limit"],
                    "swap": "0"}  # fmt: skip
        self.assertEqual(shown, expected)
        self.assertEqual(self.said["memory-swap"], "no swap")
        for name in ("timeout", "cpu-time"):
            self.assertNotIn(name, self.said)
        self.assertRegex(text, "(?m)^wall time +no limit$")
        self.assertRegex(text, "(?m)^cpu time +no limit$")

    def test_the_rest_is_what_a_program_sees(self) -> None:
        code = ("import os, resource, socket; s = os.statvfs('/dev/shm'); t = os.statvfs('/tmp');"
                " print(resource.getrlimit(resource.RLIMIT_NOFILE), socket.gethostname(),"
                " s.f_blocks * s.f_frsize >> 20, t.f_blocks * t.f_frsize >> 20)")  # fmt: skip
        nofile = tuple(map(int, re.findall(r"\d+", self.said["ulimit"])))
        sizes = [int(re.sub(r".*?(\d+)m$", r"\1", self.said[name])) for name in ("shm-size", "tmpfs")]
        self.assert_prints(f"{nofile} {self.said['hostname']} {sizes[0]} {sizes[1]}",
                           run(argv=["python3", "-c", code]))  # fmt: skip
