"""help, --version and doctor."""

import os
import re
import shutil
import unittest
from pathlib import Path

from support.case import Case
from support.run import GLOVEBOX, IS_ROOT, Result, execute, glovebox, run

FLAGS = """
--rm --network --read-only --tmpfs --memory --memory-swap --cpus --cpu-period --cpu-quota
--cpuset-cpus --pids-limit --security-opt --volume --mount --env --env-file --workdir --user
--entrypoint --interactive --tty --init --stop-timeout --stop-signal --cap-drop --ulimit
--egress --allow-private --allow-host --publish --egress-rate --egress-bytes --egress-connections --egress-log
--egress-proxy --shm-size --name --hostname --cidfile --label --pull --platform --quiet --timeout --cpu-time
--output-limit --workspace --output --code --json --result-file --explain
""".split()


class Help(Case):
    """Help comes from the parser's tables."""

    as_user = ("test_doctor",)

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

    def test_what_is_refused_stands_below_its_reason(self) -> None:
        page = self.assert_status(glovebox("generate", "man")).out.replace("\\", "")
        title = "RUN: Refused, by reason"
        in_man = page[page.index(title) :].partition(".SH")[0]
        for text in (glovebox("run", "--help").out, glovebox("session", "new", "--help").out, in_man):
            refused = text.partition("Refused, by reason")[2].partition("\n\n")[0]
            self.assertEqual(refused.count("a sandbox is in no network; --egress LIST names what it may reach:"), 1, text)
            for flag in ("--expose", "--restart (unless no)", "--gpus"):
                self.assertEqual(refused.count(flag), 1, refused)
        self.assertLess(len(in_man), len(page) / 6)
        images = self.assert_status(glovebox("images", "--help")).out
        self.assertRegex(images, "--tree +refused: ")

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

    def test_help_after_every_command(self) -> None:
        names = re.findall(r"(?m)^  ([a-z]+) ", glovebox("help").out)
        self.assertLessEqual({"doctor", "version", "info", "images", "generate", "pull"}, set(names))
        for family in ("image", "session", "warm"):
            text = glovebox("help", family).out
            found = re.findall(rf"(?m)^(?:glovebox {family} |  )([a-z]+)\b", text)
            self.assertGreater(len(found), 3, text)
            names += [f"{family} {name}" for name in found]
        for name in names:
            with self.subTest(name=name):
                said = self.assert_status(glovebox(*name.split(), "--help"))
                self.assertRegex(said.out, rf"\AUsage: glovebox {name}\b")
                self.assertEqual(said.err, "")
                self.assertEqual(glovebox("help", *name.split()).out, said.out)

    def test_h_alone_is_help(self) -> None:
        for name in ("run", "doctor", "images", "session new", "image tag"):
            with self.subTest(name=name):
                said = self.assert_status(glovebox(*name.split(), "-h"))
                self.assertIn("Usage: glovebox " + name, said.out)

    def test_help_behind_other_flags(self) -> None:
        self.assert_status(glovebox("run", "-m", "64m", "--help"))
        self.assert_status(glovebox("images", "-q", "--help"))

    def test_help_of_the_program_is_its_own(self) -> None:
        self.assert_status(run(argv=["/bin/sh", "-c", '[ "$1" = --help ]', "x", "--help"]))
        said = self.assert_status(glovebox("exec", "none", "ls", "--help"), 125)
        self.assertIn("none", said.err)

    def test_version_by_letter(self) -> None:
        for letter in ("-v", "-V"):
            self.assertEqual(self.assert_status(glovebox(letter)).out, glovebox("--version").out)

    def test_the_nearest_name_is_offered(self) -> None:
        for args, meant in (
            (["rnu"], '"run"'),
            (["sesion", "ls"], '"session"'),
            (["help", "docter"], '"doctor"'),
            (["session", "exce", "x"], '"exec"'),
            (["warm", "strat"], '"start"'),
            (["image", "biuld"], '"build"'),
            (["run", "--memroy", "64m", "host"], "--memory"),
            (["image", "build", "--sutie", "sid"], "--suite"),
            (["images", "--quite"], "--quiet"),
            (["generate", "mna"], '"man"'),
        ):
            with self.subTest(args=args):
                result = self.assert_status(glovebox(*args), 125)
                self.assertIn(f"did you mean {meant}?", result.err)

    def test_unknown_commands_are_named(self) -> None:
        for args in (["nonsense"], ["help", "nonsense"], ["--nonsense"]):
            with self.subTest(args=args):
                result = glovebox(*args)
                self.assertNotIn(result.status, (0, 139, 134))
                self.assertIn("nonsense", result.err)

    def test_a_family_says_which_commands_it_has(self) -> None:
        for args, names in (
            (["generate", "fish"], "man, bash-completion, zsh-completion"),
            (["session", "fork", "x"], "new, exec, repl, ls"),
            (["help", "warm", "nonsense"], "start, serve, status, stop"),
            (["serve", "key", "nonsense"], "add, ls, rm"),
        ):
            with self.subTest(args=args):
                result = self.assert_status(glovebox(*args), 125)
                self.assertRegex(result.err, f'"(fish|fork|nonsense)" is not a command of .* one of: {names}')
        self.assert_refused(glovebox("help", "run", "nonsense"), "nonsense")

    def test_words_of_other_tools_are_answered(self) -> None:
        for word, remedy in (
            ("shell", "run -it IMAGE bash"),
            ("repl", "session repl"),
            ("python3", "--code FILE"),
            ("pip", "image build slim --pip"),
            ("fish", "bash-completion"),
            ("upgrade", "as it was installed"),
            ("docker", "docs/docker.md"),
            ("--timeout", "flags stand behind one"),
        ):
            with self.subTest(word=word):
                result = self.assert_status(glovebox(word, "x"), 125)
                self.assertEqual(len(result.err.splitlines()), 1, result.err)
                self.assertIn(f'"{word}"', result.err)
                self.assertIn(remedy, result.err)

    def test_flags_behind_the_image_are_named(self) -> None:
        for words in (["--timeout", "5s", "true"], ["-c", "print(1)"]):
            result = self.assert_status(glovebox("run", "host", *words), 127)
            self.assertRegex(result.err, f"{words[0]}; flags of glovebox run stand before IMAGE$")
        self.assertNotIn("stand before", self.assert_status(glovebox("run", "host", "nowhere"), 127).err)
        self.assert_refused(glovebox("run", "-c", "print(1)"), "-c, --cpu-shares", "IMAGE python3 -c CODE")

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
        self.assertLess(len(result.out.splitlines()), 45, "one screen, also where much is missing")
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
        shm, memory = (int(re.sub(r".*?(\d+)m$", r"\1", self.said[name])) for name in ("shm-size", "memory"))
        self.assertIn("half of --memory", self.said["tmpfs"])
        self.assert_prints(f"{nofile} {self.said['hostname']} {shm} {memory // 2}",
                           run(argv=["python3", "-c", code]))  # fmt: skip


class Completion(Case):
    """bash's, which asks the program at every turn."""

    def setUp(self) -> None:
        super().setUp()
        self.store = {"GLOVEBOX_IMAGES": str(self.folder / "store")}
        for name in ("lab:1", "lab:latest", "stats"):
            self.assert_status(glovebox("image", "tag", "host", name, env=self.store))

    def complete(self, line: str, program: str = GLOVEBOX) -> set[str]:
        """Return what is offered at the end of a command line."""
        script = self.assert_status(glovebox("generate", "bash-completion")).out
        script += 'COMP_LINE="$0 $1"; COMP_POINT=${#COMP_LINE}; _glovebox\n'
        said = execute(["bash", "-c", script + 'printf "%s\\n" "${COMPREPLY[@]}"', program, line],
                       env=self.store)  # fmt: skip
        return set(self.assert_status(said).out.split())

    def test_commands(self) -> None:
        self.assertLessEqual({"run", "image", "session", "doctor"}, self.complete(""))
        self.assertEqual(self.complete("se"), {"selftest", "serve", "session", "setup"})
        self.assertLessEqual({"build", "import", "inspect"}, self.complete("image "))
        self.assertLessEqual({"run", "session"}, self.complete("help "))
        self.assertEqual(self.complete("help session che"), {"checkpoint", "checkpoints"})
        self.assertEqual(self.complete("generate "), {"man", "bash-completion", "zsh-completion", "unit"})

    def test_images(self) -> None:
        self.assertLessEqual({"host", "lab", "lab:1", "stats"}, self.complete("run "))
        self.assertEqual(self.complete("run --rm -m 1g la"), {"lab", "lab:1"})
        self.assertEqual(self.complete("run lab:"), {"1", "latest"}, "bash keeps lab:")
        self.assertEqual(self.complete("warm start --image st"), {"stats"})
        self.assertEqual(self.complete("image rm stats st"), {"stats"})
        self.assertEqual(self.complete("session new --ttl 1h st"), {"stats"})

    def test_names_of_dockers(self) -> None:
        def complete(line: str) -> set[str]:
            return self.complete(line, str(Path(GLOVEBOX).with_name("docker")))

        self.assertLessEqual({"run", "rmi", "load", "container"}, complete(""))
        self.assertNotIn("rmi", self.complete(""))
        self.assertLessEqual({"run", "ls", "ps", "kill", "exec", "rm", "prune"}, complete("container "))
        self.assertEqual(complete("container run --rm st"), {"stats"})
        for line in ("rmi st", "inspect st", "tag st", "images st", "image rm stats st"):
            with self.subTest(line=line):
                self.assertEqual(complete(line), {"stats"})
        self.assertLessEqual({"--input", "--quiet"}, complete("load --"))

    @unittest.skipUnless(shutil.which("zsh"), "needs zsh")
    def test_zsh_asks_the_same(self) -> None:
        script = self.assert_status(glovebox("generate", "zsh-completion")).out
        # what zsh brings, as far as it is used: whose matches are added, and whether there are any
        known = ('compadd() { local -a all=(${(P)@[-1]}); all=(${(M)all:#$PREFIX*}); '
                 '(( $#all )) && print -l -- $all }; _files() { print FILES }; compdef() { }\n')  # fmt: skip
        for line in ("se", "image ", "run --rm -m 1g la", "run lab:", "run --networ", "run --code "):
            words = ["glovebox", *line.split(" ")]
            asked = f"words=({' '.join(words[:-1])} ''); CURRENT={len(words)}; PREFIX={words[-1]!r}\n"
            env = self.store | {"PATH": f"{Path(GLOVEBOX).parent}:{os.environ['PATH']}"}
            said = execute(["zsh", "-fc", known + script + asked + "_glovebox"], env=env)
            with self.subTest(line=line):
                kept = "lab:" if line.endswith("lab:") else ""  # bash keeps it
                ours = {kept + word for word in self.complete(line)} or {"FILES"}
                self.assertEqual(set(self.assert_status(said).out.split()), ours)

    def test_nothing_where_files_are_to_be_named(self) -> None:
        for line in ("run --memory ", "run host ", "run host py", "run --code ", "image import "):
            with self.subTest(line=line):
                self.assertEqual(self.complete(line), set())

    def test_recipes(self) -> None:
        self.assertLessEqual({"python", "slim"}, self.complete("image build "))

    def test_flags_and_values(self) -> None:
        self.assertEqual(self.complete("run --memory-"), {"--memory-swap"})
        self.assertEqual(self.complete("run --warm "), {"auto", "never", "require"})
        self.assertEqual(self.complete("run --warm=n"), {"never"}, "bash keeps --warm=")
        self.assertEqual(self.complete("run --network "), {"none"})
        self.assertLessEqual({"pypi", "npm", "conda", "none"}, self.complete("run --egress "))
        self.assertIn("--egress", self.complete("session new --eg"))
        self.assertEqual(self.complete("run --restart "), {"no"})
        self.assertEqual(self.complete("run --log-driver "), {"none", "local", "json-file"})
        self.assertEqual(self.complete("run --log-opt "), set())
        self.assertEqual(self.complete("run --stop-signal SIGT"), {"SIGTERM"})
        self.assertIn("type=tmpfs,target=", self.complete("run --mount "))
        self.assertIn("seccomp=unconfined", self.complete("run --security-opt "))
        self.assertEqual(self.complete("session new -- "), self.complete("session new "))
        self.assertLessEqual({"--ttl", "--memory"}, self.complete("session new --"))
        self.assertNotIn("--json", self.complete("session new --"))
        self.assertEqual(self.complete("image build --su"), {"--suite"})
        self.assertEqual(self.complete("images --q"), {"--quiet"})
        self.assertIn("--model", self.complete("agent --m"))
        self.assertEqual(self.complete("serve --max-r"), {"--max-runs"})
        self.assertEqual(self.complete("serve k"), {"key"})
        self.assertEqual(self.complete("serve key "), {"add", "ls", "rm"})


class ManualPages(Case):
    """What they cover."""

    def test_serve(self) -> None:
        program = GLOVEBOX + "-serve"
        page = self.assert_status(execute([program, "generate", "man"])).out.replace("\\", "")
        for words in (["serve"], ["serve", "key"]):
            said = self.assert_status(glovebox(*words, "--help")).out
            self.assertIn(f"Usage: glovebox {' '.join(words)}", said)
            for flag in re.findall(r"--[a-z-]+", said):
                self.assertIn(flag, page)

    def test_glovebox(self) -> None:
        page = self.assert_status(glovebox("generate", "man")).out.replace("\\", "")
        for word in (".SH EXAMPLES", ".SH WARM", ".SH SESSION", "glovebox doctor", "glovebox-image"):
            self.assertIn(word, page)

    def test_image(self) -> None:
        program = GLOVEBOX + "-image"
        page = self.assert_status(execute([program, "generate", "man"])).out.replace("\\", "")
        self.assertIn(".SH EXAMPLES", page)
        for name in ("build", "import", "ls", "rm", "tag", "verify", "inspect"):
            self.assertIn(f"glovebox image {name}", page)
            for flag in re.findall(r"--[a-z-]+", glovebox("image", name, "--help").out):
                self.assertIn(flag, page)
