"""The ceilings of a machine: /etc/glovebox/policy.d, for everybody who runs anything there.

Each command sees an /etc of its own, in a mount namespace of its own.
"""

import json
import os
import re
import shutil
import tempfile
import unittest
from pathlib import Path
from typing import Any

from support.messages import message
from support.run import GLOVEBOX, IS_ROOT, ROOT, Result, execute
from support.warm import Warm
from test_user import Stranger

PLACE = "/etc/glovebox/policy.d"
WITH_ETC = 'mount --bind "$0" /etc; exec "$@"'
SAY = ("host", "echo", "hi")


class Ceilings(Warm):
    """A machine with such files; the commands of its root."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        if not IS_ROOT:
            raise unittest.SkipTest("cannot: only root may put another /etc in the place of this one")
        whole = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, whole)
        whole.chmod(0o755)
        cls.etc = whole / "etc"
        shutil.copytree("/etc", cls.etc, symlinks=True, ignore=shutil.ignore_patterns("glovebox"))

    def setUp(self) -> None:
        super().setUp()
        self.policy = self.etc / "glovebox/policy.d"
        self.policy.mkdir(parents=True)
        self.addCleanup(shutil.rmtree, self.policy.parent)

    def say(self, name: str = "10-site.json", **values: Any) -> Path:
        """Write a file; limits are those of "limits"."""
        path = self.policy / name
        path.write_text(json.dumps(values))
        return path

    def there(self, *command: str | Path, **options: Any) -> Result:
        """Run a program on that machine."""
        enter = ["unshare", "--mount", "--propagation", "private", "sh", "-ec", WITH_ETC, str(self.etc)]
        return execute([*enter, *map(str, command)], **options)

    def ask(self, *words: str | Path, **options: Any) -> Result:
        """Run glovebox there."""
        return self.there(self.program, *words, env=self.env(), **options)

    def run_there(self, *flags: str) -> Result:
        """Run something there."""
        return self.ask("run", "--warm=never", *flags, *SAY)

    def limits(self, *flags: str) -> dict[str, str]:
        """Return the limits that --explain shows."""
        said = self.assert_status(self.run_there("--explain", *flags)).out
        lines = said.split("\nLimits\n")[1].split("\n\n")[0].splitlines()
        return {line[:10].strip(): line[10:].strip() for line in lines}


class Values(Ceilings):
    """What the files bound."""

    def test_without_the_directory_or_a_file_nothing_has_a_ceiling(self) -> None:
        (self.policy / "README").write_text("not JSON")
        (self.policy / ".hidden.json").write_text("not JSON")
        for _ in range(2):
            self.assert_prints("hi", self.run_there("--memory", "8g"))
            self.assertNotIn("at most", self.limits())
            shutil.rmtree(self.policy, ignore_errors=True)
        self.policy.mkdir()  # for the cleanup

    def test_a_default_that_is_more_is_lowered(self) -> None:
        self.say(limits={"memory": "64m", "cpus": 0.5, "pids_limit": 20, "timeout": "9s", "output_limit": "1k"})
        limits = self.limits()
        self.assertEqual(
            {name: limits[name] for name in ("memory", "pids", "cpus", "wall time", "output")},
            {"memory": "64m", "pids": "20", "cpus": "0.5", "wall time": "9s", "output": "1k"},
        )
        self.assertEqual(limits["at most"], f"memory 64m ({PLACE}/10-site.json)")
        said = self.ask("run", "--warm=never", "host", "python3", "-c", "x = bytearray(100 << 20)")
        self.assert_status(said, 137)

    def test_what_is_asked_for_beyond_it_is_refused(self) -> None:
        self.say(
            shm_size="1m",
            limits={
                "memory": "64m",
                "memory_swap": 0,
                "cpus": 0.5,
                "pids_limit": 20,
                "timeout": "9s",
                "output_limit": "1k",
            },
        )
        for flag, more, words in (
            ("--memory", "65m", message("setting_ceiling_refuse", "--memory", "65m", "64m")),
            ("--memory", "0", "--memory: no limit is more than"),
            ("--memory-swap", "70m", "--memory-swap"),
            ("--memory-swap", "-1", "--memory-swap"),
            ("--cpus", "0.6", message("setting_ceiling_refuse", "--cpus", "0.6", "0.5")),
            ("--cpus", "0", "--cpus: no limit"),
            ("--cpu-quota", "50001", "--cpu-quota"),
            ("--cpu-quota", "-1", "--cpu-quota"),
            ("--cpu-period", "50000", "--cpu-period: 1 is more"),
            ("--pids-limit", "21", "--pids-limit"),
            ("--pids-limit", "-1", "--pids-limit"),
            ("--timeout", "10s", "--timeout"),
            ("--output-limit", "0", "--output-limit"),
            ("--shm-size", "2m", "--shm-size"),
        ):
            with self.subTest(flag=flag, more=more):
                self.assert_refused(self.run_there(flag, more), words, f"{PLACE}/10-site.json")
        for flag, same in (
            ("--memory", "64m"),
            ("--cpus", "0.5"),
            ("--cpu-quota", "50000"),
            ("--pids-limit", "20"),
            ("--timeout", "1s"),
            ("--shm-size", "8k"),
        ):
            with self.subTest(flag=flag, same=same):
                self.limits(flag, same)

    def test_what_says_the_same_in_another_way_is_refused(self) -> None:
        self.say(shm_size="1m", limits={"timeout": "9s"})
        for flags, words in (
            (("--stop-timeout", "9s"), message("setting_ceiling_refuse", "--timeout and --stop-timeout", "18s", "9s")),
            (("--stop-timeout", "2s", "--timeout", "8s"), message("setting_ceiling_refuse", "--timeout and --stop-timeout", "10s", "9s")),
            (("--tmpfs", "/dev/shm:size=2m"), message("setting_ceiling_refuse", "--tmpfs /dev/shm", "2m", "1m")),
            (("--mount", "type=tmpfs,target=/dev/shm,tmpfs-size=2m"), "--tmpfs /dev/shm: 2m is more"),
            (("--mount", "type=tmpfs,target=/dev/shm"), "--tmpfs /dev/shm: "),
        ):
            with self.subTest(flags=flags):
                self.assert_refused(self.run_there(*flags), words, f"{PLACE}/10-site.json")
        self.assertEqual(self.limits("--stop-timeout", "2s")["wall time"], "7s")
        self.limits("--tmpfs", "/dev/shm:size=1m")

    def test_the_least_counts_and_its_file_is_named(self) -> None:
        self.say("10-a.json", limits={"memory": "1g", "cpus": 1})
        self.say("20-b.json", limits={"memory": "100m"})
        self.say("30-c.json", limits={"memory": "100m"})
        self.assertEqual(self.limits()["memory"], "100m")
        self.assert_refused(self.run_there("-m", "1g"), f"100m in {PLACE}/20-b.json")

    def test_docker_has_them_too(self) -> None:
        """Under that name there is no limit of output by default."""
        self.say(limits={"output_limit": "1k"})
        docker = self.folder / "docker"
        docker.symlink_to(Path(GLOVEBOX).resolve())
        said = self.there(docker, "run", "--rm", "--warm=never", "host", "head", "-c", "5000", "/dev/zero")
        self.assertEqual(len(said.stdout), 1024, said.err)

    def test_doctor_says_them(self) -> None:
        file = self.say(limits={"memory": "1g"})
        rows = {row["name"]: row for row in json.loads(self.ask("doctor", "--json").out)["rows"]}
        self.assertEqual(rows["policy.d"]["text"], f"at most memory 1g ({PLACE}/10-site.json)")
        file.write_text("{")
        said = json.loads(self.ask("doctor", "--json").out)
        rows = {row["name"]: row for row in said["rows"]}
        self.assertEqual((rows["policy.d"]["state"], said["usable"]), ("no", False))
        self.assertIn(f"{PLACE}/10-site.json", rows["policy.d"]["text"])


class OneFile(Ceilings):
    """The same in the one file, which has a libc of its own."""

    program = str(ROOT / "build/appliance/glovebox")

    def test_it_has_them(self) -> None:
        if not Path(self.program).exists():
            self.skipTest("cannot: there is no build/appliance/glovebox (make appliance)")
        self.say(limits={"memory": "64m"})
        self.assert_refused(self.run_there("-m", "65m"), message("setting_ceiling_refuse", "64m", f"{PLACE}/10-site.json"))
        self.assertEqual(self.limits()["memory"], "64m")


class Files(Ceilings):
    """What is wrong with a file refuses everything, in one line that names it."""

    def refused(self, *words: str | re.Pattern[str]) -> None:
        """Assert that nothing runs, and why."""
        self.assert_refused(self.run_there(), PLACE, *words)

    def test_what_is_in_it(self) -> None:
        self.say("00-first.json", limits={"memory": "1g"})
        bad = self.policy / "10-bad.json"
        for text, words in (
            ("", "JSON"),
            ("[]", "one JSON object"),
            ('{"limits": {"memory": "1g"}', "JSON"),
            ('{"limits": {"memory": "1g"}} {}', "JSON"),
            ('{"limits": 7}', message("setting_json_member#object", '"limits"')),
            ('{"limits": {"memroy": "1g"}}', 'no option "limits.memroy"'),
            ('{"limits": {"Memory": "1g"}}', 'no option "limits.Memory"'),
            ('{"limits": {"memory": "1g", "memory": "1g"}}', '"memory" is there twice'),
            ('{"limits": {}, "limits": {"memory": "1g"}}', '"limits" is there twice'),
            ('{"memory": "1g"}', 'no option "memory"'),
            ('{"limits": {"memory": true}}', message("setting_json_text#number", '"limits.memory"')),
            ('{"limits": {"memory": null}}', message("setting_json_text#number", '"limits.memory"')),
            ('{"limits": {"memory": "12x"}}', '"limits.memory": "12x"'),
            ('{"limits": {"pids_limit": 1.5}}', '"limits.pids_limit"'),
            ('{"limits": {"memory": "2g"}}', '"limits.memory": 2g is more than 1g in'),
            ('{"limits": {"memory": 0}}', '"limits.memory": no limit is more than 1g in'),
            ('{"hostname": "x"}', 'no option "hostname"'),
            ('{"network": "host"}', 'no option "network"'),
            ('{"egress": "pypi"}', message("egress_list_add_hosts#not one host")),
            ('{"shm_size": "1m", "\\u001b[31m": 1}', "no option"),
            ("x" * 70000, "larger than"),
        ):
            with self.subTest(text[:60]):
                bad.write_text(text)
                self.refused("10-bad.json", words)

    def test_whose_it_is(self) -> None:
        file = self.say(limits={"memory": "1g"})
        os.chown(file, 1234, 0)
        self.refused("10-site.json", message("policy_file_open#belong", 1234))
        os.chown(file, 0, 1234)
        self.assert_prints("hi", self.run_there())
        for mode in (0o664, 0o646):
            file.chmod(mode)
            self.refused("10-site.json", "chmod go-w")
        file.chmod(0o644)
        os.chown(self.policy, 1234, 1234)
        self.refused(message("policy_file_open#belong", f"{PLACE}: ", 1234))
        os.chown(self.policy, 0, 0)
        self.policy.chmod(0o777)
        self.refused(message("policy_file_open#others", f"{PLACE}: "))

    def test_what_it_is(self) -> None:
        file = self.policy / "10-site.json"
        for make, words in (
            (lambda: file.symlink_to(self.file("elsewhere", "{}")), message("policy_file_open#link")),
            (lambda: os.mkfifo(file), message("policy_file_open#must be a", "a file")),
            (file.mkdir, message("policy_file_open#must be a", "a file")),
        ):
            with self.subTest(words):
                make()
                self.refused("10-site.json", words)
                file.rmdir() if file.is_dir() and not file.is_symlink() else file.unlink()
        self.policy.rmdir()
        for make, words in (
            (lambda: self.policy.write_text("{}"), message("policy_file_open#must be a", "a directory")),
            (lambda: self.policy.symlink_to("nowhere"), message("policy_file_open#link")),
        ):
            make()
            self.refused(words)
            self.policy.unlink()


class Faces(Ceilings):
    """Everything that runs code."""

    def test_warm_runs_sessions_and_their_calls(self) -> None:
        self.start_warm()
        self.say(limits={"memory": "300m", "timeout": "2s", "output_limit": "1k"})
        said = self.ask("run", "--warm=require", "host", "python3", "-c", "while True: pass")
        self.assert_status(said, 124)
        new = ("session", "new", "--name", "lab")
        self.assert_refused(self.ask(*new, "--memory", "1g"), message("setting_ceiling_refuse", "300m"))
        self.assert_prints("lab", self.ask(*new))
        call = ("session", "exec")
        self.assert_refused(self.ask(*call, "--timeout", "3s", "lab", "1"), message("setting_ceiling_refuse", "2s"))
        self.assert_status(self.ask(*call, "lab", "while True: pass"), 124)
        self.assertEqual(len(self.ask(*call, "lab", "print('x' * 5000)").out), 1024)
        self.assert_refused(self.ask(*call, "lab", "x = bytearray(400 << 20)"), message("call_lose_by_memory", "300m"))
        self.say("20-bad.json", limits={"memory": "1g"})
        self.assert_refused(self.ask(*call, "lab", "1"), "20-bad.json")
        self.assert_refused(self.ask(*new), "20-bad.json")
        self.assert_refused(self.ask("run", "--warm=require", *SAY), "20-bad.json")
        self.assert_refused(self.ask("warm", "start", "--image", "host"), "20-bad.json")
        self.assert_refused(self.ask("session", "repl", "--image", "host"), "20-bad.json")

    def test_a_nursery_is_none_of_them(self) -> None:
        """It runs nothing foreign; its cells have the ceiling."""
        self.say(limits={"memory": "64m", "pids_limit": 16})
        self.assert_status(self.ask("warm", "start", "--image", "host", "--pool", "1"))
        said = self.ask("run", "--warm=require", "host", "python3", "-c", "x = bytearray(100 << 20)")
        self.assert_status(said, 137)

    def test_a_prompt(self) -> None:
        self.start_warm()
        self.say(limits={"timeout": "2s"})
        said = self.ask("session", "repl", "--image", "host", stdin=b"while True: pass\n\nprint(6 * 7)\n")
        self.assertIn("42", said.out, said.err)

    def test_the_agent(self) -> None:
        self.say(limits={"memory": "300m", "timeout": "2s"})
        agent = ("agent", "--url", "http://127.0.0.1:9", "--image", "host")
        for flag, more, most in (("--memory", "1g", "300m"), ("--timeout", "3s", "2s")):
            said = self.ask(*agent, flag, more, "task", cwd=self.folder)
            self.assertNotEqual(said.status, 0)
            self.assertRegex(said.err, message("setting_ceiling_refuse", flag, more, most))


class OrdinaryUsers(Stranger):
    """They have the same."""

    there = Ceilings.there
    say = Ceilings.say

    def test_they_are_bound_by_what_root_has_written(self) -> None:
        etc = self.etc = self.folder / "etc"
        shutil.copytree("/etc", etc, symlinks=True, ignore=shutil.ignore_patterns("glovebox"))
        self.policy = etc / "glovebox/policy.d"
        self.policy.mkdir(parents=True)
        self.say(limits={"timeout": "2s"})
        ids = ("setpriv", f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups", "--inh-caps=-all")
        bare = ("run", "--memory=0", "--cpus=0", "--pids-limit=0")
        command = (*ids, self.program, *bare)
        env = {"HOME": str(self.home)}
        if execute([*ids, "unshare", "--user", "true"]).status:
            self.skipTest("cannot: no user namespaces for users")
        self.assert_refused(self.there(*command, "--timeout=3s", *SAY, env=env, cwd="/"), message("setting_ceiling_refuse", "2s"))
        self.assert_prints("hi", self.there(*command, *SAY, env=env, cwd="/"))
        self.policy.chmod(0o700)
        self.assert_refused(self.there(*command, *SAY, env=env, cwd="/"), PLACE, "Permission denied")
        self.policy.chmod(0o755)
        os.chown(self.policy / "10-site.json", self.uid, self.uid)
        self.assert_refused(self.there(*command, *SAY, env=env, cwd="/"), message("policy_file_open#belong"))
