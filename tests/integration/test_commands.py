"""help, --version and doctor."""

import re

from harness import Case, execute, glovebox, GLOVEBOX, IS_ROOT, run

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

    def test_output_that_nobody_reads(self) -> None:
        shell = ["/bin/sh", "-c", '"$0" help run | true', GLOVEBOX]
        self.assert_status(execute(shell))
