"""generate unit: a unit of systemd that starts a sandbox that stays, and starts it again."""

import os
import re
import shlex
import shutil
import signal
import subprocess
from pathlib import Path

from integration.staying import WAITS, Staying
from support.run import GLOVEBOX, IS_ROOT, execute, unique
from support.times import DEADLINE

SAYS = f"trap 'exit 0' TERM; echo ready; {WAITS.partition(';')[2]}"


class Unit(Staying):
    """What the unit says, and what becomes of it by hand."""

    as_user = True

    def unit(self, name: str, *flags: str) -> dict[str, str]:
        """Return the settings of a unit; systemd understands each."""
        text = self.assert_status(self.ours("generate", "unit", *flags, name)).out
        if shutil.which("systemd-analyze") and IS_ROOT:  # a user has no manager here
            file = self.folder / f"{unique('glovebox')}.service"
            file.write_text(text)
            said = execute(["systemd-analyze", "verify", "--man=no", file])
            self.assertEqual((said.status, said.err), (0, ""))
        return dict(re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE))

    def begin(self, line: str, unit: dict[str, str]) -> subprocess.Popen[bytes]:
        """Start what a line says, with the variables of the unit."""
        [variable] = shlex.split(unit["Environment"].replace("%%", "%"))
        key, _, value = variable.partition("=")
        env = {key: value, "PATH": "/usr/bin:/bin"} | {name: os.environ[name] for name in ("HOME", "XDG_RUNTIME_DIR") if name in os.environ}
        words = shlex.split(line.replace("%%", "%"))
        return self.start(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd="/")

    def stop(self, unit: dict[str, str]) -> None:
        """Do what systemd does to stop it, as well once it has ended."""
        for _ in range(2):
            self.assertEqual(self.begin(unit["ExecStop"], unit).wait(DEADLINE), 0)

    def test_by_hand(self) -> None:
        name, new = self.stay(sh=SAYS), unique("new")
        self.assert_status(self.ours("kill", name))
        unit = self.unit(name, "--restart", "always")
        first = self.begin(unit["ExecStart"], unit)
        assert first.stdout
        self.assertEqual(first.stdout.readline(), b"ready\n")  # for the journal
        self.assert_prints("in", self.inside(name, "echo in"))
        self.stop(unit)
        self.assertEqual(first.wait(DEADLINE), 0)
        self.assertEqual(self.field(name, "State.Status"), "exited")
        second = self.begin(unit["ExecStart"], unit)
        assert second.stdout
        self.assertEqual(second.stdout.readline(), b"ready\n")
        self.assert_status(self.ours("rename", name, new))
        os.kill(self.state(new)["Pid"], signal.SIGKILL)
        self.assertNotEqual(second.wait(DEADLINE), 0)  # a failure: it is started again
        third = self.begin(unit["ExecStart"], unit)
        assert third.stdout
        self.assertEqual(third.stdout.readline(), b"ready\n")
        self.stop(unit)
        self.assertEqual(third.wait(DEADLINE), 0)

    def test_of_one_that_runs(self) -> None:
        name = self.stay(sh=SAYS)
        unit = self.unit(name)
        process = self.begin(unit["ExecStart"], unit)
        self.await_follower(process)
        self.assertEqual(self.field(name, "State.Status"), "running")
        self.stop(unit)
        self.assertEqual(process.wait(DEADLINE), 0)

    def test_its_exit_code_is_the_program_s(self) -> None:
        name = self.stay(sh="exit 5")
        self.end_of(name)
        unit = self.unit(name)
        self.assertEqual(self.begin(unit["ExecStart"], unit).wait(DEADLINE), 5)

    def test_policies(self) -> None:
        name = self.stay()
        for flags, restart, burst in (
            ((), "on-failure", None),
            (("--restart", "no"), "no", None),
            (("--restart=on-failure",), "on-failure", None),
            (("--restart=on-failure:3",), "on-failure", "4"),
            (("--restart=always",), "always", None),
            (("--restart=unless-stopped",), "always", None),
        ):
            with self.subTest(flags):
                unit = self.unit(name, *flags)
                self.assertEqual((unit["Restart"], unit.get("StartLimitBurst")), (restart, burst))
                self.assertEqual(unit["StartLimitIntervalSec"], "infinity" if burst else "0")
                self.assertEqual(unit["WantedBy"], "multi-user.target" if IS_ROOT else "default.target")

    def test_its_end(self) -> None:
        id = self.described(self.stay())["Id"]
        unit = self.unit(id)
        self.assertIn(f" stop --time 10 {id}", unit["ExecStop"])
        self.assertEqual((unit["TimeoutStopSec"], unit["SuccessExitStatus"]), ("100", "143"))
        unit = self.unit(self.stay("--stop-timeout", "3", "--stop-signal", "INT"))
        self.assertIn(" stop --time 3 ", unit["ExecStop"])
        self.assertEqual((unit["TimeoutStopSec"], unit["SuccessExitStatus"]), ("93", "130"))

    def test_it_is_passed_over_when_the_sandbox_is_removed(self) -> None:
        name = self.stay()
        place = Path(self.unit(name)["ConditionPathExists"].replace("%%", "%"))
        self.assertTrue(place.is_dir())
        self.assert_status(self.ours("rm", "-f", name))
        self.assertFalse(place.exists())

    def test_a_place_with_every_character(self) -> None:
        self.env["XDG_STATE_HOME"] = str(self.folder / "a b%n\"'\\x$HOME")
        made = self.assert_status(self.ours("create", "--name", unique("odd"), "host", "sh", "-c", "echo out"))
        unit = self.unit(made.out.strip())
        self.assertTrue(Path(unit["ConditionPathExists"].replace("%%", "%")).is_dir())
        process = self.begin(unit["ExecStart"], unit)
        self.assertEqual(process.communicate(timeout=DEADLINE), (b"out\n", b""))
        self.assert_status(self.ours("rm", made.out.strip()))

    def test_a_place_that_no_unit_can_name(self) -> None:
        for character in "\r\n":
            self.env["XDG_STATE_HOME"] = str(self.folder / f"a{character}ExecStartPre=b")
            made = self.assert_status(self.ours("create", "--name", unique("odd"), "host", "true"))
            self.assert_fails(self.ours("generate", "unit", made.out.strip()), 125, "control character")
            self.assert_status(self.ours("rm", made.out.strip()))

    def test_what_cannot_be_started_again(self) -> None:
        self.assert_fails(self.ours("generate", "unit", "nowhere"), 125, "No such container: nowhere")
        self.assert_fails(self.ours("generate", "unit", self.stay("--rm")), 125, "--rm")
        self.assert_status(self.ours("run", "-d", "--name", "piped", "--code", "-", "host", stdin=b"pass"))
        self.assert_fails(self.ours("generate", "unit", "piped"), 125, "standard input")

    def test_wrong_words(self) -> None:
        name = self.stay()
        for words, said in (
            (("--restart", "sometimes", name), "unless-stopped"),
            (("--restart", "on-failure:x", name), "on-failure:x"),
            (("--restart", "on-failure:0", name), "on-failure:0"),
            (("--restart", "always:3", name), "always:3"),
            (("--restart", "on-failures", name), "unless-stopped"),
            ((), "one name is needed"),
            ((name, name), "one name is needed"),
        ):
            with self.subTest(words):
                result = self.assert_status(self.ours("generate", "unit", *words), 125)
                self.assertEqual(result.out, "")
                self.assertIn(said, result.err)

    def test_run_names_it(self) -> None:
        for words in (("run", "-d"), ("run",), ("create",)):
            said = self.ours(*words, "--restart=always", "host", "true")
            self.assert_fails(said, 125, "--restart", "glovebox generate unit NAME")
        self.assertEqual(self.records, [])
        self.assert_status(self.ours("run", "--restart=no", "host", "true"))

    def test_it_uses_this_program(self) -> None:
        [program, *_] = shlex.split(self.unit(self.stay())["ExecStart"])
        self.assertTrue(os.path.samefile(program, GLOVEBOX))
