"""The life of sandboxes that stay: create, start, restart, pause, attach, and what is told of it."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

from integration.staying import WAITS, Staying
from support.messages import message
from support.times import DEADLINE, wait_until

COUNTS = "i=0; while :; do i=$((i+1)); echo $i; sleep 0.01; done"


class Again(Staying):
    """`create`, `start`, `restart`."""

    def test_create_makes_and_start_starts(self) -> None:
        made = self.assert_status(self.ours("create", "--name", "made", "-e", "K=v", "host", "sh", "-c", "echo $K; exit 3"))
        self.assertRegex(made.out, r"\A[0-9a-f]{64}\n\Z")
        self.assertEqual(self.field("made", "State.Status"), "created")
        self.assert_fails(self.ours("exec", "made", "true"), 125, "not running")
        self.assert_status(self.ours("start", "made"))
        self.assertEqual(self.end_of("made"), "3")
        self.assertEqual(self.assert_status(self.ours("logs", "made")).out, "v\n")

    def test_created_ones_are_removed(self) -> None:
        self.assert_status(self.ours("create", "--name", "made", "host", "true"))
        self.assert_status(self.ours("rm", "made"))
        self.assertEqual(self.records, [])

    def test_a_wrong_line_makes_nothing(self) -> None:
        self.assert_fails(self.ours("create", "--memory", "1", "host", "true"), 125, "--memory")
        self.assertEqual(self.records, [])

    def test_one_that_cannot_be_started_says_why(self) -> None:
        """It has ended, and was not lost."""
        source = self.folder / "source"
        source.mkdir()
        name = self.stay("-v", f"{source}:/data")
        self.assert_status(self.ours("stop", "-t", "0", name))
        source.rmdir()
        said = self.ours("start", name)
        self.assert_fails(said, 1, "source")
        state = self.state(name)
        self.assertEqual(state["Status"], "exited")
        self.assertIn("source", state["Error"])
        source.mkdir()
        self.assert_status(self.ours("start", name))

    def test_one_that_is_paused_is_not_started(self) -> None:
        name = self.stay()
        self.assert_status(self.ours("pause", name))
        self.assert_fails(self.ours("start", name), 1, "unpause")
        self.assertEqual(self.field(name, "State.Status"), "paused")

    def test_what_a_killed_monitor_left_goes(self) -> None:
        name = self.stay(sh="true")
        self.end_of(name)
        (self.records[0] / "layer.new").write_bytes(b"cut")
        self.assert_status(self.ours("start", name))
        self.end_of(name)
        self.assertEqual(list(self.records[0].glob("*.new")), [])

    def test_start_anew(self) -> None:
        self.env["CHANGES"] = "1"
        name = self.stay("-e", "CHANGES", sh="echo $CHANGES; exit 4")
        self.assertEqual(self.end_of(name), "4")
        self.env["CHANGES"] = "2"  # the variable is of the first start
        self.assert_status(self.ours("start", name, cwd="/"))
        self.assertEqual(self.end_of(name), "4")
        self.assertEqual(self.assert_status(self.ours("logs", name)).out, "1\n1\n")

    def test_start_of_what_runs_changes_nothing(self) -> None:
        name = self.stay()
        pid = self.field(name, "State.Pid")
        self.assert_status(self.ours("start", name))
        self.assertEqual(self.field(name, "State.Pid"), pid)

    def test_start_attached(self) -> None:
        name = self.stay(sh="echo out; echo err >&2; exit 5")
        self.end_of(name)
        result = self.assert_status(self.ours("start", "-a", name), 5)
        self.assertIn("out\n", result.out)

    def test_the_input_of_start_ends_with_its_client(self) -> None:
        name = self.assert_status(self.ours("create", "-i", "host", "cat")).out.strip()
        self.addCleanup(self.ours, "rm", "-f", name)
        self.assertEqual(self.assert_status(self.ours("start", "-a", "-i", name, stdin=b"typed\n")).out, "typed\n")

    def test_restart(self) -> None:
        name = self.stay()
        pid = self.field(name, "State.Pid")
        self.assert_status(self.ours("restart", name))
        self.assertNotEqual(self.field(name, "State.Pid"), pid)
        self.assertEqual(self.field(name, "State.Status"), "running")

    def test_a_start_that_fails_leaves_the_record(self) -> None:
        name = self.stay("-v", f"{self.folder}:/x:ro", sh="exit 6")
        self.end_of(name)
        self.assert_status(self.ours("inspect", name))
        os.rename(self.folder / "state", self.folder / "moved")  # its words name a place that is gone
        self.env["XDG_STATE_HOME"] = f"{self.folder}/moved"
        self.assert_status(self.ours("start", name))
        self.assertEqual(self.end_of(name), "6")
        os.rename(self.folder / "moved", self.folder / "state")
        self.env["XDG_STATE_HOME"] = f"{self.folder}/state"

    def test_code_from_standard_input_is_gone(self) -> None:
        self.assert_status(self.ours("run", "-d", "--name", "piped", "--code", "-", "host", stdin=b"raise SystemExit(7)"))
        self.assertEqual(self.end_of("piped"), "7")
        self.assert_fails(self.ours("start", "piped"), 1, "standard input")


class Large(Staying):
    """A result that a program makes as large as it can."""

    as_user = True

    def test_it_is_not_kept(self) -> None:
        folder = self.subfolder("out")
        code = "for n in range(6000): open('/output/' + f'{n:04}' + chr(1) * 200, 'w').close()"
        name = self.stay("--output", f"{folder},files=8000", py=code)
        self.assertEqual(self.end_of(name), "0")
        state = self.state(name)
        self.assertEqual((state["Status"], state["ExitCode"]), ("exited", 0))
        self.assertIn("larger than 1024 KiB", state["Error"])


class Attached(Staying):
    """`attach`."""

    def test_output_from_now_on_and_the_exit_code(self) -> None:
        name = self.stay(sh="echo before; while ! test -e /tmp/go; do echo tick; sleep 0.02; done; echo after; exit 8")
        self.assertTrue(wait_until(lambda: "before" in self.ours("logs", name).out))
        said = self.folder / "said"
        with said.open("wb") as out, subprocess.Popen([self.program, "attach", "--no-stdin", name], env=os.environ | self.env, stdout=out) as attached:
            self.assertTrue(wait_until(lambda: "tick" in said.read_text()))
            self.inside(name, "touch /tmp/go")  # the sandbox may end before it does
            self.assertEqual(attached.wait(), 8)
        self.assertNotIn("before", said.read_text())
        self.assertTrue(said.read_text().endswith("tick\nafter\n"))

    def test_input(self) -> None:
        name = self.stay("-i", argv=["head", "-n1"])
        result = self.assert_status(self.ours("attach", name, stdin=b"typed\nmore\n"))
        self.assertEqual(result.out, "typed\n")

    def test_a_monitor_that_is_killed(self) -> None:
        for words in (("attach", "--no-stdin"), ("start", "-a")):
            name = self.stay()
            if words[0] == "start":
                self.assert_status(self.ours("stop", "-t", "0", name))
            process = self.start([self.program, *words, name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | self.env, text=True)
            self.await_follower(process)
            os.kill(self.state(name)["Pid"], signal.SIGKILL)
            self.assertRegex(process.communicate(timeout=DEADLINE)[1], "was lost|has ended")  # before it was attached
            self.assertEqual(process.returncode, 125)

    def test_of_what_does_not_run(self) -> None:
        name = self.stay(sh="exit 0")
        self.end_of(name)
        self.assert_fails(self.ours("attach", name), 125, "not running")


class Told(Staying):
    """`stats`, `top`, `port`."""

    kernel = True  # where the processes of a group are differs between v1 and v2

    def test_stats(self) -> None:
        name = self.stay("--memory", "64m", sh="while :; do :; done")
        [one] = json.loads(self.assert_status(self.ours("stats", "--json", name)).out)
        self.assertEqual((one["name"], one["memory_limit_bytes"]), (name, 64 << 20))
        self.assertEqual(one["processes"], 2)
        self.assertGreater(one["cpu_ms"], 0)
        table = self.assert_status(self.ours("stats")).out
        self.assertIn(name, table)
        self.assertIn("64 MiB", table)

    def test_top(self) -> None:
        name = self.stay(sh=f"sleep 1000 & {WAITS}")
        table = self.assert_status(self.ours("top", name)).out
        self.assertIn("sleep 1000", table)

    def test_of_what_does_not_run(self) -> None:
        name = self.stay(sh="exit 0")
        self.end_of(name)
        for command in ("stats", "top"):
            self.assertIn("not running", self.ours(command, name).err)
        self.assertEqual(self.assert_status(self.ours("port", name)).out, "")

    def test_ports(self) -> None:
        name = self.published()
        said = self.assert_status(self.ours("port", name)).out
        self.assertRegex(said, r"\A8000/tcp -> 127\.0\.0\.1:\d+\n\Z")
        ports = self.described(name)["NetworkSettings"]["Ports"]["8000/tcp"]
        self.assertEqual(said.split(":")[1].strip(), ports[0]["HostPort"])

    def published(self) -> str:
        """A sandbox with a port; it says on stderr which one was chosen."""
        result = self.assert_status(self.ours("run", "-d", "--name", "published", "-p", "8000", "host", "sleep", "1000"))
        self.assertRegex(result.err, r"127\.0\.0\.1:\d+ is port 8000 inside\n")
        return "published"


class Paused(Staying):
    """`pause`, `unpause`."""

    kernel = True

    def pause(self, name: str) -> bool:
        """Pause it; False: this machine has nothing that freezes."""
        result = self.ours("pause", name)
        if "freez" in result.err:
            self.skipTest("no control group that freezes here")
        self.assert_status(result)
        return True

    def lines(self, name: str) -> int:
        """How much it has printed."""
        return len(self.ours("logs", name).out.splitlines())

    def test_ps_says_so(self) -> None:
        name = self.stay()
        self.pause(name)
        for word, state in (("unpause", "paused"), ("stop", "running")):
            listed = {row["name"]: row["state"] for row in json.loads(self.ours("ps", "--json").out)["running"]}
            self.assertEqual(listed[name], state)
            self.assert_status(self.ours(word, name))

    def test_nothing_runs_meanwhile(self) -> None:
        name = self.stay(sh=COUNTS)
        wait_until(lambda: self.lines(name) > 3)
        self.pause(name)
        self.assertEqual(self.field(name, "State.Status"), "paused")
        time.sleep(0.02)  # what was on its way
        count = self.lines(name)
        time.sleep(0.1)
        self.assertEqual(self.lines(name), count)
        self.assert_fails(self.ours("exec", name, "true"), 125, "paused")
        self.assertIn("paused already", self.ours("pause", name).err)
        self.assert_status(self.ours("unpause", name))
        wait_until(lambda: self.lines(name) > count)
        self.assertEqual(self.field(name, "State.Status"), "running")
        self.assertIn("not paused", self.ours("unpause", name).err)

    def test_ends(self) -> None:
        for words in (("stop", "--time", "0"), ("kill",), ("rm", "-f")):
            with self.subTest(words):
                name = self.stay()
                self.pause(name)
                self.assert_status(self.ours(*words, name))

    def test_the_time_goes_on(self) -> None:
        name = self.stay("--timeout", "2s", argv=["sleep", "1000"])
        self.pause(name)
        self.assertEqual(self.end_of(name), "124")


class Moments(Staying):
    """What happens at the wrong moment, or with the wrong words."""

    def test_start_behind_wait(self) -> None:
        name = self.stay(sh="exit 5")
        for _ in range(20):
            self.assertEqual(self.end_of(name), "5")
            self.assert_status(self.ours("start", name))

    def test_attached_starts_tell_the_end(self) -> None:
        name = self.stay("-i", sh="echo out; exit 5")
        self.end_of(name)
        for flag in ("-a", "-ai") * 10:
            self.assertEqual(self.assert_status(self.ours("start", flag, name), 5).out, "out\n")

    def test_remove_meanwhile(self) -> None:
        """A start and rm: one of both is refused, and what runs has a record."""
        for _ in range(20):
            name = self.stay(sh="exit 0")
            self.end_of(name)
            with subprocess.Popen([self.program, "start", name], env=os.environ | self.env, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as start:
                removed = self.ours("rm", name)
                started = start.wait()
            if removed.status == 0:
                self.assertRegex(self.ours("inspect", name).err, message("inspect_kinds_say_none#called", name))
            else:
                self.assertEqual(started, 0)
                self.end_of(name)

    def test_another_registry(self) -> None:
        """What was started in another login is found by its record."""
        name = self.stay()
        for place in (Path("/run/glovebox"), Path(os.environ.get("XDG_RUNTIME_DIR", "/nowhere")) / "glovebox", self.folder / "state/glovebox"):
            if os.access(place / "running" / name, os.W_OK):
                (place / "running" / name).unlink()
        self.assertIn(name, self.assert_status(self.ours("ps")).out)
        self.assert_status(self.ours("stop", "--time", "0", name))
        self.assertEqual(self.field(name, "State.Status"), "exited")

    def test_words_are_text(self) -> None:
        name = self.stay()
        for words in (("exec", name, "cat", b"/tmp/\xff"), ("exec", "-e", b"A=\xff", name, "true"), ("cp", f"{name}:/tmp/".encode() + b"\xff", ".")):
            with self.subTest(words):
                done = subprocess.run([self.program, *words], env=os.environ | self.env, capture_output=True, check=False)
                self.assertEqual(done.returncode, 125)
                self.assertIn(b"must be UTF-8", done.stderr)

    def test_large_command_lines(self) -> None:
        variables = [word for n in range(10) for word in ("-e", f"V{n}={'x' * 100_000}")]
        self.assert_fails(self.ours("run", "-d", *variables, "host", "true"), 125, "larger than 1024 KiB")
        self.assertEqual(self.records, [])

    def test_the_last_value_of_a_variable_counts(self) -> None:
        name = self.stay()
        script = "import os; print(os.environ['A'], os.environ['TERM'])"
        result = self.ours("exec", "-t", "-e", "A=1", "-e", "TERM=screen", "-e", "A=2", name, "python3", "-c", script)
        self.assertEqual(self.assert_status(result).out.strip(), "2 screen")
