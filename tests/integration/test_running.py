"""ps, kill and stop: list and end a user's runs; the same under the name docker."""

import fcntl
import json
import os
import signal
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from support.case import Case
from support.json_doc import TABLES, object_faults
from support.run import GLOVEBOX, Result, command, execute, glovebox, run, unique
from support.times import DEADLINE

# Prints that it is ready, and what it is told.
LISTENER = """
trap 'echo told' USR1
trap 'echo asked; exit 3' TERM
echo ready
while :; do sleep 0.05; done
"""


def running() -> list[dict[str, Any]]:
    """Return what ps lists of this user."""
    listed = json.loads(glovebox("ps", "--json").out)["running"]
    assert isinstance(listed, list)
    return listed


class Running(Case):
    """A run that goes on while it is listed and ended."""

    as_user = True

    def begin(self, *flags: object, sh: str = "echo ready; sleep 1000") -> tuple[str, subprocess.Popen[bytes]]:
        """Start a run under a name of its own; return both."""
        name = unique("run")
        return name, self.start_ready(command("--name", name, *flags, sh=sh))

    def entry(self, name: str) -> dict[str, Any] | None:
        """Return what ps --json says of a name."""
        return next((row for row in running() if row["name"] == name), None)

    def ends(self, process: subprocess.Popen[bytes]) -> tuple[int, str]:
        """Wait for a run; return its status and what else it printed."""
        out, _ = process.communicate(timeout=DEADLINE)
        return process.returncode, out.decode()


class Listed(Running):
    """glovebox ps."""

    def test_a_run(self) -> None:
        name, process = self.begin("--memory", "64m")
        row = self.entry(name)
        assert row
        self.assertEqual((row["kind"], row["pid"]), ("run", process.pid))
        self.assertRegex(row["id"], r"\A[0-9a-f]{64}\Z")
        self.assertIn("sleep 1000", row["command"])
        self.assertTrue(0 < row["memory_bytes"] < 64 << 20, row)
        self.assertEqual(object_faults(row, TABLES["Running"], "row", TABLES), [])
        table = glovebox("ps").out
        self.assertRegex(table, rf"(?m)^{name} +run +{process.pid} ")
        self.assertIn(name, glovebox("ps", "-q").out.split())

    def test_one_without_a_name_has_the_digits_of_its_id(self) -> None:
        process = self.start_ready(command(sh="echo ready; sleep 1000"))
        (row,) = (row for row in running() if row["pid"] == process.pid)
        self.assertEqual(row["name"], row["id"][:12])

    def test_what_has_ended_is_not_listed(self) -> None:
        name, process = self.begin()
        self.assert_status(glovebox("kill", name))
        self.ends(process)
        self.assertIsNone(self.entry(name))

    def test_what_was_killed_from_outside_is_not_listed(self) -> None:
        name, process = self.begin()
        process.kill()
        process.wait()
        self.assertIsNone(self.entry(name))

    def test_the_newest_is_first(self) -> None:
        names = [self.begin()[0] for _ in range(3)]
        listed = [row["name"] for row in running() if row["name"] in names]
        self.assertEqual(listed, names[::-1])

    def test_a_name_that_others_list_meanwhile_is_never_taken_twice(self) -> None:
        """A killed run leaves its entry: whoever lists removes it while the name is used again."""
        over = threading.Event()

        def lists() -> None:
            while not over.is_set():
                glovebox("ps", "-q")

        listers = [threading.Thread(target=lists) for _ in range(2)]
        for thread in listers:
            thread.start()
        try:
            name = unique("again")
            for _ in range(6):
                process = self.start_ready(command("--name", name, sh="echo ready; sleep 1000"))
                self.assert_refused(run("--name", name, argv=["/bin/true"]), name)
                process.kill()
                process.wait()
        finally:
            over.set()
            for thread in listers:
                thread.join()

    def test_a_strangers_entry_is_text(self) -> None:
        """A sandbox that was given the directory can write entries: ps waits for none and escapes each."""
        _, process = self.begin()
        (place,) = (link for link in map(os.readlink, Path(f"/proc/{process.pid}/fd").iterdir()) if "/running/" in link)
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        name = unique("evil") + "\x1b[2J\n"
        path = Path(place).parent / name
        texts = dict.fromkeys(("kind", "id", "image", "command"), "\x1b[2J")
        with path.open("w", encoding="utf-8") as file:
            fcntl.lockf(file, fcntl.LOCK_EX, 1)
            file.write(json.dumps({**texts, "memory": str(fifo), "started_us": 1}))
            file.flush()
            for words in ((), ("-q",), ("--no-trunc",), ("--format", "{{.ID}} {{.Names}} {{.Command}}")):
                listed = self.assert_status(glovebox("ps", *words)).out
                self.assertIn(name[:8], listed)
                self.assertNotIn("\x1b", listed)
        self.assertNotIn(name, [row["name"] for row in running()])
        self.assertFalse(path.exists())

    def test_wrong_words(self) -> None:
        self.assert_refused(glovebox("ps", "word"), "word")
        self.assert_refused(glovebox("ps", "--filter", "x=x"), "--filter")
        self.assert_refused(glovebox("ps", "--sort"), "--sort")


class Ended(Running):
    """glovebox kill, glovebox stop."""

    def test_kill_ends_a_run_with_its_verdict(self) -> None:
        out = self.subfolder("out")
        result = self.folder / "result"
        name, process = self.begin("--output", out, "--result-file", result, sh="echo made > /output/file; echo ready; sleep 1000")
        self.assertIn(name, self.assert_status(glovebox("kill", name)).out)
        self.assertEqual(self.ends(process)[0], 137)
        verdict = json.loads(result.read_text())
        self.assertEqual((verdict["verdict"], verdict["signal"]), ("cancelled", 9))
        self.assertEqual([file["path"] for file in verdict["files"]], ["file"])

    def test_kill_passes_a_signal_on(self) -> None:
        name, process = self.begin(sh=LISTENER)
        self.assert_status(glovebox("kill", "-s", "USR1", name))
        self.assertEqual(process.stdout and process.stdout.readline(), b"told\n")
        self.assert_status(glovebox("kill", "-s", "SIGTERM", name))
        self.assertEqual(self.ends(process), (3, "asked\n"))

    def test_signals_are_queued(self) -> None:
        """Two orders at once are two, whatever the monitor does meanwhile."""
        name, process = self.begin(sh=LISTENER)
        process.send_signal(signal.SIGSTOP)
        self.assert_status(glovebox("kill", "-s", "USR1", name))
        self.assert_status(glovebox("kill", "-s", "TERM", name))
        process.send_signal(signal.SIGCONT)
        self.assertEqual(self.ends(process)[0], 3)

    def test_stop_gives_a_grace(self) -> None:
        name, process = self.begin(sh=LISTENER)
        self.assert_status(glovebox("stop", name))
        self.assertEqual(self.ends(process), (143, "asked\n"))

    def test_stop_kills_what_does_not_end(self) -> None:
        for flags, words in ((["--stop-timeout", "1"], []), ([], ["--time", "0"])):
            name, process = self.begin(*flags, sh="trap '' TERM; echo ready; while :; do sleep 0.05; done")
            self.assert_status(glovebox("stop", *words, name))
            self.assertIn(self.ends(process)[0], (137, 143))

    def test_a_second_stop_leaves_the_grace(self) -> None:
        name, process = self.begin(sh="""
            trap 'n=$((n + 1)); echo asked; [ $n = 1 ] || exit 3' TERM
            echo ready
            while :; do sleep 0.05; done""")
        first = self.start([GLOVEBOX, "stop", name])
        self.assertEqual(process.stdout and process.stdout.readline(), b"asked\n")
        self.assert_status(glovebox("stop", name))
        self.assertEqual(self.ends(process), (143, "asked\n"))
        self.assertEqual(first.wait(DEADLINE), 0)

    def test_one_whose_output_nobody_reads(self) -> None:
        for verb in ("kill", "stop"):
            name, process = self.begin(sh="echo ready; yes")
            self.assert_status(glovebox(verb, name))
            self.assertIn(process.wait(DEADLINE), (137, 143))

    def test_one_that_job_control_has_stopped(self) -> None:
        for verb in ("kill", "stop"):
            name, process = self.begin()
            process.send_signal(signal.SIGSTOP)
            self.assert_status(glovebox(verb, name))
            self.assertIn(process.wait(DEADLINE), (137, 143))

    def test_an_id_is_enough_of_its_digits(self) -> None:
        process = self.start_ready(command(sh="echo ready; sleep 1000"))
        (row,) = (row for row in running() if row["pid"] == process.pid)
        self.assert_status(glovebox("kill", row["id"][:20]))
        self.assertEqual(process.wait(DEADLINE), 137)

    def test_no_name(self) -> None:
        for verb in ("kill", "stop"):
            self.assert_refused(glovebox(verb), verb)
            self.assert_refused(glovebox(verb, ""), "name")
            self.assert_refused(glovebox(verb, "no-such-name"), "no-such-name", "glovebox ps")
        self.assert_refused(glovebox("kill", "-s", "NOSUCH", "x"), "NOSUCH")

    def test_one_that_is_missing_keeps_no_other(self) -> None:
        name, process = self.begin()
        self.assertEqual(glovebox("kill", "no-such-name", name).status, 125)
        self.assertEqual(self.ends(process)[0], 137)


class AsDocker(Running):
    """The same words, in docker's forms."""

    def setUp(self) -> None:
        """Make the name docker."""
        super().setUp()
        self.docker_path = self.folder / "docker"
        os.symlink(GLOVEBOX, self.docker_path)

    def docker(self, *words: object) -> Result:
        """Run a docker command line."""
        return execute([self.docker_path, *words])

    def begin_docker(self, *flags: object, sh: str = "echo ready; sleep 1000") -> tuple[str, subprocess.Popen[bytes]]:
        """Start a container, as docker's users say."""
        name = unique("container")
        words: Sequence[object] = [self.docker_path, "run", "--name", name, *flags, "host", "sh", "-c", sh]
        return name, self.start_ready([str(word) for word in words])

    def test_ps(self) -> None:
        name, _ = self.begin_docker()
        (digits,) = [line.split()[0] for line in self.docker("ps").out.splitlines() if line.endswith(f" {name}")]
        self.assertRegex(digits, r"\A[0-9a-f]{12}\Z")
        self.assertIn(digits, self.docker("ps", "-aq").out.split())
        self.assertIn(f"{digits} {name}", self.docker("ps", "--format", "{{.ID}} {{.Names}}").out.splitlines())
        for words in (("container", "ls", "-q"), ("container", "ps", "-q"), ("ps", "-q", "--no-trunc")):
            self.assertIn(digits, self.assert_status(self.docker(*words)).out)
        self.begin_docker(sh=": éééééééééééééééééééé; echo ready; sleep 1000")
        self.assertIn('"sh -c : ééééééééééé…"', self.docker("ps").out)
        for line in self.docker("ps", "--format", "json").out.splitlines():
            self.assertEqual(json.loads(line)["State"], "running")

    def test_kill_and_rm(self) -> None:
        for words in (("kill",), ("container", "kill"), ("rm", "-f"), ("container", "rm", "--force")):
            name, process = self.begin_docker()
            self.assert_prints(name, self.docker(*words, name))
            self.assertEqual(self.ends(process)[0], 137)

    def test_stop_leaves_the_status_to_the_program(self) -> None:
        for words in (("stop",), ("stop", "-t", "20"), ("container", "stop", "--timeout=20")):
            name, process = self.begin_docker(sh=LISTENER)
            self.assert_prints(name, self.docker(*words, name))
            self.assertEqual(self.ends(process), (3, "asked\n"))

    def test_none(self) -> None:
        for words in (("kill",), ("stop",)):
            result = self.docker(*words, "no-such-name")
            self.assertEqual(result.status, 1)
            self.assertEqual(result.err, "Error response from daemon: No such container: no-such-name\n")
        self.assertEqual(self.docker("rm", "-f", "no-such-name").status, 0)

    def test_completion(self) -> None:
        name, _ = self.begin_docker()
        for words in (("kill",), ("rm",), ("container", "stop"), ("stop", "-t", "1")):
            self.assertIn(name, self.docker("generate", "words", *words, "").out.split())
        self.assertIn("kill", self.docker("generate", "words", "container", "").out.split())

    def test_help_of_rm(self) -> None:
        for words in (("rm", "--help"), ("help", "rm"), ("container", "rm", "--help")):
            self.assertIn("docker rm [--force] NAME", self.assert_status(self.docker(*words)).out)

    def test_rm_without_force_ends_nothing(self) -> None:
        name, _ = self.begin_docker()
        self.assertEqual(self.docker("rm", name).status, 1)
        self.assertIsNotNone(self.entry(name))
