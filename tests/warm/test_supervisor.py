"""The warm supervisor: its commands, who is served warm, and what happens when parts of it die.

What a program sees in a warm cell is the subject of test_corpus.py; here it is compared with a
cold run only where flags are concerned. warm.py has the vocabulary.
"""

import contextlib
import json
import os
import pty
import re
import resource
import select
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from support.messages import message, sentence
from support.processes import children, descriptors, groups, is_alive, marked, ticks
from support.run import GLOVEBOX, OWNER, PYTHON, ROOT, Result, execute, parallel, unique
from support.times import DEADLINE, wait_until
from support.warm import FROM_A_CELL, OTHER, OTHER_IMAGE, Warm, close_all, connect, take

BURST = 300 if os.environ.get("CI") == "true" else 100
ENDLESS = "print('up', flush=True)\nwhile True: pass"
ECHO = "import sys; print(sys.argv[1])"
KINDS_OF_NONSENSE = ("", "invalid", "unsupported")  # "": it was not even a message
UNFIT, WHY = "asyncio.windows_events", "ImportError: win32 only"
NONE_RUNS = f"glovebox: {sentence('ask_finds_none')}\n"


class Commands(Warm):
    """start, status and stop."""

    as_user = True

    def test_start_says_nothing_and_the_pool_is_full(self) -> None:
        self.start_warm(pool=3)
        now = self.status()
        self.assertEqual((now["state"], now["pool"], now["ready"]), ("ready", 3, 3))

    def test_status_is_one_line_of_json(self) -> None:
        supervisor = self.start_warm("--preload", "json,decimal")
        said = self.assert_status(self.warm("status", "--json"))
        self.assertEqual((said.out.count("\n"), said.err), (1, ""))
        expected = {"pid": supervisor, "image": "host:latest", "preload": "json,decimal"}
        self.assertEqual(said.json | expected, said.json)
        version = execute([PYTHON, "-c", "import platform; print(platform.python_version())"]).out
        self.assertEqual(said.json["python"], version.strip())
        numbers = ("served", "failed", "restarts", "waiting")
        self.assertEqual([said.json[n] for n in numbers], [0, 0, 0, 0])

    def test_status_counts_what_was_served(self) -> None:
        self.start_warm()
        for _ in range(3):
            self.assert_prints("1", self.run_warm(py="print(1)"))
        self.assertEqual(self.status()["served"], 3)
        self.assertGreaterEqual(self.settled()["made"], 5)

    def test_stop_ends_everything(self) -> None:
        supervisor = self.start_warm()
        everything = [supervisor, *children(supervisor), *self.parked(supervisor)]
        stopped = self.assert_status(self.warm("stop"))
        self.assertEqual((stopped.out, stopped.err), ("", ""))
        self.assert_ended(*everything)
        self.assertEqual(groups(supervisor), [])
        self.assertFalse((self.place / "glovebox/warm.sock").exists())

    def test_stop_returns_when_it_has_stopped(self) -> None:
        for _ in range(4):  # so the next one can start at once
            supervisor = self.start_warm(pool=4)
            cells = self.parked(supervisor)
            self.assert_status(self.warm("stop"))
            self.assertEqual([pid for pid in cells if is_alive(pid)], [])
            self.assertEqual(groups(supervisor), [])

    def test_second_start_is_refused(self) -> None:
        supervisor = self.start_warm()
        refused = self.warm("start", "--image", "host")
        self.assert_refused(refused, message("runtime_dir_take_lock#running"), "warm status")
        self.assertEqual(self.status()["pid"], supervisor)

    def test_only_one_of_several_starts_wins(self) -> None:
        command = ["start", "--image", "host", "--pool", "1"]
        statuses = [r.status for r in parallel(lambda _: self.warm(*command), range(4))]
        self.assertEqual(sorted(statuses), [0, 125, 125, 125])
        supervisor = self.status()["pid"]
        self.assertEqual(set(self.daemons()) - set(children(supervisor)), {supervisor})

    def test_status_and_stop_when_none_runs(self) -> None:
        for verb in ("status", "stop"):
            said = self.assert_refused(self.warm(verb))
            self.assertEqual(said.err, NONE_RUNS)

    def test_stop_twice(self) -> None:
        self.start_warm()
        self.assert_status(self.warm("stop"))
        self.assertEqual(self.assert_refused(self.warm("stop")).err, NONE_RUNS)

    def test_socket_of_a_dead_one_is_replaced(self) -> None:
        (self.place / "glovebox").mkdir(mode=0o700)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as dead:
            dead.bind(str(self.place / "glovebox/warm.sock"))
        self.assertEqual(self.assert_refused(self.warm("status")).err, NONE_RUNS)
        self.start_warm()

    def test_directory_open_to_others_is_refused(self) -> None:
        (self.place / "glovebox").mkdir()
        (self.place / "glovebox").chmod(0o755)
        refused = self.warm("start", "--image", "host")
        self.assert_refused(refused, str(self.place / "glovebox"), "yours alone")

    def test_cause_is_told_by_every_command(self) -> None:
        """Not only by start, where no supervisor can be."""
        (self.place / "glovebox").mkdir()
        (self.place / "glovebox").chmod(0o755)
        places = {str(self.place): "yours alone", "relative": message("private_dir_of_user#absolute", "relative")}
        commands = (["warm", "start", "--image", "host"], ["warm", "status"], ["session", "ls"],
                    ["run", "--warm=require", "host", "python3", "-c", "1"])  # fmt: skip
        for place, why in places.items():
            for command in commands:
                with self.subTest((place, command)):
                    said = execute([GLOVEBOX, *command], env={"XDG_RUNTIME_DIR": place})
                    self.assert_refused(said, why)
            cold = [GLOVEBOX, "run", "host", "python3", "-c", "print(1)"]
            self.assert_prints("1", execute(cold, env={"XDG_RUNTIME_DIR": place}))

    def test_runtime_directory_that_is_not_there(self) -> None:
        env = {"XDG_RUNTIME_DIR": str(self.folder / "nosuch")}
        commands = (["warm", "start", "--image", "host"], ["warm", "status"], ["session", "ls"],
                    ["session", "new"], ["run", "--warm=require", "host", "python3", "-c", "1"])  # fmt: skip
        for command in commands:
            with self.subTest(command):
                refused = execute([GLOVEBOX, *command], env=env)
                self.assert_refused(refused, "nosuch", "names no directory: unset XDG_RUNTIME_DIR")
        doctor = execute([GLOVEBOX, "doctor", "--json"], env=env).json
        row = next(row for row in doctor["rows"] if row["name"] == "warm, sessions")
        self.assertEqual((row["state"], row["remedy"]), ("no", "unset XDG_RUNTIME_DIR"), row)
        cold = [GLOVEBOX, "run", "host", "python3", "-c", "print(1)"]
        self.assert_prints("1", execute(cold, env=env))

    def test_idle_exit_ends_it(self) -> None:
        supervisor = self.start_warm("--idle-exit", "1s")
        self.assert_ended(supervisor)
        self.assertEqual(self.warm("status").err, NONE_RUNS)
        self.assertEqual(groups(supervisor), [])

    def test_idle_exit_waits_for_programs_that_run(self) -> None:
        self.start_warm("--idle-exit", "1s")
        program = "import time; time.sleep(3.5); print('end')"
        self.assert_prints("end", self.run_warm(py=program))

    def test_sigterm_is_a_stop(self) -> None:
        supervisor = self.start_warm()
        os.kill(supervisor, signal.SIGTERM)
        self.assert_ended(supervisor)
        self.assertFalse((self.place / "glovebox/warm.sock").exists())


class BadFlags(Warm):
    """What `warm start` refuses, with 125 and one line, before anything has been started."""

    def refuse(self, *flags: str, words: tuple[str, ...]) -> None:
        """Assert that flags are refused in a line with these words, and nothing runs."""
        self.assert_refused(self.warm("start", *flags), *words)
        self.assertEqual(self.daemons(), [])

    def test_pool_out_of_range(self) -> None:
        for number in ("0", "257", "-1", "99999999999999999999"):
            self.refuse("--image", "host", "--pool", number, words=("--pool", number))

    def test_pool_that_is_no_number(self) -> None:
        self.refuse("--pool", "x", words=("--pool", '"x"', "number"))
        self.refuse("--pool=", words=("--pool",))

    def test_unknown_flag(self) -> None:
        for flags in (["--nope"], ["--nope", "3"], ["--nope=3"]):
            self.refuse(*flags, words=("flag", flags[0].partition("=")[0], "--pool"))

    def test_hint_is_about_this_command(self) -> None:
        self.assertNotIn("glovebox run --help", self.warm("start", "--nope").err)

    def test_missing_value(self) -> None:
        for flag in ("--pool", "--image", "--preload", "--idle-exit"):
            self.refuse(flag, words=(flag, "needs an argument"))

    def test_no_such_image(self) -> None:
        self.refuse("--image", "nosuch", words=("nosuch", "image"))
        self.refuse("nosuch", words=("nosuch", "image"))

    def test_image_is_a_word_or_a_flag(self) -> None:
        for words in (["host", "extra"], ["--image", "host", "extra"]):
            self.refuse(*words, words=("extra", "--image"))
        self.assert_status(self.warm("start", "host", "--pool", "1"))
        self.assertEqual(self.status()["image"], "host:latest")

    def test_preload_is_a_list_of_names(self) -> None:
        for value in ("a;b", "a b", "os;os.system('x')", "../x", "a\nb"):
            self.refuse("--image", "host", "--preload", value, words=("--preload", "modules"))

    def test_idle_exit_that_is_no_duration(self) -> None:
        self.refuse("--idle-exit", "soon", words=("--idle-exit", '"soon"', "duration"))

    def test_unknown_verb(self) -> None:
        self.assert_refused(self.warm(), "start, serve, status, stop")
        for args in (["begin"], ["--pool", "3"]):
            self.assert_refused(self.warm(*args), args[0], "start, serve, status, stop")

    def test_arguments_of_status_and_stop(self) -> None:
        for verb in ("status", "stop"):
            self.assert_refused(self.warm(verb, "now"), verb, "now")

    def test_help(self) -> None:
        said = self.assert_status(self.warm("--help"))
        for word in ("start", "status", "stop", "--pool", "--preload", "--idle-exit"):
            self.assertIn(word, said.out)


class Manual(Warm):
    """What the manual page and the completion say of warm and session."""

    def flags(self, *command: str) -> set[str]:
        """Return the flags that a command says it has."""
        refused = self.assert_refused(self.glovebox(*command, "--nosuch"))
        return set(refused.err.rpartition("there are ")[2].strip().split(", "))

    def test_every_flag_is_described(self) -> None:
        page = self.assert_status(self.glovebox("generate", "man")).out.replace("\\", "")
        flags = self.flags("warm", "start") | self.flags("session", "exec")
        self.assertLessEqual({"--pool", "--timeout", "--output-limit"}, flags)
        for word in (*flags, "--idle", "--ttl", "warm.sock", "XDG_RUNTIME_DIR"):
            self.assertIn(word, page)
        for family in ("warm", "session"):
            for line in self.assert_status(self.glovebox(family, "--help")).out.splitlines():
                if line.startswith("glovebox "):
                    self.assertIn(line, page)

    def complete(self, *words: str) -> set[str]:
        """Return what the completion offers for the last word of a command line."""
        script = self.assert_status(self.glovebox("generate", "bash-completion")).out
        line = shlex.quote(" ".join([GLOVEBOX, *words]))
        script += f"COMP_LINE={line}; COMP_POINT=${{#COMP_LINE}}; _glovebox\n"
        said = execute(["bash", "-c", script + 'echo "${COMPREPLY[@]}"'], env=self.env())
        return set(self.assert_status(said).out.split())

    def test_completion(self) -> None:
        self.assertEqual(self.complete("warm", ""), {"start", "serve", "status", "stop"})
        self.assertLessEqual({"new", "exec", "freeze"}, self.complete("session", ""))
        self.assertEqual(self.complete("warm", "start", "--po"), {"--pool"})
        self.assertEqual(self.complete("session", "exec", "--out"), {"--output-limit"})
        self.start_warm()
        self.assert_status(self.glovebox("session", "new", "--name", "lab"))
        self.assertEqual(self.complete("session", "exec", "l"), {"lab"})
        self.assertEqual(self.complete("session", "rollback", "l"), {"lab"})
        self.assert_status(self.glovebox("session", "checkpoint", "lab", "before"))
        self.assertEqual(self.complete("session", "rollback", "lab", ""), {"before"})
        self.assertEqual(self.complete("session", "rollback", "nosuch", ""), set())


class Preload(Warm):
    """Modules that are imported before there is any request."""

    def refuse_start(self, preload: str, *words: str) -> None:
        """Assert that a start fails for a reason, and that nothing stays."""
        said = self.warm("start", "--image", "host", "--preload", preload)
        self.assert_refused(said, *words)
        self.assertEqual(wait_until(lambda: not self.daemons(), 5), True, "it runs all the same")
        self.assertEqual(self.warm("status").err, NONE_RUNS)

    def test_module_that_is_not_there(self) -> None:
        self.refuse_start("nosuch", "preload nosuch", "No module named 'nosuch'")

    def test_second_of_two_is_named(self) -> None:
        self.refuse_start("json,os.nosuch", "preload os.nosuch", "ModuleNotFoundError")

    def test_what_cannot_be_preloaded_is_left_out(self) -> None:
        """One line says it; the others are there, and a program may import it as ever."""
        said = self.warm("start", "--image", "host", "--preload", f"json,{UNFIT},fractions")
        self.assert_status(said)
        self.assertEqual(said.err, f"glovebox: not preloaded: {UNFIT}: {WHY}\n")
        self.assertEqual(self.status()["left_out"], f"{UNFIT}: {WHY}")
        self.assertIn(f"left out   {UNFIT}: {WHY}\n", self.warm("status").out)
        self.assert_prints("True True", self.run_warm(py="import sys; print('json' in sys.modules, 'fractions' in sys.modules)"))

    def test_after_a_failure_the_next_start_works(self) -> None:
        self.warm("start", "--image", "host", "--preload", "nosuch")
        self.start_warm("--preload", "json")
        self.assert_prints("ok", self.run_warm(py="print('ok')"))

    def test_module_is_there_before_the_program_begins(self) -> None:
        program = "import sys; print('fractions' in sys.modules)"
        self.start_warm("--preload", "fractions")
        self.assert_prints("True", self.run_warm(py=program))
        self.assert_prints("False", self.run_host("--warm=never", argv=["python3", "-c", program]))

    def test_what_a_module_prints_is_nobodys_output(self) -> None:
        self.start_warm("--preload", "this")  # prints a poem
        self.assert_prints("ok", self.run_warm(py="print('ok')"))


class Choice(Warm):
    """Who is served warm, who cold, and who is told so."""

    def setUp(self) -> None:
        super().setUp()
        self.start_warm()

    def assert_cold(self, reason: str, *flags: str, argv: tuple[str, ...] = ("python3", "-c", "1")):
        """Assert that auto runs cold and says why, and that require refuses with that reason."""
        self.assertEqual(self.explained(*flags, argv=argv), f"cold: {reason}")
        before = self.status()["served"]
        self.assert_status(self.run_host(*flags, argv=argv))
        self.assertEqual(self.status()["served"], before)
        refused = self.run_host("--warm=require", *flags, argv=argv)
        self.assert_refused(refused, f"--warm=require: {reason}")

    def test_python_by_its_other_name(self) -> None:
        shows = "import sys, os; print(os.path.basename(sys.executable), sys.prefix, sys._base_executable)"
        cold, warm = (self.run_host(how, argv=["python", "-c", shows]) for how in ("--warm=never", "--warm=require"))
        self.assertEqual((warm.status, warm.out, warm.err), (0, cold.out, ""))

    def test_auto_is_the_default_and_served_warm(self) -> None:
        self.assertEqual(self.explained(), FROM_A_CELL)
        self.assertEqual(self.explained("--warm=auto"), FROM_A_CELL)
        before = self.status()["served"]
        self.assert_prints("1", self.run_host(argv=["python3", "-c", "print(1)"]))
        self.assertEqual(self.status()["served"], before + 1)

    def test_never(self) -> None:
        self.assertEqual(self.explained("--warm=never"), "cold: --warm=never")
        self.assert_status(self.run_host("--warm=never", argv=["python3", "-c", "1"]))
        self.assertEqual(self.status()["served"], 0)

    def test_other_word_is_refused(self) -> None:
        self.assert_refused(self.run_host("--warm=maybe", argv=["python3"]), "--warm", "maybe")

    def test_without_a_supervisor(self) -> None:
        self.assert_status(self.warm("stop"))
        self.assertTrue(wait_until(lambda: not self.daemons()))
        reason = sentence("lease_read_refusal#no warm")
        self.assertEqual(self.explained(), f"cold: {reason}")
        self.assert_prints("1", self.run_host(argv=["python3", "-c", "print(1)"]))
        refused = self.run_host("--warm=require", argv=["python3", "-c", "1"])
        self.assert_refused(refused, f"--warm=require: {reason}")

    def test_what_an_interpreter_reads_once_must_agree(self) -> None:
        variables = (["-e", v] for v in ("PYTHONHASHSEED=1", "LANG=C", "LD_PRELOAD=", "HOME=/tmp"))
        for flags in (["--user", "5:5"], *variables):
            with self.subTest(flags):
                self.assert_cold(OTHER, *flags)

    def test_other_image(self) -> None:
        if not any(re.match(r"python +latest ", line) for line in _images()):
            self.skipTest("cannot: there is no second image, `python`")
        said = execute(
            [GLOVEBOX, "run", "--explain", "python", "python3", "-c", "1"], env=self.env()
        )
        self.assertIn(f"cold: {OTHER_IMAGE}", self.assert_status(said).out)
        refused = self.glovebox("session", "new", "python")
        self.assert_refused(refused, message("opening_has_no_cell", OTHER_IMAGE))

    def test_interactive_python(self) -> None:
        reason = sentence("key_refuse_arguments#terminal")
        for argv in (("python3",), ("python3", "-"), ("timeout", "9", "python3", "-u")):
            self.assertEqual(self.explained("-t", argv=argv), f"cold: {reason}")
        self.assertEqual(self.explained("-t", argv=("python3", "-c", "1")), FROM_A_CELL)

    def test_options_of_the_interpreter(self) -> None:
        reason = sentence("key_refuse_arguments#options")
        for option in ("-S", "-I", "-E", "-O", "-X", "-V", "--version", "-W"):
            with self.subTest(option):
                value = {"-X": ["utf8"], "-W": ["error"]}.get(option, [])
                argv = ["python3", option, *value, "-c", "1"]
                self.assertEqual(self.explained(argv=argv), f"cold: {reason}")
        self.assert_cold(reason, argv=("python3", "-S", "-c", "1"))

    def test_unbuffered_is_an_exception(self) -> None:
        self.assertEqual(self.explained(argv=["python3", "-u", "-c", "1"]), FROM_A_CELL)

    def test_ulimit(self) -> None:
        self.assert_cold(sentence("run_settings#--ulimit"), "--ulimit", "nofile=64")

    def test_limits_that_a_cell_does_not_have(self) -> None:
        reason = sentence("run_settings#--cpuset-cpus")
        for flags in (["--cpuset-cpus", "0"], ["--cpu-time", "9s"]):
            with self.subTest(flags):
                self.assertEqual(self.explained(*flags), f"cold: {reason}")

    def test_limits_that_a_cell_always_has(self) -> None:
        for flag in ("--memory=0", "--pids-limit=-1", "--cpus=0"):
            with self.subTest(flag):
                name = flag.partition("=")[0]
                self.assertEqual(self.explained(flag), f"cold: {sentence(f'key_refuse_limits#{name}')}")

    def test_program_that_is_no_python(self) -> None:
        reason = sentence("warm_refusal#Python")
        others = (("ls", "-la"), ("sh", "-x", "/dev/null"))
        for argv in (("/bin/true",), ("sh", "-c", "exit"), ("env", "python3", "-c", "1"), *others):
            with self.subTest(argv):
                self.assert_cold(reason, argv=argv)

    def test_options_of_timeout(self) -> None:
        reason = sentence("warm_refusal#timeout")
        self.assert_cold(reason, argv=("timeout", "-k", "5", "3", "python3", "-c", "1"))
        for ours in ("1m30s", "500ms"):
            self.assertIn(reason, self.explained(argv=("timeout", ours, "python3", "-c", "1")))

    def test_explaining_takes_no_cell(self) -> None:
        before = self.settled()
        for _ in range(3):
            self.assertEqual(self.explained(), FROM_A_CELL)
        now = self.status()
        self.assertEqual((now["served"], now["made"]), (before["served"], before["made"]))

    def test_explaining_what_is_refused_is_refused(self) -> None:
        reason = sentence("warm_refusal#Python")
        refused = self.run_host("--explain", "--warm=require", argv=["ls"])
        self.assert_refused(refused, f"--warm=require: {reason}")
        self.assertIn("warm cell", self.run_host("--explain", "--warm=require",
                                                 argv=["python3", "-c", "1"]).out)  # fmt: skip

    def test_program_that_is_not_there_ends_as_cold(self) -> None:
        how = ("auto", "never")
        both = [self.run_host(f"--warm={w}", argv=["/nosuch/python3"]) for w in how]
        self.assertEqual(both[0], both[1])
        self.assertEqual(both[0].status, 127)

    def test_other_names_of_the_same_python(self) -> None:
        for name in (PYTHON, os.path.basename(os.path.realpath(PYTHON))):
            with self.subTest(name):
                self.assertEqual(self.explained(argv=[name, "-c", "1"]), FROM_A_CELL)

    def test_the_caller_s_bounds_count_not_the_supervisor_s(self) -> None:
        self.assert_status(self.warm("stop"))
        self.assertTrue(wait_until(lambda: not self.daemons()))

        def few_descriptors() -> None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))

        self.start_warm(preexec_fn=few_descriptors)
        self.assert_prints("1", self.run_host(argv=["python3", "-c", "print(1)"]))

    def test_supervisor_that_talks_rubbish(self) -> None:
        # a client of a fake one: auto runs cold, whatever comes; require says what is wrong
        rubbish = (b"", b"\xff", b"{", b"[]", b"{}", b'{"group":1}', b'{"error":"no cell is free"}')
        rubbish += (b'{"group":"x","uid":0,"gid":0}', b"x" * 140_000, b'{"error":{"kind":"ok"}}')
        rubbish += (b'{"error":{"kind":"busy","text":"no cell is free","number":0}}',)
        for answer in rubbish:
            for how in ("auto", "require"):
                with self.subTest(answer[:20], how=how), self.fake(answer, []) as place:
                    command = [GLOVEBOX, "run", f"--warm={how}", "host", "python3", "-c"]
                    env = {"XDG_RUNTIME_DIR": str(place)}
                    said = execute([*command, "print(1)"], env=env)
                    if how == "auto":
                        self.assert_prints("1", said)
                    else:
                        self.assert_refused(said)


class Served(Warm):
    """Flags of `run` mean the same in a warm cell as cold."""

    kernel = (
        "test_reference_line",
        "test_timeout_ends_with_124_as_cold",
        "test_json",
        "test_memory_limit",
        "test_more_memory_than_a_parked_cell_has",
        "test_limit_of_processes",
    )
    as_user = (
        "test_terminal",
        "test_output_directory",
        "test_read_only_and_writable_mounts",
        "test_tmpfs_with_a_size",
        "test_memory_limit",
        "test_limit_of_processes",
        "test_json_counts_the_program_s_cpu_time",
    )

    def setUp(self) -> None:
        super().setUp()
        self.start_warm()

    def both(self, *flags: str | Path, argv: list[str] | None = None, py: str = "", **options: Any):
        """Run something cold and warm, assert that one looks as the other, and return the warm."""
        argv = argv or ["python3", "-c", py]
        cold = self.run_host("--warm=never", *flags, argv=argv, **options)
        warm = self.run_host("--warm=require", *flags, argv=argv, **options)
        self.assertEqual(_lasting(warm), _lasting(cold))
        return warm

    def code(self, text: str) -> Path:
        """Return a directory with a script.py of this text."""
        folder = self.subfolder("code")
        (folder / "script.py").write_text(text)
        return folder

    def test_reference_line(self) -> None:
        code = self.code("import sys; print('ran', sys.argv)")
        flags = ["--rm", "--network", "none", "--memory", "256m", "--cpus", "0.5"]
        flags += ["--pids-limit", "64", "--read-only", "--tmpfs", "/tmp", "-v", f"{code}:/code:ro"]
        argv = ["timeout", "30", "python3", "/code/script.py"]
        self.assertEqual(self.explained(*flags, argv=argv), FROM_A_CELL)
        said = self.both(*flags, argv=argv)
        self.assert_prints("ran ['/code/script.py']", said)

    def test_more_memory_than_a_parked_cell_has(self) -> None:
        """512 MiB is what it waits with, and the default."""
        use = "print(len(bytearray(600 << 20)))"
        for more in ((), ("--memory-swap", "2g"), ("--memory-swap", "-1")):
            self.assert_prints(str(600 << 20), self.both("--memory", "800m", *more, py=use))
        self.assert_status(self.both(py=use), 137)

    def test_reference_line_under_the_name_docker(self) -> None:
        docker = Path(GLOVEBOX).with_name("docker")
        if not docker.exists():
            self.skipTest("cannot: this build has no link `docker`")
        code = self.code("print('ran')")
        command = [str(docker), "run", "--rm", "--network=none", "-v", f"{code}:/code:ro", "host"]
        before = self.status()["served"]
        done = execute([*command, "timeout", "30", "python3", "/code/script.py"], env=self.env())
        self.assert_prints("ran", done)
        self.assertEqual(self.status()["served"], before + 1)

    def test_timeout_ends_with_124_as_cold(self) -> None:
        argv = ["timeout", "0.5", "python3", "-c", "while True: pass"]
        self.assert_status(self.both(argv=argv), 124)

    def test_timeout_passes_the_status_on(self) -> None:
        program = ["timeout", "30", "python3", "-c"]
        killed = "import os; os.kill(os.getpid(), 9)"
        for text, status in (("exit(3)", 3), ("1/0", 1), (killed, 137)):
            with self.subTest(text):
                self.assert_status(self.both(argv=[*program, text]), status)

    def test_timeout_of_zero_is_none(self) -> None:
        said = self.run_host(argv=["timeout", "0", "python3", "-c", "print(1)"])
        self.assert_prints("1", said)

    def test_timeout_in_json(self) -> None:
        argv = ["timeout", "0.5", "python3", "-c", "while True: pass"]
        self.assertEqual(self.both("--json", argv=argv).json["exit_code"], 124)

    def test_own_timeout(self) -> None:
        said = self.both("--timeout", "0.5s", py="while True: pass")
        self.assertIn("0.5 second", self.assert_status(said, 124).err)

    def test_a_deadline_interrupts_first(self) -> None:
        text = "import time\ntry:\n    time.sleep(1000)\nfinally:\n    print('saved')"
        said = self.assert_status(self.both("--timeout", "2s", py=text), 124)
        self.assertEqual(said.out, "saved\n")
        self.assertIn("KeyboardInterrupt", said.err)

    def test_a_signal_is_forwarded(self) -> None:
        text = "import signal, sys, time\nsignal.signal(15, lambda *_: sys.exit(5))\nprint('ready', flush=True)\ntime.sleep(99)"
        for how in ("never", "require"):
            command = [GLOVEBOX, "run", f"--warm={how}", "--sig-proxy", "host", "python3", "-c", text]
            process = self.start_ready(command, env={**os.environ, **self.env()})
            process.terminate()
            self.assertEqual(process.wait(DEADLINE), 5)

    def test_stdin(self) -> None:
        text = os.urandom(300_000)
        program = "import sys; data = sys.stdin.buffer.read(); sys.stdout.buffer.write(data[::-1])"
        self.assertEqual(self.both("-i", py=program, stdin=text).stdout, text[::-1])
        self.assertEqual(self.both(py=program, stdin=text).stdout, b"")  # without -i

    def test_program_on_stdin(self) -> None:
        for argv in (["python3"], ["python3", "-"]):
            self.assert_prints("7", self.both("-i", argv=argv, stdin=b"print(3 + 4)\n"))

    def test_terminal(self) -> None:
        program = "import os; print(os.isatty(0), os.isatty(1), os.ttyname(0), input('ready'))"
        said = [self.on_terminal(how, program) for how in ("never", "require")]
        self.assertEqual(said[0], said[1])
        self.assertEqual(said[1], b"readyhello\r\nTrue True /dev/pts/0 hello\r\n")

    def on_terminal(self, how: str, program: str) -> bytes:
        """Return what a run with -it shows; after `ready`, `hello` is typed."""
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        command = [GLOVEBOX, "run", f"--warm={how}", "-it", "host", "python3", "-c", program]
        environment = {**os.environ, **self.env()}
        process = self.start(command, stdin=slave, stdout=slave, stderr=slave, env=environment)
        os.close(slave)
        said = b""
        with contextlib.suppress(OSError):  # EIO: nobody has the other end any more
            while select.select([master], [], [], DEADLINE)[0]:
                said += os.read(master, 65536)
                if said == b"ready":
                    os.write(master, b"hello\n")
        self.assertEqual(process.wait(DEADLINE), 0, said)
        return said

    def test_json(self) -> None:
        program = "import sys; print('out'); print('err', file=sys.stderr); exit(4)"
        said = self.assert_status(self.both("--json", py=program), 4).json
        expected = {"verdict": "exited", "exit_code": 4, "stdout": "out\n", "stderr": "err\n"}
        self.assertEqual(said | expected, said)
        self.assertGreater(said["memory_peak_bytes"], 0)

    def test_json_counts_the_program_s_cpu_time(self) -> None:
        burn = "import time\nwhile time.process_time() < 0.6: pass"
        said = self.assert_status(self.run_warm("--json", py=burn)).json
        self.assertTrue(500 <= said["cpu_ms"] <= 1500, said["cpu_ms"])

    def test_json_counts_the_cpu_time_of_what_is_killed(self) -> None:
        burn = "import time\nwhile True: print(time.process_time() * 1e3, flush=True)"
        said = self.assert_status(self.run_warm("--json", "--timeout", "1s", py=burn), 124).json
        self.assertGreaterEqual(said["cpu_ms"], float(said["stdout"].split()[-1]) / 2)

    def test_result_file(self) -> None:
        path = self.folder / "result"
        said = self.both("--result-file", path, py="print(1); exit(2)")
        self.assertEqual((said.status, said.out), (2, "1\n"))
        self.assertIn('"exit_code":2', path.read_text())

    def test_output_directory(self) -> None:
        program = "open('/output/a.txt', 'w').write('x' * 5); print('made')"
        for how in ("never", "require"):
            out = self.subfolder(f"out-{how}")
            said = self.run_host(
                f"--warm={how}", "--output", out, "--json", argv=["python3", "-c", program]
            )
            said = self.mapped(said)
            self.assert_status(said)
            self.assertEqual((out / "a.txt").read_text(), "xxxxx")
            self.assertEqual((out / "a.txt").stat().st_uid, OWNER[0])
            self.assertEqual([f["path"] for f in said.json["files"]], ["a.txt"])

    def test_read_only_and_writable_mounts(self) -> None:
        ro, rw = self.subfolder("ro"), self.subfolder("rw")
        (ro / "in").write_text("given")
        program = "text = open('/ro/in').read(); open('/rw/out', 'w').write(text)\n"
        program += "try: open('/ro/new', 'w')\nexcept OSError as e: print(e.strerror)"
        flags = ["-v", f"{ro}:/ro:ro", "-v", f"{rw}:/rw"]
        self.assert_prints("Read-only file system", self.mapped(self.both(*flags, py=program)))
        self.assertEqual((rw / "out").read_text(), "given")
        self.assertEqual((rw / "out").stat().st_uid, OWNER[0])

    def test_many_mounts(self) -> None:
        flags = []
        for number in range(40):
            self.file(f"f{number}", str(number)).chmod(0o644)
            flags += ["-v", f"{self.folder}/f{number}:/data/f{number}:ro"]
        program = "print(sum(int(open(f'/data/f{n}').read()) for n in range(40)))"
        self.assert_prints("780", self.both(*flags, py=program))

    def test_tmpfs_with_a_size(self) -> None:
        program = "f = open('/scratch/f', 'wb', 0)\n"
        program += "try:\n  while True: f.write(bytes(4096))\n"
        program += "except OSError as e: print(e.strerror, f.tell())"
        said = self.both("--tmpfs", "/scratch:size=1m", py=program)
        self.assert_prints(f"No space left on device {1 << 20}", said)

    def test_place_and_name(self) -> None:
        program = "import os, socket; print(os.getcwd(), socket.gethostname(), os.uname().nodename)"
        said = self.both("--workdir", "/tmp", "--hostname", "box", py=program)
        self.assert_prints("/tmp box box", said)

    def test_variables(self) -> None:
        file = self.file("env", "B=from file\n# no\nC=3\n")
        program = "import os; print(*map(os.environ.get, 'ABCD')); print(sorted(os.environ))"
        said = self.both("-e", "A=1", "--env-file", file, "-e", "TZ=Asia/Tokyo", py=program)
        self.assertEqual(self.assert_status(said).out.splitlines()[0], "1 from file 3 None")

    def test_cut_output(self) -> None:
        self.both("--output-limit", "1k", py="print('x' * 5000)")

    def test_memory_limit(self) -> None:
        supervisor = self.status()["pid"]
        nursery = self.nursery(supervisor)
        said = self.run_warm("--memory", "64m", py="x = bytearray(300 << 20)")
        self.assertIn("64m memory limit", self.assert_status(said, 137).err)
        again = self.run_warm("--memory", "64m", "--json", py="x = [0]\nwhile True: x *= 2")
        self.assertEqual((again.status, again.json["oom_killed"]), (137, True))
        self.assert_prints("fine", self.run_warm(py="print('fine')"))
        now = self.settled()
        self.assertEqual((now["restarts"], now["failed"]), (0, 0))
        self.assertEqual((now["pid"], self.nursery(supervisor)), (supervisor, nursery))

    def test_limit_of_processes(self) -> None:
        program = "import os\ntry:\n  for _ in range(99): os.fork() or os._exit(0)\n"
        program += "except BlockingIOError: print('refused')"
        self.assert_prints("refused", self.both("--pids-limit", "8", py=program))
        self.assertEqual(self.settled()["restarts"], 0)


class Deaths(Warm):
    """One part is killed; the others go on, begin anew, or end cleanly."""

    as_user = (
        "test_nursery_killed",
        "test_supervisor_killed",
        "test_program_that_runs_ends_with_the_supervisor",
    )

    def setUp(self) -> None:
        super().setUp()
        self.supervisor = self.start_warm(pool=3)

    def start_program(self) -> tuple[subprocess.Popen[bytes], int]:
        """Start a program in a warm cell, wait until it runs, and return pid 1 of its cell."""
        marker = unique()
        command = [GLOVEBOX, "run", "--warm=require", "host", "python3", "-c", ENDLESS, marker]
        environment = {**os.environ, **self.env()}
        client = self.start(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
        )
        assert client.stdout
        self.assertEqual(client.stdout.readline(), b"up\n")
        named = set(marked(marker))
        cells = [c for c in self.parked(self.supervisor) if named & set(children(c))]
        self.assertEqual(len(cells), 1, "which cell it is")
        return client, cells[0]

    def kill_nursery(self, pid: int | None = None) -> None:
        """Kill it, or its pid 1, and wait until the supervisor knows."""
        restarts = self.status()["restarts"]
        os.kill(pid or self.nursery(self.supervisor), signal.SIGKILL)
        self.assertTrue(wait_until(lambda: self.status()["restarts"] > restarts))

    def assert_serves(self) -> None:
        """Assert that it serves again, by and by, and that the pool is full."""
        self.assertTrue(wait_until(lambda: self.run_warm(py="1").status == 0))
        self.assert_prints("served", self.run_warm(py="print('served')"))
        self.settled()

    def test_nursery_killed(self) -> None:
        nursery = self.nursery(self.supervisor)
        before = [nursery, *children(self.supervisor), *self.parked(self.supervisor)]
        self.kill_nursery(nursery)
        for _ in range(3):  # cold, or warm as soon as it is back: both are right
            self.assert_prints("1", self.run_host(argv=["python3", "-c", "print(1)"]))
        self.assert_ended(*before)
        self.assert_serves()
        now = self.settled()
        self.assertEqual((now["pid"], now["restarts"]), (self.supervisor, 1))
        self.assertEqual(len(self.parked(self.supervisor)), now["ready"])
        self.assertEqual(len({Path(g).name for g in groups(self.supervisor)}), now["ready"])

    def test_pid_1_of_the_nursery_killed(self) -> None:
        before = [*children(self.supervisor), *self.parked(self.supervisor)]
        self.kill_nursery(children(self.supervisor)[0])
        self.assert_ended(*before)
        self.assert_serves()

    def test_runs_are_cold_while_the_nursery_is_down(self) -> None:
        # a start that failed is tried again a second later: kill it until a run falls between
        expected = f"cold: {sentence('requests_check_key')}"

        def fell_between() -> bool:
            for pid1 in children(self.supervisor):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid1, signal.SIGKILL)
            return self.explained() == expected

        self.assertTrue(wait_until(fell_between))
        self.assertTrue(wait_until(lambda: self.status()["state"] == "ready"))
        self.assert_serves()

    def test_descriptors_do_not_grow_with_restarts(self) -> None:
        self.settled()
        before = descriptors(self.supervisor)
        for _ in range(2):
            self.kill_nursery()
            self.assert_serves()
        same = wait_until(lambda: descriptors(self.supervisor) <= before, 10)
        self.assertTrue(same, (before, descriptors(self.supervisor)))

    def test_parked_cell_killed(self) -> None:
        cell = self.parked(self.supervisor)[0]
        for victim in (cell, children(self.parked(self.supervisor)[1])[0]):  # pid 1; a program
            made = self.settled()["made"]
            os.kill(victim, signal.SIGKILL)
            replaced = wait_until(lambda made=made: self.settled()["made"] > made)
            self.assertTrue(replaced)
        now = self.settled()
        self.assertEqual((now["failed"], now["restarts"], now["ready"]), (2, 0, 3))
        self.assertEqual(len({Path(g).name for g in groups(self.supervisor)}), 3)
        self.assertFalse(is_alive(cell))
        self.assert_serves()

    def test_all_parked_cells_killed_at_once(self) -> None:
        cells = self.parked(self.supervisor)
        for cell in cells:
            os.kill(cell, signal.SIGKILL)
        self.assertTrue(wait_until(lambda: not any(map(is_alive, cells))))  # one may be lent until then
        results = parallel(lambda n: self.run_warm(py=ECHO, args=[str(n)]), range(6))
        self.assertEqual([r.out for r in results], [f"{n}\n" for n in range(6)])
        self.assertEqual(self.settled()["restarts"], 0)

    def test_supervisor_killed(self) -> None:
        everything = [*children(self.supervisor), *self.parked(self.supervisor)]
        everything += [self.nursery(self.supervisor)]
        os.kill(self.supervisor, signal.SIGKILL)
        self.assert_ended(self.supervisor, *everything)
        self.assertEqual(self.warm("status").err, NONE_RUNS)
        self.assertEqual(self.explained(), f"cold: {sentence('lease_read_refusal#no warm')}")
        self.assert_no_groups(self.supervisor)
        self.supervisor = self.start_warm()
        self.assert_serves()

    def assert_program_ends_with(self, kill: Any) -> None:
        """Assert what becomes of a program that runs: it dies, as of SIGKILL, and nothing stays."""
        client, cell = self.start_program()
        programs = [cell, *children(cell)]
        kill()
        self.assert_ended(*programs)
        self.assertEqual(client.wait(DEADLINE), 137)
        self.assert_no_groups(self.supervisor)

    # Cells are in the nursery's pid namespace: the kernel ends them with its pid 1.

    def test_program_that_runs_ends_with_the_supervisor(self) -> None:
        self.assert_program_ends_with(lambda: os.kill(self.supervisor, signal.SIGKILL))

    def test_program_that_runs_ends_with_stop(self) -> None:
        self.assert_program_ends_with(lambda: self.assert_status(self.warm("stop")))

    def test_program_that_runs_ends_with_the_nursery(self) -> None:
        client, cell = self.start_program()
        self.kill_nursery()
        self.assert_ended(cell)
        self.assertEqual(client.wait(DEADLINE), 137)
        self.assert_serves()

    def test_program_that_dies_with_the_nursery_is_told_why(self) -> None:
        client, _ = self.start_program()
        os.kill(self.nursery(self.supervisor), signal.SIGKILL)
        _, said = client.communicate(timeout=DEADLINE)
        self.assertIn(b"warm", said)

    def test_client_killed(self) -> None:
        client, cell = self.start_program()
        programs = [cell, *children(cell)]
        client.kill()
        self.assert_ended(*programs)
        self.assert_serves()

        def only_parked() -> bool:
            self.assert_prints("1", self.run_warm(py="print(1)"))  # each new cell sweeps
            names = {Path(g).name for g in groups(self.supervisor)}
            return len(names) == self.settled()["ready"]

        self.assertTrue(wait_until(only_parked), groups(self.supervisor))

    def test_client_interrupted(self) -> None:
        client, cell = self.start_program()
        client.send_signal(signal.SIGINT)
        self.assertEqual(client.wait(DEADLINE), 130)
        self.assert_ended(cell)
        self.assert_serves()

    def test_program_that_forks_away_ends_with_its_run(self) -> None:
        marker = unique()
        program = "import os, sys\nif os.fork() == 0:\n os.setsid()\n os.closerange(0, 3)\n"
        program += " os.execv('/bin/sh', ['sh', '-c', 'sleep 1000; : ' + sys.argv[1]])"
        self.assert_status(self.run_warm(py=program, args=[marker]))
        self.assert_gone(marker)


class Silence(Warm):
    """What does not answer is not waited for without end."""

    def test_supervisor_that_is_stopped(self) -> None:
        supervisor = self.start_warm()
        name = self.assert_status(self.glovebox("session", "new")).out.strip()
        os.kill(supervisor, signal.SIGSTOP)
        commands = (["warm", "status"], ["session", "ls"], ["session", "exec", name, "1"],
                    ["session", "files", name], ["session", "new", "host"],
                    ["run", "--warm=require", "host", "python3", "-c", "1"],
                    ["run", "host", "python3", "-c", "print('cold')"])  # fmt: skip
        *refused, cold = parallel(lambda c: self.glovebox(*c, timeout=25), commands, len(commands))
        for said in refused:
            self.assert_refused(said, message("ask_give_up"))
        self.assert_prints("cold", cold)
        os.kill(supervisor, signal.SIGCONT)
        self.assert_prints("1", self.run_warm(py="print(1)"))
        # the call that was given up never began
        self.assert_prints("1", self.glovebox("session", "exec", name, "1"))
        os.kill(supervisor, signal.SIGSTOP)
        self.assert_refused(self.warm("stop", timeout=25), message("ask_give_up"))
        os.kill(supervisor, signal.SIGCONT)
        self.assert_ended(supervisor)

    def test_nursery_that_is_stopped_is_replaced(self) -> None:
        supervisor = self.start_warm(pool=1)
        self.settled()
        os.kill(self.nursery(supervisor), signal.SIGSTOP)
        for _ in range(2):  # the cell that is ready; then one is made, or would be
            self.run_host("--warm=auto", argv=["python3", "-c", "1"])
        self.assertTrue(wait_until(lambda: self.status()["restarts"] == 1, 40), self.status())
        self.settled()
        self.assert_prints("1", self.run_warm(py="print(1)"))


class Queue(Warm):
    """More requests than cells; clients that wait, leave, and break the rules."""

    def setUp(self) -> None:
        super().setUp()
        self.cell = {"op": "cell", **self.cell_request()}

    @contextlib.contextmanager
    def no_cells(self, supervisor: int) -> Iterator[None]:
        """Have no cell ready and none made, while this lasts."""
        now = self.settled()
        nursery = self.nursery(supervisor)
        os.kill(nursery, signal.SIGSTOP)
        try:
            for _ in range(now["ready"]):
                answer, fds = take(self.request(self.cell))
                self.assertIn("group", answer)
                close_all(fds)
            yield
        finally:
            _kill(nursery, signal.SIGCONT)

    def test_cell_by_hand(self) -> None:
        self.start_warm()
        answer, fds = take(self.request(self.cell))
        self.assertLessEqual({"gid", "group", "uid"}, set(answer))
        self.assertGreaterEqual(len(fds), 3)  # pidfd, control, start; directories of the groups
        self.assertIn("anon_inode:[pidfd]", os.readlink(f"/proc/self/fd/{fds[0]}"))
        ended = select.poll()
        ended.register(fds[0], select.POLLIN)
        close_all(fds[1:])  # nobody holds it any more: it dies
        self.assertTrue(ended.poll(DEADLINE * 1000))
        os.close(fds[0])

    def test_requests_that_make_no_sense(self) -> None:
        supervisor = self.start_warm()
        before = descriptors(supervisor)
        nobody = os.open("/dev/null", os.O_RDONLY)
        self.addCleanup(os.close, nobody)
        texts = (b"{", b"[]", b"{}", b"\0", b'{"op":1}', b'{"op":"nosuch"}', b"{" * 5000)
        for text in (*texts, b'"' + b"x" * 200_000 + b'"'):
            with self.subTest(text[:20]), self.connect() as client:
                socket.send_fds(client, [text], [nobody] * 5)
                said, fds = take(client)
                self.assertIn(said["error"]["kind"] if said else "", KINDS_OF_NONSENSE)
                self.assertEqual(fds, [])
        for request in ({"op": "cell"}, {"op": "cell", "key": 1}, {"op": "return"}):
            with self.subTest(request), self.request(request) as client:
                self.assertEqual(take(client)[0]["error"]["kind"], "invalid")
        with self.request({"op": "cell", "key": "x", "as_caller": False}) as client:
            self.assertEqual(take(client)[0]["error"]["kind"], "unsupported")
        with self.connect() as client, self.connect():
            socket.send_fds(client, [b"{}"], [nobody] * 200)
            self.assertEqual(take(client), ({}, []))  # more descriptors than any message has
        same = wait_until(lambda: descriptors(supervisor) <= before, 10)
        self.assertTrue(same, "descriptors stay")
        self.assertEqual(self.settled()["pid"], supervisor)

    def test_clients_that_wait_are_served(self) -> None:
        supervisor = self.start_warm()
        with self.no_cells(supervisor):
            clients = [self.request(self.cell) for _ in range(10)]
            self.assertTrue(wait_until(lambda: self.status()["waiting"] == 10))
        for client in clients:
            answer, fds = take(client)
            self.assertIn("group", answer)
            close_all(fds)

    def test_first_come_first_served(self) -> None:
        supervisor = self.start_warm(pool=1)
        with self.no_cells(supervisor):
            clients = []
            for number in range(8):
                clients.append(self.request(self.cell))
                self.assertTrue(wait_until(lambda n=number: self.status()["waiting"] == n + 1))
        # a cell's group is made in the order of the calls; who has it was served with it
        order = []
        left = dict(zip(clients, range(8), strict=True))
        while left:
            ready = select.select(list(left), [], [], DEADLINE)[0]
            self.assertTrue(ready)
            order.append({left.pop(client) for client in ready})
            for client in ready:
                close_all(take(client)[1])
        flat = [number for step in order for number in sorted(step)]
        self.assertEqual(flat, list(range(8)))

    def test_who_comes_late_is_not_served_first(self) -> None:
        supervisor = self.start_warm(pool=1)
        with self.no_cells(supervisor):
            nursery = self.nursery(supervisor)
            clients = [self.request(self.cell) for _ in range(8)]
            self.assertTrue(wait_until(lambda: self.status()["waiting"] == 8))
            late = self.connect()
            self.status()  # behind it: it has been accepted
            before = len(self.parked(supervisor))
            os.kill(supervisor, signal.SIGSTOP)
            try:
                late.send(json.dumps(self.cell).encode())  # in the turn in which cells come
                os.kill(nursery, signal.SIGCONT)
                wait_until(lambda: len(self.parked(supervisor)) >= before + 4, 5)
                time.sleep(0.3)  # until they have said that they are ready; else nothing is shown
                os.kill(nursery, signal.SIGSTOP)
            finally:
                os.kill(supervisor, signal.SIGCONT)
            self.assertTrue(wait_until(lambda: self.status()["waiting"] < 8))
            self.assertNotIn(late, select.select([late], [], [], 0)[0])
        for client in (*clients, late):
            answer, fds = take(client)
            self.assertIn("group", answer)
            close_all(fds)

    def test_client_that_hangs_up_costs_no_cell(self) -> None:
        supervisor = self.start_warm()
        with self.no_cells(supervisor):
            served = self.status()["served"]
            clients = [self.request(self.cell) for _ in range(10)]
            self.assertTrue(wait_until(lambda: self.status()["waiting"] == 10))
            for client in clients:
                client.close()
            self.assertTrue(wait_until(lambda: self.status()["waiting"] == 0))
        self.assertEqual(self.settled()["served"], served)

    def test_second_message_while_waiting_ends_the_connection_and_leaks_nothing(self) -> None:
        supervisor = self.start_warm()
        self.settled()
        before = descriptors(supervisor)
        nobody = os.open("/dev/null", os.O_RDONLY)
        self.addCleanup(os.close, nobody)
        with self.no_cells(supervisor):
            clients = [self.request(self.cell) for _ in range(4)]
            self.assertTrue(wait_until(lambda: self.status()["waiting"] == 4))
            for client in clients:
                socket.send_fds(client, [b'{"op":"status"}'], [nobody] * 16)
                self.assertEqual(take(client), ({}, []))
        self.assert_prints("1", self.run_warm(py="print(1)"))

        def as_before() -> bool:
            surplus = self.settled()["ready"] - 2  # cells that were called for meanwhile
            for _ in range(surplus):
                close_all(take(self.request(self.cell))[1])
            return not surplus and descriptors(supervisor) <= before

        self.assertTrue(wait_until(as_before), (before, descriptors(supervisor)))

    def test_stop_while_clients_wait(self) -> None:
        supervisor = self.start_warm()
        with self.no_cells(supervisor):
            client = self.request(self.cell)
            self.assertTrue(wait_until(lambda: self.status()["waiting"] == 1))
            self.assert_status(self.warm("stop"))
            answer, fds = take(client)
        self.assertEqual(fds, [])
        self.assertNotIn("group", answer)

    def test_nursery_killed_while_clients_wait(self) -> None:
        supervisor = self.start_warm()
        with self.no_cells(supervisor):
            clients = [self.request(self.cell) for _ in range(5)]
            self.assertTrue(wait_until(lambda: self.status()["waiting"] == 5))
            os.kill(self.nursery(supervisor), signal.SIGKILL)
        for client in clients:  # told to run cold, or served by the next nursery
            answer, fds = take(client)
            kind = answer.get("error", {}).get("kind")
            self.assertTrue(kind == "unsupported" or "group" in answer, answer)
            close_all(fds)

    def test_too_many_are_told_busy(self) -> None:
        _need_descriptors(self, 6000)
        supervisor = self.start_warm()
        clients: list[socket.socket] = []
        said = select.poll()
        heard: list[tuple[int, int]] = []
        try:
            while not heard and len(clients) < 5900:
                for _ in range(100):
                    clients.append(connect(self.place))
                    said.register(clients[-1], select.POLLIN)
                heard = said.poll(1000 if len(clients) > 4096 else 0)
            self.assertTrue(heard, f"{len(clients)} clients, nobody is told")
            busy = next(c for c in clients if c.fileno() == heard[0][0])
            error = take(busy)[0]["error"]
            self.assertEqual(error["kind"], "busy")
            self.assertRegex(error["text"], message("clients_accept"))
            os.kill(supervisor, signal.SIGSTOP)
            clients.append(self.request({"op": "alive"}))  # it has asked before it is looked at
            os.kill(supervisor, signal.SIGCONT)
            self.assertEqual(take(clients[-1])[0]["error"]["kind"], "busy")
        finally:
            for client in clients:
                client.close()
        self.assertTrue(wait_until(lambda: self.warm("status").status == 0))
        self.assert_prints("1", self.run_warm(py="print(1)"))

    def test_too_few_descriptors_do_not_make_it_spin(self) -> None:
        def few_descriptors() -> None:
            hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(128, hard), min(128, hard)))

        supervisor = self.start_warm(preexec_fn=few_descriptors)
        clients = [self.connect() for _ in range(200)]
        before, start = ticks(supervisor), time.monotonic()
        wait_until(lambda: ticks(supervisor) > before + 40, 2)
        share = (ticks(supervisor) - before) / 100 / (time.monotonic() - start)
        for client in clients:
            client.close()
        self.assertLess(share, 0.25, "of a CPU")
        self.assertTrue(wait_until(lambda: self.warm("status").status == 0))

    def test_pool_that_cannot_be_filled_fails_the_start(self) -> None:
        def few_descriptors() -> None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

        command = [GLOVEBOX, "warm", "start", "--image", "host", "--pool", "40"]
        starter = self.start(
            command,
            env={**os.environ, **self.env()},
            preexec_fn=few_descriptors,
            stderr=subprocess.DEVNULL,
        )
        try:
            status = starter.wait(10)
        except subprocess.TimeoutExpired:
            self.fail("it waits for ever")
        self.assertEqual(status, 125)


class Activation(Warm):
    """`warm serve`: in the foreground, perhaps with a socket that systemd made."""

    WRAPPER = """
import os, socket, sys
place, pid, *command = sys.argv[1:]
os.makedirs(f"{place}/glovebox.new", mode=0o700)
os.chdir(f"{place}/glovebox.new")
listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
listener.bind("warm.sock" if pid == "self" else "other.sock")
listener.listen(64)
os.rename(f"{place}/glovebox.new", f"{place}/glovebox")  # what is there listens already
os.dup2(listener.fileno(), 3)
os.set_inheritable(3, True)
os.environ |= {"LISTEN_FDS": "1", "LISTEN_PID": pid if pid != "self" else str(os.getpid())}
os.execv(command[0], command)
"""

    def serve(self, *flags: str, pid: str = "self") -> subprocess.Popen[bytes]:
        """Start `warm serve` as systemd would: the socket is there before it."""
        command = [sys.executable, "-c", self.WRAPPER, str(self.place), pid, GLOVEBOX]
        command += ["warm", "serve", "--image", "host", "--pool", "2", *flags]
        server = self.start(command, env={**os.environ, **self.env()}, stderr=subprocess.PIPE)
        self.assertTrue(wait_until((self.place / "glovebox/warm.sock").exists))
        return server

    def test_the_socket_is_taken_over(self) -> None:
        server = self.serve()
        inode = (self.place / "glovebox/warm.sock").stat().st_ino
        self.assertTrue(wait_until(lambda: self.warm("status").status == 0))
        self.assertEqual(self.status()["pid"], server.pid)
        self.assert_prints("1", self.run_warm(py="print(1)"))
        self.assertEqual((self.place / "glovebox/warm.sock").stat().st_ino, inode)

    def test_first_request_waits_for_the_nursery(self) -> None:
        self.serve()  # the connection is made before anyone accepts it
        self.assertTrue(wait_until(lambda: self.run_warm(py="1").status == 0))

    def test_a_client_waits_until_the_nursery_is_ready(self) -> None:
        self.serve()
        self.assertTrue(wait_until(lambda: self.warm("status").status == 0))
        with connect(self.place) as client:
            client.send(b'{"op":"ready","wait_ms":30000}')
            self.assertEqual(take(client), ({"starting": False}, []))
        self.assertEqual(self.status()["state"], "ready")

    def test_sigterm_leaves_systemd_its_socket(self) -> None:
        server = self.serve()
        self.settled()
        server.terminate()
        self.assertEqual(server.wait(DEADLINE), 0)
        self.assertTrue((self.place / "glovebox/warm.sock").exists())

    def test_start_beside_an_activated_one_changes_nothing(self) -> None:
        server = self.serve()
        self.settled()
        socket_file = self.place / "glovebox/warm.sock"
        inode = socket_file.stat().st_ino
        self.assert_refused(self.warm("start", "--image", "host"), message("runtime_dir_take_lock#running"))
        self.assertEqual((self.status()["pid"], socket_file.stat().st_ino), (server.pid, inode))
        self.assert_status(self.warm("stop"))
        self.assertEqual(server.wait(DEADLINE), 0)
        self.assertEqual(socket_file.stat().st_ino, inode)

    def test_serve_beside_another_one_is_refused(self) -> None:
        supervisor = self.start_warm()
        command = ["sh", "-c", 'LISTEN_PID=$$ exec "$@"', "sh", GLOVEBOX, "warm", "serve"]
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(str(self.folder / "other.sock"))
            listener.listen()
            refused = execute(
                ["sh", "-c", f"exec 3<&{listener.fileno()}; exec " + '"$@"', "sh", *command,
                 "--image", "host"],
                env=self.env(), pass_fds=[listener.fileno()],
            )  # fmt: skip
        self.assert_refused(refused, message("runtime_dir_take_lock#running"))
        self.assertEqual(self.status()["pid"], supervisor)

    def test_start_leaves_the_socket_on_which_systemd_listens(self) -> None:
        place = self.place / "glovebox"
        place.mkdir(mode=0o700)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(str(place / "warm.sock"))
            listener.listen()
            inode = (place / "warm.sock").stat().st_ino
            refused = self.warm("start", "--image", "host", "--pool", "1")
            self.assert_refused(refused, "systemd", "glovebox-warm.socket")
            self.assertEqual((place / "warm.sock").stat().st_ino, inode)

    def test_stop_and_idle_exit_end_it_cleanly(self) -> None:
        server = self.serve("--idle-exit", "1s")
        self.assertEqual(server.wait(DEADLINE), 0)

    def test_socket_for_someone_else_is_left_alone(self) -> None:
        server = self.serve(pid="1")
        self.assertTrue(wait_until(lambda: self.warm("status").status == 0))
        self.assertEqual(self.status()["pid"], server.pid)
        server.terminate()
        self.assertEqual(server.wait(DEADLINE), 0)
        self.assertFalse((self.place / "glovebox/warm.sock").exists())  # it was its own

    def test_failing_preload_is_reported_and_ends_it(self) -> None:
        server = self.serve("--preload", "nosuch")
        try:
            _, said = server.communicate(timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            self.fail("it tries again and again")
        self.assertEqual(server.returncode, 125)
        self.assertIn(b"No module named 'nosuch'", said)

    def test_bad_flags(self) -> None:
        self.assert_refused(self.warm("serve", "--pool", "0"), "--pool")


class Load(Warm):
    """Many at the same time."""

    def test_burst(self) -> None:
        supervisor = self.start_warm(pool=2)
        tokens = [unique("token") for _ in range(BURST)]
        # sixty clients at a time: all of them at once would measure the machine's memory
        results = parallel(lambda t: self.run_warm(py=ECHO, args=[t]), tokens, workers=60)
        bad = [(r.status, r.out, r.err) for r in results if r.status or r.err]
        self.assertEqual(bad[:3], [], f"{len(bad)} of {BURST}")
        self.assertEqual([r.out for r in results], [f"{t}\n" for t in tokens])
        now = self.settled()
        self.assertEqual((now["pid"], now["served"]), (supervisor, BURST))
        self.assertEqual((now["failed"], now["restarts"]), (0, 0))

    def test_soak(self) -> None:
        command = [sys.executable, str(ROOT / "tools/soak"), "--runs", "300", "--clients", "4"]
        said = execute([*command, "--image", "host", "--glovebox", GLOVEBOX])
        self.assert_status(said)
        self.assertEqual(said.out.splitlines()[-1], "ok", said.out)


def _images() -> list[str]:
    return execute([GLOVEBOX, "image", "ls"]).out.splitlines()


def _kill(pid: int, number: int) -> None:
    """Send a signal to a process that may be gone."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _lasting(result: Result) -> Any:
    """Return what must be the same in every run of a program."""
    if not result.out.startswith('{"id":'):
        return result
    changing = ("id", "duration_ms", "cpu_ms", "memory_peak_bytes")
    return result.status, result.err, {k: v for k, v in result.json.items() if k not in changing}


def _need_descriptors(case: Warm, count: int) -> None:
    """Have at least this many descriptors in this process and those that it starts."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        case.skipTest(f"cannot: a process may have {hard} descriptors here, not {count}")
    if soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))
        case.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
